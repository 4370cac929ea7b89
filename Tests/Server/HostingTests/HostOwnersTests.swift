// Whose hosts are whose: what `owners` of server.json lets the app files of a folder name, and that nothing else is ever served.

import Association
import Settings
import Testing

@testable import Hosting

struct HostOwnersTests {
    private static let owners = #"{ a: ["a.example", "*.a.example", "Bücher.example"], b: ["b.example"], c: [] }"#

    private func owners(_ text: String = owners) throws -> HostOwners {
        let tree = try ConfigTree()
        try tree.write("config/server.json", "{ owners: \(text) }")
        let reader = SettingsReader(file: "\(tree.config)/server.json")
        #expect(reader.findings.isEmpty, "\(reader.findings)")
        return reader.settings.owners
    }

    @Test(
        arguments: [
            ("a/x.json", "a.example", true), ("a/deep/er/x.json", "w.a.example", true),
            ("a/x.json", "*.a.example", true),
            ("a/x.json", "*.w.a.example", true), ("a/x.json", "xn--bcher-kva.example", true),
            ("a/x.json", "b.example", false), ("a/x.json", "w.b.example", false), ("a/x.json", "*.example", false),
            ("a/x.json", "other.example", false), ("b/x.json", "b.example", true), ("b/x.json", "*.b.example", false),
            ("c/x.json", "other.example", false),
            // A folder without an entry has what has no owner, and no wildcard over it.
            ("d/x.json", "other.example", true), ("d/x.json", "*.other.example", true),
            ("d/x.json", "a.example", false),
            ("d/x.json", "v.w.a.example", false), ("d/x.json", "*.w.a.example", false),
            ("d/x.json", "*.example", false),
            ("d/x.json", "w.b.example", true), ("d/x.json", "*.b.example", true), ("d/a/x.json", "a.example", false),
            // What is in no folder is the operator's.
            ("x.json", "a.example", true), ("x.json", "*.example", true),
        ])
    func `a folder may name its own hosts, other folders those without an owner`(
        path: String, host: String, isAllowed: Bool
    ) throws {
        #expect(try owners().allows(host, at: path) == isAllowed)
        #expect(HostOwners().allows(host, at: path))
    }

    @Test(arguments: [
        ("a/x.json", "a.example", true), ("d/x.json", "other.example", false), ("d/x.json", "s.example", true),
        ("a/x.json", "s.example", false), ("x.json", "other.example", true),
    ])
    func `the entry * is that of all folders without one`(path: String, host: String, isAllowed: Bool) throws {
        #expect(try owners(#"{ a: ["a.example"], "*": ["s.example"] }"#).allows(host, at: path) == isAllowed)
        let denied = try owners(#"{ a: ["a.example"], "*": [] }"#).allows(host, at: path)
        #expect(denied == (isAllowed && host != "s.example"))
        #expect(try !owners(#"{ a: ["a.example"], "*": ["s.example"] }"#).isOwned("s.example", byOtherThan: "a"))
        #expect(try owners(#"{ "*": [] }"#).allows(host, at: path) == !path.contains("/"))
    }

    /// A host that another tenant owns must not be given away.
    @Test(arguments: [
        ("b", "a.example", true), ("b", "w.a.example", true), ("b", "*.example", true), ("b", "new.example", false),
        ("d", "a.example", true), ("d", "b.example", true),
    ])
    func `nobody is advised to ask for a host of another folder`(folder: String, host: String, isOwned: Bool) throws {
        for all in ["", #", "*": []"#] {
            let owners = try owners(Self.owners.replacing(" }", with: "\(all) }"))
            let text = #"{ name: "A", hosts: ["\#(host)"], ios: { appIDs: ["8KQ2V7M4XN.dev.a"] } }"#
            let reading = AppFile.read(Array(text.utf8), file: "x.json")
            let findings = owners.findings(about: reading, file: "x.json", at: "\(folder)/x.json")
            let advice = "remove the host, or ask the operator to add it to `owners.\(folder)`, which SIGHUP applies"
            #expect(findings.map(\.fix) == [isOwned ? "remove the host" : advice])
            #expect(findings.first?.message.contains("to another folder") == isOwned)
        }
    }

    @Test(
        arguments: [
            (#"{ a: ["a.example"], b: ["b.example", "a.example"] }"#, "a.example belongs to the folders `b` and `a`"),
            (#"{ a: ["*.a.example"], b: ["w.a.example"] }"#, "w.a.example belongs to the folders `b` and `a`"),
            (#"{ b: ["w.a.example"], a: ["*.a.example"] }"#, "w.a.example belongs to the folders `b` and `a`"),
            (#"{ a: ["*.a.example", "w.a.example"], b: ["a.example"], "*": ["w.a.example"] }"#, nil),
        ] as [(String, String?)])
    func `a host of two folders is a warning`(text: String, message: String?) throws {
        let tree = try ConfigTree()
        try tree.write("config/server.json", "{ owners: \(text) }")
        let reader = SettingsReader(file: "\(tree.config)/server.json")
        #expect(reader.findings.map(\.rule) == (message == nil ? [] : [.cfg014]), "\(reader.findings)")
        #expect(reader.findings.allSatisfy { $0.severity == .warning && $0.message.hasPrefix(message ?? "") })
        #expect(reader.lostSafeguards.isEmpty)
    }

    @Test func `a change of owners takes effect with the next round`() throws {
        let site = try TenantTree()
        site.owners = try owners(#"{ a: ["a.example"], "*": [] }"#)
        try site.shop("a/a.json", hosts: ["a.example"])
        try site.shop("b/b.json", hosts: ["b.example"])
        let report = try site.restart()
        #expect(report.errors.map(\.rule) == [.app046])
        #expect(site.answer("a.example") != nil && site.answer("b.example") == nil)
        site.tenants.use(try owners(#"{ b: ["b.example"], "*": [] }"#))
        #expect(try site.round(.allAgain).errors.map(\.rule) == [.app046])
        #expect(site.answer("a.example") == nil && site.answer("b.example") != nil)
        // The state is saved with it.
        site.owners = try owners(#"{ b: ["b.example"], "*": [] }"#)
        try site.restart()
        #expect(site.answer("a.example") == nil && site.answer("b.example") != nil)
        site.tenants.use(HostOwners())
        #expect(try site.round(.allAgain).errors.isEmpty)
        #expect(site.answer("a.example") != nil && site.answer("b.example") != nil)
    }

    @Test(arguments: [
        "[]", "{ a: 'a.example' }", "{ a: ['http://a.example'] }", "{ a: [7] }", "{ 'a/b': [] }", "{ '': [] }",
        "{ a: { hosts: [] } }",
    ])
    func `unusable owners keep the server from starting`(text: String) throws {
        let tree = try ConfigTree()
        try tree.write("config/server.json", "{ owners: \(text) }")
        let reader = SettingsReader(file: "\(tree.config)/server.json")
        #expect(reader.findings.map(\.rule) == [.cfg003])
        #expect(reader.lostSafeguards == ["owners"])
    }

    @Test(arguments: ["", #"environments: { other: { hosts: ["a.example"] } },"#])
    func `a file that names a host of another folder is not published`(environments: String) throws {
        let site = try TenantTree()
        site.owners = try owners()
        try site.shop("a/a.json", hosts: ["a.example"])
        try site.shop("b/b.json", hosts: ["b.example"])
        try site.restart()
        let bodies = ["a.example", "b.example"].map { site.answer($0) }
        try site.shop(
            "b/b.json", hosts: environments.isEmpty ? ["b.example", "a.example"] : ["b.example"],
            ids: ["8KQ2V7M4XN.dev.other"], more: environments)
        for report in [try site.round(), try site.restart()] {
            #expect(report.errors.map(\.rule) == [.app046])
            #expect(report.errors.first?.message.hasPrefix("this file may not name a.example") == true)
            #expect(["a.example", "b.example"].map { site.answer($0) } == bodies)
        }
        try site.shop("evil.json", hosts: ["a.example"], ids: ["8KQ2V7M4XN.dev.operator"])
        #expect(try site.round().changedHosts == ["a.example"], "what is in no folder is the operator's")
    }

    /// What was live before the operator said whose hosts are whose. With another program, the sites are rendered again.
    @Test(arguments: ["program", "another"])
    func `a remembered version that owners do not allow is forgotten`(program: String) throws {
        let site = try TenantTree()
        try site.shop("a/a.json", hosts: ["a.example"])
        try site.shop("b/b.json", hosts: ["b.example", "a.example", "w.a.example"], ids: ["8KQ2V7M4XN.dev.evil"])
        try site.restart()
        #expect(site.answer("a.example")?.contains("dev.evil") == true)
        site.owners = try owners()
        for _ in 0..<2 {
            let report = try site.restart(program: program)
            #expect(Set(report.errors.map(\.rule)) == [.app046])
            #expect(site.answer("a.example")?.contains("dev.evil") == false)
            #expect(site.answer("a.example")?.contains("dev.associated.shop") == true)
            #expect(site.answer("w.a.example") == nil && site.answer("b.example") == nil)
        }
        // Without the rule the file is good again.
        site.owners = HostOwners()
        try site.restart(program: program)
        #expect(site.answer("w.a.example")?.contains("dev.evil") == true)
    }

    @Test(arguments: [("b/b.json", false), ("a/other.json", true), ("operator.json", true)])
    func `a file in config/retired permits removals only from the hosts of its folder`(
        path: String, permits: Bool
    ) throws {
        let site = try TenantTree()
        site.owners = try owners()
        try site.shop("a/a.json", hosts: ["a.example"], ids: ["8KQ2V7M4XN.dev.one", "8KQ2V7M4XN.dev.two"])
        try site.restart()
        try site.write(
            "config/retired/\(path)", "{ name: 'R', hosts: ['a.example'], ios: { appIDs: ['8KQ2V7M4XN.dev.two'] } }")
        try site.shop("a/a.json", hosts: ["a.example"], ids: ["8KQ2V7M4XN.dev.one"])
        #expect(try site.round().errors.map(\.rule) == (permits ? [] : [.app042]))
        #expect(site.answer("a.example")?.contains("dev.two") == !permits)
    }
}
