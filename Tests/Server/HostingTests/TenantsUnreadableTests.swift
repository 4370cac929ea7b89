// Unreadable files do not count as deleted: the last version stays in service, and the finding stays open. Each test runs in its
// own process as another user, because root can read everything.

import Association
import Foundation
import Glibc
import Telemetry
import TestSupport
import Testing

@testable import Hosting

@Suite(.needs(.ordinaryUser))
struct TenantsUnreadableTests {
    /// Folders whose permissions can hide a host's own files.
    private static let places = [
        "config/hosts/v.example.com/well-known/apple-app-site-association", "config/hosts/v.example.com/well-known",
        "config/hosts/v.example.com", "config/hosts",
    ]

    @Test(arguments: places)
    func `a host's own association file stays in service when it becomes unreadable`(place: String) async {
        await #expect(processExitsWith: .success) { [place] in
            let site = try TenantTree.ofNobody()
            try site.shop("z.json", hosts: ["z.example.com"])
            let own = #"{ "webcredentials": { "apps": ["8KQ2V7M4XN.dev.associated.mine"] } }"#
            try site.write("config/hosts/v.example.com/well-known/apple-app-site-association", own)
            try site.restart()
            for root in ["/", "/.well-known/"] {
                try demand(site.answer("v.example.com", root + "apple-app-site-association") == own)
            }
            let mode = try site.hide(place)
            let report = try site.round()
            try demand(report.changes.isEmpty && report.errors.count == 1)
            try demand(report.errors[0].message.hasSuffix(": permission denied"))
            try demand(report.errors[0].fix == "let the server's user read it")
            for report in [report, try site.round(), try site.round(.allAgain), try site.restart()] {
                try demand(site.answer("v.example.com") == own)
                try demand(report.figures.keptHosts == 1 && report.figures.errors == 1)
                let reasons = site.tenants.lastGoodReasons(hostsMax: 9)
                try demand(reasons.map(\.host) == ["v.example.com"] && reasons[0].findings.count == 1)
            }
            try demand(try site.round(.allAgain).errors.count == 1)
            try site.show(place, mode)
            let fixed = try site.round()
            try demand(fixed.findings.isEmpty && fixed.changes.isEmpty)
            try demand(fixed.figures.keptHosts == 0 && fixed.figures.errors == 0)
            try demand(site.answer("v.example.com") == own)
        }
    }

    @Test(arguments: places)
    func `a generated document does not replace a host's own file that becomes unreadable`(place: String) async {
        await #expect(processExitsWith: .success) { [place] in
            let site = try TenantTree.ofNobody()
            try site.shop("v.json", hosts: ["v.example.com"])
            let own = #"{ "webcredentials": { "apps": ["8KQ2V7M4XN.dev.associated.mine"] } }"#
            try site.write("config/hosts/v.example.com/well-known/apple-app-site-association", own)
            try site.restart()
            _ = try site.hide(place)
            for report in [try site.round(), try site.restart()] {
                try demand(site.answer("v.example.com") == own)
                try demand(report.figures.keptHosts == 1 && report.figures.errors > 0)
            }
        }
    }

    @Test func `an unreadable file that was never in service is an error, and the generated document may change`() async
    {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree.ofNobody()
            try site.shop("v.json", hosts: ["v.example.com"])
            let name = "config/hosts/v.example.com/well-known/apple-app-site-association"
            try site.write(name, "{}")
            _ = try site.hide(name)
            // A file that was just changed is read and reported once more.
            try demand(Set(try site.round().errors).count == 1)
            try demand(site.answer("v.example.com")?.contains("associated.shop") == true)
            try site.shop(
                "v.json", hosts: ["v.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.second"])
            try demand(try site.round().changedHosts == ["v.example.com"])
            try demand(site.answer("v.example.com")?.contains("second") == true)
        }
    }

    @Test func `the hosts of an unreadable app folder are on their last good version`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree.ofNobody()
            try site.shop("t1/a.json", hosts: ["a.example.com"])
            try site.shop("t1/deep/b.json", hosts: ["b.example.com"])
            try site.shop("c.json", hosts: ["c.example.com"])
            try site.restart()
            let changes = TreeChanges.with { $0.appFolders = ["t1"] }
            for fix in [TreeChanges.all, changes] {
                let mode = try site.hide("config/apps/t1")
                let report = try site.round(changes)
                try demand(report.errors.map(\.message) == ["cannot read the folder: permission denied"])
                try demand(try site.round().findings.isEmpty)
                for report in [report, try site.round(.allAgain), try site.restart()] {
                    try demand(report.errors.count == 1 && report.figures.errors == 1)
                    try demand(report.keptHosts == 2 && report.changes.isEmpty)
                    let reasons = site.tenants.lastGoodReasons(hostsMax: 9)
                    try demand(reasons.map(\.host) == ["a.example.com", "b.example.com"])
                    try demand(reasons.allSatisfy { $0.findings.count == 1 })
                }
                try site.show("config/apps/t1", mode)
                let fixed = try site.round(fix)
                try demand(fixed.findings.isEmpty && fixed.fixedFiles == [site.tree.config + "/apps/t1"])
                for report in [fixed, try site.round(.allAgain), try site.restart()] {
                    try demand(report.errors.isEmpty && report.figures == HostingFigures(appFiles: 3, hosts: 3))
                }
            }
        }
    }
}

struct NotSo: Error {}

/// A failed expectation would not be noticed in another process.
func demand(_ condition: @autoclosure () throws -> Bool, line: Int = #line) throws {
    if try condition() { return }
    FileHandle.standardError.write(Data("not so in line \(line)\n".utf8))
    throw NotSo()
}

extension TenantTree {
    /// A tree of an ordinary user, which this process switches to.
    static func ofNobody() throws -> TenantTree {
        if getuid() == 0 { try demand(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0) }
        return try TenantTree()
    }

    /// Removes all permissions of a path, and returns the old ones.
    func hide(_ name: String) throws -> mode_t {
        var status = stat()
        try demand(stat("\(tree.root)/\(name)", &status) == 0)
        try demand(chmod("\(tree.root)/\(name)", 0) == 0)
        return status.st_mode & 0o7777
    }

    func show(_ name: String, _ mode: mode_t) throws { try demand(chmod("\(tree.root)/\(name)", mode) == 0) }
}
