// Rounds of a process without descriptors: they fail and change nothing, and as soon as there are descriptors, everything is as
// on disk. Each test runs in its own process, because the limit applies to a process.

import Foundation
import Glibc
import Posix
import TestSupport
import Testing

@testable import Hosting

struct ShortageTests {
    @Test func `a round without descriptors changes nothing, and the next one finds everything`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // A round fails at a different place for each number of descriptors.
            for descriptors in 0...9 { try StarvedTree.play(descriptors) }
        }
        let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(complaints.isEmpty)
    }

    @Test func `a new host is served completely or not yet while no file can be opened`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree()
            try site.shop("a.json", hosts: ["a.example.com"])
            try site.round()
            try site.shop("b.json", hosts: ["b.example.com"])
            try site.write("public/b.example.com/page.html", "page")
            for descriptors in 0...9 {
                guard let report = attempt(site, descriptors) else {
                    guard site.answer("b.example.com") == nil, site.answer("a.example.com") != nil else { exit(2) }
                    continue
                }
                guard report.findings.isEmpty else { exit(3) }
            }
            guard site.answer("b.example.com", "/page.html") == "page", site.answer("b.example.com") != nil else {
                exit(4)
            }
        }
    }

    @Test func `a file can be retired after a round that could not read config/retired`() async {
        await #expect(processExitsWith: .success) {
            for descriptors in 0...9 {
                let site = try TenantTree()
                try site.shop("a.json", hosts: ["a.example.com"])
                try site.shop("b.json", hosts: ["b.example.com"])
                try site.round()
                try site.move("config/apps/a.json", to: "config/retired/a.json")
                let report = attempt(site, descriptors)
                guard (site.answer("a.example.com") == nil) == (report != nil) else { exit(2) }
                guard try (report ?? site.round()).errors.isEmpty else { exit(3) }
                guard site.answer("a.example.com") == nil, site.answer("b.example.com") != nil else { exit(4) }
            }
        }
    }

    @Test func `a start that cannot read the last good versions fails and forgets nothing`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree()
            try site.shop("a.json", hosts: ["a.example.com"])
            try site.restart()
            let good = site.answer("a.example.com")
            try site.write("config/apps/a.json", "{")
            for descriptors in 0...1 {
                let failure = starved(descriptors) { #expect(throws: ConfigurationError.self) { try site.restart() } }
                guard failure?.description.contains("too many open files; raise LimitNOFILE=") == true else { exit(2) }
            }
            try site.restart()
            guard good != nil, site.answer("a.example.com") == good else { exit(3) }
        }
    }

    @Test func `a command reports that it could not read everything`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree()
            try site.shop("a.json", hosts: ["a.example.com"])
            try site.write("public/a.example.com/page.html", "page")
            let loader = Tenants(
                configPath: site.tree.config, publicPath: site.tree.pages, environment: nil)
            var failures = 0
            for descriptors in 0...9 {
                do {
                    let loaded = try starved(descriptors) { try loader.load() }
                    guard loaded.catalogue.answer("a.example.com", "/page.html") == "page" else { exit(2) }
                } catch {
                    guard "\(error)".contains("too many open files") else { exit(3) }
                    failures += 1
                }
            }
            guard 1...9 ~= failures else { exit(4) }
        }
    }

    @Test func `a folder that could not be opened is watched once it can be`() async {
        await #expect(processExitsWith: .success) {
            let site = try TenantTree()
            try site.shop("a.json", hosts: ["a.example.com"])
            let watch = try TreeWatch(configPath: site.tree.config, publicPath: site.tree.pages)
            watch.start()
            _ = watch.takeChanges()
            try site.write("config/apps/team/part/b.json", "{}")
            _ = starved(0) { watch.takeChanges() }
            guard watch.shortage?.isShortage == true else { exit(2) }
            watch.start()
            guard watch.shortage == nil else { exit(3) }
            _ = watch.takeChanges()
            try site.write("config/apps/team/part/b.json", "{ }")
            guard watch.takeChanges().appFiles == ["team/part/b.json"] else { exit(4) }
        }
    }
}

/// A full round with this many descriptors; nil if they were too few.
private func attempt(_ site: TenantTree, _ descriptors: Int) -> RoundReport? {
    do {
        return try starved(descriptors) { try site.round() }
    } catch {
        guard let error = error as? ConfigurationError, error.shortage?.isShortage == true else { exit(92) }
        return nil
    }
}

/// A host with everything that can be read for it, and its expected answers.
private struct StarvedTree {
    let site: TenantTree
    private static let host = "a.example.com"
    private static let paths = [
        "/.well-known/apple-app-site-association", "/page.html", "/deep/er/page.html", "/shared.html",
        "/.well-known/security.txt", "/.well-known/anything.json",
    ]

    private func write(_ version: String) throws {
        try site.write(
            "config/apps/a.json",
            """
            { name: "App", guard: "off", hosts: ["\(StarvedTree.host)"], links: [{ "/": "/\(version)/?*" }],
              ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] } }
            """)
        for name in ["a.example.com/page.html", "a.example.com/deep/er/page.html", "_default/shared.html"] {
            try site.write("public/\(name)", version)
        }
        let wellKnown = "config/hosts/a.example.com/well-known"
        try site.write(
            "\(wellKnown)/security.txt", "Contact: mailto:\(version)@example.com\nExpires: 2099-01-01T00:00:00Z\n")
        try site.write("\(wellKnown)/anything.json", "\"\(version)\"")
    }

    /// The paths whose answer is missing or different.
    private func others(_ version: String) -> [String] {
        StarvedTree.paths.filter { path in site.answer(StarvedTree.host, path)?.contains(version) != true }
    }

    static func play(_ descriptors: Int) throws {
        let play = StarvedTree(site: try TenantTree())
        func complain(_ text: String) {
            FileHandle.standardError.write(Data("with \(descriptors) descriptors \(text)\n".utf8))
        }
        try play.write("version1")
        try play.site.restart()
        if !play.others("version1").isEmpty { complain("nothing was served to begin with") }
        try play.write("version2")
        let report = attempt(play.site, descriptors)
        if report?.findings.isEmpty == false { complain("there were findings") }
        if descriptors == 0, report != nil { complain("nothing was short") }
        let version = report == nil ? "version1" : "version2"
        if case let others = play.others(version), !others.isEmpty { complain("\(others) is not of \(version)") }
        if report == nil { try play.site.round() }
        if case let old = play.others("version2"), !old.isEmpty { complain("\(old) is not new") }
        // The saved state is equal to what is served.
        try play.site.restart()
        if case let old = play.others("version2"), !old.isEmpty { complain("\(old) is not new after a restart") }
        // The same if the process exits before it has tried again.
        try play.write("version3")
        _ = attempt(play.site, descriptors)
        let next = try play.site.restart()
        if !next.findings.isEmpty { complain("the next one found \(next.findings)") }
        if case let old = play.others("version3"), !old.isEmpty { complain("\(old) is not new in the next process") }
    }
}
