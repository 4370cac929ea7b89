// One tree, several servers: each serves the hosts of its environment only.

import Catalogue
import Testing

@testable import Hosting

struct TenantsEnvironmentTests {
    private static let staging =
        #"environments: { staging: { hosts: ["staging.example.com"], ios: { appIDs: ["8KQ2V7M4XN.dev.beta"] } } }"#

    private func site(_ environment: String?) throws -> TenantTree {
        let site = try TenantTree(environment: environment)
        try site.shop("a.json", hosts: ["www.example.com"], more: Self.staging)
        try site.shop("plain.json", hosts: ["plain.example.com"])
        for host in ["www", "staging"] {
            try site.write(
                "config/hosts/\(host).example.com/well-known/security.txt", "Contact: mailto:x@example.com\n")
        }
        return site
    }

    @Test(arguments: [
        (nil, ["plain.example.com", "www.example.com"], "staging.example.com"),
        ("staging", ["plain.example.com", "staging.example.com"], "www.example.com"),
    ])
    func `hosts of another environment are not served, even with files of their own`(
        environment: String?, hosts: [String], other: String
    ) throws {
        let site = try site(environment)
        let report = try site.round()
        #expect(report.catalogue.layers.last?.hosts.sorted() == hosts)
        #expect(site.answer(other, "/.well-known/security.txt") == nil)
        #expect(report.errors.isEmpty)
        // A host that the file names in no environment any more is an ordinary host.
        try site.shop("a.json", hosts: [hosts[1]], more: #"guard: "off""#)
        #expect(try site.round().changedHosts.contains(other))
        #expect(site.answer(other, "/.well-known/security.txt") != nil)
    }

    @Test func `environments share rules, not ids`() throws {
        let site = try site("staging")
        try site.round()
        #expect(site.answer("staging.example.com")?.contains("dev.beta") == true)
        #expect(site.answer("staging.example.com")?.contains("dev.associated.shop") == false)
        #expect(site.answer("staging.example.com")?.contains("/ajson/") == true)
    }

    @Test func `a wildcard does not cover hosts of another environment`() throws {
        let site = try TenantTree()
        try site.shop("w.json", hosts: ["*.example.com"], more: Self.staging)
        try site.round()
        #expect(site.answer("any.example.com") != nil)
        #expect(site.answer("staging.example.com") == nil)
        // A server for the other environment serves only that host.
        let other = Tenants(configPath: site.tree.config, publicPath: "/nowhere", environment: "staging")
        let report = try other.round(.all)
        #expect(report.catalogue.answer("staging.example.com", "/apple-app-site-association") != nil)
        #expect(report.catalogue.answer("any.example.com", "/apple-app-site-association") == nil)
    }

    @Test func `choosing another environment removes nothing`() throws {
        let site = try site(nil)
        try site.restart()
        let report = try site.restart(environment: "staging")
        #expect(report.errors.isEmpty)
        #expect(report.keptHosts == 0)
        #expect(site.answer("www.example.com") == nil)
    }
}
