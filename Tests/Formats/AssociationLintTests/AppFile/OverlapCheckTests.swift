import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct OverlapCheckTests {
    typealias Sample = AppFileSample

    @Test func `reports a URL that two apps claim`() throws {
        let apps = try [app("one.json", #"[{ "/": "/a/*" }]"#), app("two.json", #"[{ "/": "/b" }, { "/": "/a/b*" }]"#)]
        let findings = Linter.overlaps(of: apps, host: "shop.acme.test")
        #expect(findings.rules == [.app036])
        #expect(findings.first?.file == "two.json")
        #expect(findings.first?.range == apps[1].links[1].range)
        #expect(findings.first?.message.contains("https://shop.acme.test/a/b") == true)
        #expect(findings.first?.message.contains("one.json") == true)
    }

    @Test func `reports nothing if the apps claim different URLs`() throws {
        let one = try app("one.json", #"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }]"#)
        let two = try app("two.json", #"[{ "/": "/a/private/?*" }, { "/": "/b/*" }]"#)
        #expect(Linter.overlaps(of: [one, two], host: "*.acme.test").isEmpty)
        #expect(Linter.overlaps(of: [one], host: "shop.acme.test").isEmpty)
    }

    @Test func `checks the beginning of a list that is too long`() throws {
        let many = (1...250).map { #"{ "/": "/b\#($0)" }"# }
        let long = try app("one.json", "[" + (many + [#"{ "/": "/late" }"#]).joined(separator: ", ") + "]")
        let early = try app("two.json", #"[{ "/": "/b7" }]"#)
        let late = try app("two.json", #"[{ "/": "/late" }]"#)
        #expect(Linter.overlaps(of: [long, early], host: "shop.acme.test").rules == [.app036])
        // A URL of each rule is tried, even if the other list is too long for a search.
        #expect(Linter.overlaps(of: [long, late], host: "shop.acme.test").rules == [.app036])
        let other = try app("two.json", #"[{ "/": "/other" }]"#)
        #expect(Linter.overlaps(of: [long, other], host: "shop.acme.test").rules == [.app043])
    }

    @Test func `finds without a search a URL that two lists of exclusions do not exclude`() throws {
        let rule = #"{ "/": "*", "?": { a7: "?*x*", b7: "1" }, exclude: true }"#
        let links = "[" + Array(repeating: rule, count: 150).joined(separator: ", ") + #", { "/": "/x" }]"#
        let apps = try [app("one.json", links), app("two.json", links)]
        #expect(Linter.overlaps(of: apps, host: "shop.acme.test").rules == [.app036])
    }

    @Test func `reports where it stops with many apps`() throws {
        let apps = try (1...33).map { try app("app\($0).json", #"[{ "/": "/a\#($0)x" }]"#) }
        let findings = Linter.overlaps(of: apps, host: "shop.acme.test")
        #expect(findings.rules == [.app043])
        #expect(findings.first?.message.contains("too many or too long") == true)
    }

    @Test func `checks Android if there is no iOS app`() throws {
        let apps = try ["one.json", "two.json"].map { file in
            try Sample.app(
                Sample.text(
                    ios: nil,
                    android: """
                        { package: "dev.acme.\(file.prefix(3))", fingerprints: ["\(Sample.fingerprint)"], dynamicRules: true }
                        """), file: file)
        }
        let findings = Linter.overlaps(of: apps, host: "shop.acme.test")
        #expect(findings.rules == [.app036])
        #expect(findings.first?.message.hasSuffix("Android chooses one") == true)
    }

    private func app(_ file: String, _ links: String) throws -> AppFile {
        try Sample.app(
            Sample.text(ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.\#(file.prefix(3))"] }"#, android: nil, links: links),
            file: file)
    }
}
