// What cannot be read is not gone: it stays as it was last read, and that is said for as long as it is so. Each in a process of
// its own with another user, because a superuser may read everything.

import Association
import Foundation
import Glibc
import Telemetry
import Testing

@testable import Hosting

struct TenantsUnreadableTests {
    /// Paths that a host's own files are cut off at.
    private static let places = [
        "config/hosts/v.example.com/well-known/apple-app-site-association", "config/hosts/v.example.com/well-known",
        "config/hosts/v.example.com", "config/hosts",
    ]

    @Test(arguments: places)
    func `an association file of the host's own stays in service, whatever hides it`(place: String) async {
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
                let reasons = site.tenants.keptReasons(hostsMax: 9)
                try demand(reasons.map(\.host) == ["v.example.com"] && reasons[0].findings.count == 1)
            }
            try demand(try site.round(.allAgain).errors.count == 1)
            try site.show(place, mode)
            let mended = try site.round()
            try demand(mended.findings.isEmpty && mended.changes.isEmpty)
            try demand(mended.figures.keptHosts == 0 && mended.figures.errors == 0)
            try demand(site.answer("v.example.com") == own)
        }
    }

    @Test(arguments: places)
    func `what stands in for a file of the host's own does not take its place`(place: String) async {
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

    @Test func `what was never in service is an error, and what stands in for it may change`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree.ofNobody()
            try site.shop("v.json", hosts: ["v.example.com"])
            let name = "config/hosts/v.example.com/well-known/apple-app-site-association"
            try site.write(name, "{}")
            _ = try site.hide(name)
            // What changed a moment ago is looked at, and told of, once more.
            try demand(Set(try site.round().errors).count == 1)
            try demand(site.answer("v.example.com")?.contains("associated.shop") == true)
            try site.shop(
                "v.json", hosts: ["v.example.com"], ids: ["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.second"])
            try demand(try site.round().changedHosts == ["v.example.com"])
            try demand(site.answer("v.example.com")?.contains("second") == true)
        }
    }

    @Test func `a folder of app files is no app file, and its hosts are on their last good version`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree.ofNobody()
            try site.shop("t1/a.json", hosts: ["a.example.com"])
            try site.shop("t1/deep/b.json", hosts: ["b.example.com"])
            try site.shop("c.json", hosts: ["c.example.com"])
            try site.restart()
            var changes = TreeChanges()
            changes.appFolders = ["t1"]
            for mending in [TreeChanges.all, changes] {
                let mode = try site.hide("config/apps/t1")
                let report = try site.round(changes)
                try demand(report.errors.map(\.message) == ["cannot look into the folder: permission denied"])
                try demand(try site.round().findings.isEmpty)
                for report in [report, try site.round(.allAgain), try site.restart()] {
                    try demand(report.errors.count == 1 && report.figures.errors == 1)
                    try demand(report.keptHosts == 2 && report.changes.isEmpty)
                    let reasons = site.tenants.keptReasons(hostsMax: 9)
                    try demand(reasons.map(\.host) == ["a.example.com", "b.example.com"])
                    try demand(reasons.allSatisfy { $0.findings.count == 1 })
                }
                try site.show("config/apps/t1", mode)
                let mended = try site.round(mending)
                try demand(mended.findings.isEmpty && mended.mendedFiles == [site.tree.config + "/apps/t1"])
                for report in [mended, try site.round(.allAgain), try site.restart()] {
                    try demand(report.errors.isEmpty && report.figures == HostingFigures(appFiles: 3, hosts: 3))
                }
            }
        }
    }
}

struct NotSo: Error {}

/// In a process of its own, where an expectation would not be heard.
func demand(_ condition: @autoclosure () throws -> Bool, line: Int = #line) throws {
    if try condition() { return }
    FileHandle.standardError.write(Data("not so in line \(line)\n".utf8))
    throw NotSo()
}

extension TenantTree {
    /// A tree of somebody who is no superuser, whom this process becomes.
    static func ofNobody() throws -> TenantTree {
        if getuid() == 0 {
            try demand(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
        }
        return try TenantTree()
    }

    /// Takes all rights to something away, and says what they were.
    func hide(_ name: String) throws -> mode_t {
        var status = stat()
        try demand(stat("\(tree.root)/\(name)", &status) == 0)
        try demand(chmod("\(tree.root)/\(name)", 0) == 0)
        return status.st_mode & 0o7777
    }

    func show(_ name: String, _ mode: mode_t) throws { try demand(chmod("\(tree.root)/\(name)", mode) == 0) }
}
