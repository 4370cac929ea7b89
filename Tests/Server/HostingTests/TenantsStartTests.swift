// The first round of a process serves the same as any later one, whatever it finds.

import Association
import Catalogue
import Testing

@testable import Hosting

struct TenantsStartTests {
    private let site: TenantTree

    init() throws { site = try TenantTree() }

    private func verbatim(_ host: String, _ text: String = "Contact: mailto:x@example.com\n") throws {
        try site.write("config/hosts/\(host)/well-known/security.txt", text)
    }

    private func security(_ host: String) -> String? { site.answer(host, "/.well-known/security.txt") }

    @Test func `own files are served at once, of hosts that an app names and of others`() throws {
        try site.shop("a.json", hosts: ["a.example.com"])
        for host in ["a.example.com", "alone.example.com"] { try verbatim(host) }
        try site.write("public/pages.example.com/index.html", "hello")
        let start = try site.round(.allAgain)
        #expect(security("a.example.com") != nil)
        #expect(security("alone.example.com") != nil)
        #expect(start.hostCount == 2, "pages alone make no host")
        #expect(start.later.isEmpty)
    }

    @Test func `a wildcard never answers for a host with files of its own`() throws {
        try site.shop("w.json", hosts: ["*.example.com"])
        try verbatim("own.example.com")
        try site.round(.allAgain)
        #expect(security("own.example.com") != nil)
        #expect(security("any.example.com") == nil)
    }

    @Test func `hosts without an app are found at once if there are no others`() throws {
        try verbatim("alone.example.com")
        #expect(try site.round(.allAgain).hostCount == 1)
    }

    @Test func `hosts that are known from the last process, and new ones, are served at once`() throws {
        try site.shop("w.json", hosts: ["*.example.com"])
        try verbatim("own.example.com")
        try site.restart()
        try verbatim("later.example.com")
        try site.restart()
        #expect(security("own.example.com") != nil)
        #expect(security("later.example.com") != nil)
        try site.remove("config/hosts/own.example.com")
        try site.restart()
        #expect(security("own.example.com") == nil)
    }

    @Test func `all files that name the same host are merged`() throws {
        for index in 0..<40 {
            try site.shop(
                "f\(index).json", hosts: ["own\(index).example.com", "shared.example.com"],
                ids: ["8KQ2V7M4XN.dev.app\(index)"])
        }
        let report = try site.round()
        #expect(report.hostCount == 41)
        let shared = try #require(site.answer("shared.example.com"))
        #expect((0..<40).allSatisfy { shared.contains("dev.app\($0)\"") })
        #expect(site.answer("own7.example.com")?.contains("dev.app8\"") == false)
        // The same result as reading one file after the other.
        try site.remove("config/apps/f39.json")
        let other = try TenantTree()
        for index in 0..<40 {
            try other.shop(
                "f\(index).json", hosts: ["own\(index).example.com", "shared.example.com"],
                ids: ["8KQ2V7M4XN.dev.app\(index)"])
            try other.round()
        }
        #expect(other.answer("shared.example.com") == shared)
    }

    @Test func `files of different batches are merged too, also after another program version`() throws {
        // The first and the last file name the same host, and the first one's content is no longer in memory.
        let count = RoundSites.batchCount + 1
        for index in 0..<count {
            try site.shop(
                "f\(10_000 + index).json",
                hosts: ["h\(index).example.com"] + (index % RoundSites.batchCount == 0 ? ["shared.example.com"] : []),
                ids: ["8KQ2V7M4XN.dev.app\(index)"])
        }
        for program in ["program", "another"] {
            let report = try site.restart(program: program)
            #expect(report.errors.count == (program == "another" ? 1 : 0))
            #expect(report.hostCount == count + 1)
            let shared = try #require(site.answer("shared.example.com"))
            #expect(shared.contains("dev.app0\"") && shared.contains("dev.app\(count - 1)\""))
            #expect(site.answer("h7.example.com")?.contains("dev.app7\"") == true)
            try site.write("config/apps/f10000.json", "{")
        }
    }

    @Test func `a host that two files cannot share is not served from the first of them`() throws {
        // Each of them fits into a document, but not both together.
        for name in ["a", "b"] {
            let ids = (0..<1_000).map { "8KQ2V7M4XN.dev.associated.shop.of.many.apps.\(name)\($0)" }
            try site.shop("\(name).json", hosts: ["x.example.com", "\(name).example.com"], ids: ids)
        }
        let report = try site.round()
        #expect(report.errors.map(\.rule) == [.app034])
        #expect(report.hostCount == 2)
        #expect(site.answer("a.example.com") != nil)
        #expect(site.answer("b.example.com") != nil)
        #expect(site.answer("x.example.com") == nil)
    }

    @Test func `a file with more hosts than a batch has all of them`() throws {
        let hosts = (0..<100).map { "h\($0).example.com" }
        try site.shop("many.json", hosts: hosts)
        try verbatim("h50.example.com")
        #expect(try site.round(.allAgain).hostCount == 100)
        #expect(hosts.allSatisfy { site.answer($0) != nil })
        #expect(security("h50.example.com") != nil)
    }

    @Test func `another program version renders the same from the saved texts`() throws {
        try site.shop("w.json", hosts: ["*.example.com"], more: TenantsStartTests.staging)
        try site.shop("a.json", hosts: ["a.example.com", "shared.example.com"])
        try site.shop("b.json", hosts: ["b.example.com", "shared.example.com"], ids: ["8KQ2V7M4XN.dev.b"])
        try verbatim("a.example.com")
        try site.restart()
        let hosts = ["a", "b", "shared", "any"].map { "\($0).example.com" }
        let before = hosts.map { site.answer($0) }
        try site.write("config/apps/a.json", "{")
        try site.restart(program: "another")
        #expect(hosts.map { site.answer($0) } == before)
        #expect(before.allSatisfy { $0 != nil })
        #expect(security("a.example.com") != nil)
        #expect(site.answer("staging.example.com") == nil)
    }

    private static let staging =
        #"environments: { staging: { hosts: ["staging.example.com"], ios: { appIDs: ["8KQ2V7M4XN.dev.beta"] } } }"#
}
