// Large pages, which are sent from disk, and how many are kept open.

import Association
import Catalogue
import Foundation
import Testing

@testable import Hosting

struct PagesTests {
    private let site: TenantTree
    private let large = String(repeating: "x", count: PageSet.memoryBytesMax + 1)

    init() throws {
        site = try TenantTree()
        try site.shop("a.json", hosts: ["a.example.com"])
        try site.write("public/a.example.com/large.bin", large)
        try site.write("public/a.example.com/small.txt", "small")
    }

    private func tag(_ path: String, of host: String = "a.example.com") -> String? {
        site.tenants.catalogue.tags(of: host)?.first { $0.path == path }?.entityTag
    }

    @Test(arguments: [
        (1_024, 65_536, 128), (1_024, 100, 796), (65_792, 65_536, 128), (65_793, 65_536, 129),
        (100_000, 65_536, 34_336),
        (1_024, 768, 128), (16, 65_536, 128),
    ])
    func `as many files may be open as connections leave`(descriptors: Int, connectionsMax: Int, count: Int) {
        #expect(HostFolders.openFilesMax(descriptors: descriptors, connectionsMax: connectionsMax) == count)
    }

    @Test(arguments: [".env", ".git/HEAD", "folder/.env", "folder/.git/HEAD", ".well-known/x.txt", "..data/x.txt"])
    func `serves no name that begins with a dot`(name: String) throws {
        for folder in ["a.example.com", "_default"] {
            try site.write("public/\(folder)/\(name)", "hidden")
            try site.write("public/\(folder)/folder/shown.txt", "shown")
        }
        try site.round()
        #expect(site.answer("a.example.com", "/\(name)") == nil)
        #expect(site.answer("a.example.com", "/folder/shown.txt") == "shown")
    }

    @Test func `a page never replaces an association document`() throws {
        try site.write(
            "config/apps/b.json",
            """
            { name: "B", hosts: ["b.example.com"], links: [{ "/": "/b/?*" }],
              android: { package: "dev.associated.b", fingerprints: ["\(ConfigTree.fingerprint)"] } }
            """)
        for host in ["b.example.com", "_default"] {
            try site.write("public/\(host)/apple-app-site-association", "{}")
            try site.write("public/\(host)/shown.txt", "shown")
        }
        try site.round()
        #expect(site.answer("b.example.com", "/shown.txt") == "shown")
        #expect(site.answer("b.example.com", "/.well-known/assetlinks.json") != nil)
        #expect(site.answer("b.example.com", "/apple-app-site-association") == nil)
    }

    @Test func `a large page beyond the limit of all hosts is a finding, and everything else is served`() throws {
        try #require(tag("/large.bin") == nil)
        try site.restart()
        #expect(tag("/large.bin") != nil)
        site.openFilesMax = 0
        try site.shop("b.json", hosts: ["b.example.com"])
        for name in ["large.bin", "index.html"] { try site.write("public/b.example.com/\(name)", large) }
        try site.write("public/b.example.com/small.txt", "small")
        let report = try site.restart()
        let findings = report.findings.filter { $0.file.contains("/b.example.com/") }
        #expect(findings.map { $0.message.contains("for all hosts together") } == [true, true])
        #expect(findings.allSatisfy { $0.fix?.contains("LimitNOFILE") == true })
        #expect(["/large.bin", "/index.html", "/"].allSatisfy { tag($0, of: "b.example.com") == nil })
        #expect(tag("/small.txt", of: "b.example.com") != nil)
        #expect(site.answer("b.example.com") != nil)
    }

    @Test func `a host that would lose a live large page stays unchanged`() throws {
        try site.restart()
        site.openFilesMax = 0
        try site.write("public/a.example.com/small.txt", "other")
        let (large, small) = (tag("/large.bin"), tag("/small.txt"))
        let report = try site.restart()
        #expect(report.keptHosts == 1)
        #expect(tag("/large.bin") == large && tag("/small.txt") == small && large != nil)
        // The next full reload renders it if there is room.
        site.openFilesMax = .max
        #expect(try site.restart().changedHosts == ["a.example.com"])
        #expect(site.tenants.hostsOnLastGood.isEmpty)
    }

    private var hasCommonPage: Bool { site.tenants.catalogue.sharedPages?.hosts.isEmpty == false }

    @Test func `shared pages beyond the limit are read again later`() throws {
        try site.write("public/_default/common.bin", large)
        site.openFilesMax = 0
        #expect(try site.restart().findings.contains { $0.file.hasSuffix("common.bin") })
        #expect(!hasCommonPage)
        #expect(site.tenants.memory.defaultsMark == nil)
        site.openFilesMax = .max
        #expect(try site.restart().findings.isEmpty)
        #expect(hasCommonPage)
    }
}
