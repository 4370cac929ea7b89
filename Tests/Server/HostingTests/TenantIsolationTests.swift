// A hostile tenant next to a good one: whatever its app files contain, the good one's answers stay the same bytes, and a change
// of the good one reads one file.

import Association
import Testing

@testable import Hosting

/// The contents of a hostile tenant's app files.
struct HostileTenant: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Paths below `config/apps`, and texts.
    var files: [(name: String, text: String)]

    init(_ testDescription: String, count: Int = 1, _ text: (Int) -> String) {
        self.testDescription = testDescription
        files = (0..<count).map { ("evil\($0).json", text($0)) }
    }

    private static func app(
        hosts: [String], ids: [String] = ["8KQ2V7M4XN.dev.evil"], links: [String] = ["/evil/*"], more: String = ""
    ) -> String {
        let links = links.map { "{ \"/\": \"\($0)\" }" }.joined(separator: ", ")
        return "{ name: \"Evil\", hosts: \(hosts), ios: { appIDs: \(ids) }, links: [\(links)], \(more) }"
    }

    private static func ids(_ count: Int) -> [String] { (0..<count).map { "8KQ2V7M4XN.dev.evil.app.number\($0)" } }

    /// "shared.example.com" is a live host of a third tenant.
    static let all = [
        HostileTenant("broken files", count: 100) { _ in "{ name: " },
        HostileTenant("a document too large for a live host", count: 20) { number in
            app(hosts: ["shared.example.com", "evil\(number).example.com"], ids: ids(5_000))
        },
        HostileTenant("patterns and examples that take long", count: 3) { number in
            let stars = String(repeating: "a*", count: 300)
            let url = "https://evil\(number).example.com/\(String(repeating: "a", count: 1_000))"
            let examples = (0..<100).map { "\"\(url)\($0)\": \"web\"" }.joined(separator: ", ")
            return app(
                hosts: ["shared.example.com", "evil\(number).example.com"], ids: ids(5_000),
                links: (0..<50).map { "/\(stars)\($0)b" }, more: "examples: { \(examples) }")
        },
        HostileTenant("more files of one host than it may have", count: Renderer.appsMax + 10) { number in
            app(hosts: ["shared.example.com"], ids: ["8KQ2V7M4XN.dev.evil.number\(number)"])
        },
        HostileTenant("very many hosts times app ids") { _ in
            app(hosts: (0..<1_000).map { "h\($0).evil.example.com" }, ids: ids(1_000))
        },
        HostileTenant("a wildcard over everybody") { _ in
            app(hosts: ["*.example.com", "*.com"], more: "priority: -1000")
        },
        HostileTenant("another tenant's identities as retired") { _ in
            app(
                hosts: ["evil.example.com"],
                more: "retired: { hosts: [\"good.example.com\"], appIDs: [\"8KQ2V7M4XN.dev.associated.shop\"] }")
        },
    ]
}

struct TenantIsolationTests {
    @Test(arguments: HostileTenant.all)
    func `a hostile tenant changes no answer of another tenant and does not slow its changes`(tenant: HostileTenant)
        throws
    {
        let site = try TenantTree()
        try site.shop("good.json", hosts: ["good.example.com"])
        try site.shop("shared.json", hosts: ["shared.example.com"])
        try site.round()
        let good = try #require(site.answer("good.example.com"))
        var changes = TreeChanges()
        for (name, text) in tenant.files {
            try site.write("config/apps/\(name)", text)
            changes.appFiles.insert(name)
        }
        #expect(try site.round(changes).readCount == tenant.files.count)
        #expect(site.answer("good.example.com") == good)
        // The good tenant changes its file, and changes it back.
        for (ids, count) in [(["8KQ2V7M4XN.dev.associated.shop", "8KQ2V7M4XN.dev.more"], 1), ([], 0)] {
            let ids = ids.isEmpty ? ["8KQ2V7M4XN.dev.associated.shop"] : ids
            try site.shop("good.json", hosts: ["good.example.com"], ids: ids, more: #"guard: "off""#)
            let report = try site.round(.apps("good.json"))
            #expect(report.readCount == 1)
            #expect(report.changedHosts == ["good.example.com"])
            #expect(report.errors.isEmpty)
            #expect(site.answer("good.example.com")?.contains("dev.more") == (count == 1))
        }
        #expect(site.answer("good.example.com") == good)
        #expect(site.answer("shared.example.com")?.contains("associated.shop") == true)
    }
}
