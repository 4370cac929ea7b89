// What a change of app files means for phones, and what is said about it.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct AssociationDifferenceTests {
    private static let other =
        "{ package: \"dev.acme.shop\", fingerprints: [\"\(AppFileSample.otherFingerprint)\"], dynamicRules: true }"
    private static let dynamic = AppFileSample.android.dropLast() + ", dynamicRules: true }"
    private static let appID = "8KQ2V7M4XN.dev.acme.shop"

    private static func text(
        hosts: String = AppFileSample.hosts, ios: String? = AppFileSample.ios, android: String? = String(dynamic),
        links: String = #"{ "/": "/a/*" }, { "/": "/b" }"#, more: String = ""
    ) -> String {
        AppFileSample.text(hosts: hosts, ios: ios, android: android, links: "[\(links)]", more: more)
    }

    private static func side(_ texts: [String], names: [String] = ["shop.json", "other.json"]) throws -> PublishedHosts
    {
        PublishedHosts(appFiles: try zip(texts, names).map { try AppFileSample.app($0, file: $1) })
    }

    /// The difference as lines: `- /a ios android`, `- fingerprint … shop.acme.test`.
    private static func lines(_ difference: AssociationDifference) -> [String] {
        difference.links.map { link in
            ([link.opensNow ? "+" : "-", link.url.text] + link.systems.map(\.rawValue)).joined(separator: " ")
        }
            + difference.entries.map { entry in
                ([entry.isNew ? "+" : "-", entry.entry.kind.name, entry.entry.app, entry.entry.value] + entry.hosts)
                    .filter { !$0.isEmpty }.joined(separator: " ")
            } + difference.reorderedHosts.map { "order \($0)" } + difference.held.map { "held \($0.file)" }
    }

    private static let at = "https://shop.acme.test"

    /// The app file after a change of `text()`, and the difference.
    @Test(
        arguments: [
            (text(), []),
            // What phones do not see.
            ("// A comment\n" + text(more: "cacheControl: 60, priority: 3"), []),
            (text(links: #"{ "/": "/b" }, { "/": "/a/*", comment: "x" }"#), []),
            (text(links: #"{ "/": "/a/*" }, { "/": "/a/x" }, { "/": "/b" }"#), []),
            // Rules.
            (text(links: #"{ "/": "/a/*" }"#), ["- \(at)/b ios", "- \(at)/b android android14"]),
            (
                text(links: #"{ "/": "/a*" }, { "/": "/b" }"#),
                ["+ \(at)/aa ios", "+ \(at)/aa android android14"]
            ),
            (
                text(links: #"{ "/": "/a/x/*", exclude: true }, { "/": "/a/*" }, { "/": "/b" }"#),
                ["- \(at)/a/x ios", "- \(at)/a/x android"]
            ),
            (
                text(links: #"{ "/": "/a/*" }, { "/": "/b", caseSensitive: false }"#),
                ["+ \(at)/B ios", "+ \(at)/B android14"]
            ),
            (
                text(links: #"{ "/": "/a/*" }, { "/": "/b", "?": { q: "?*" } }"#),
                ["- \(at)/b ios", "- \(at)/b android"]
            ),
            // Without dynamic rules, the manifest decides, which covers the same URLs.
            (text(android: AppFileSample.android), []),
            // Identities.
            (
                text(android: other),
                [
                    "- fingerprint dev.acme.shop \(AppFileSample.fingerprint) shop.acme.test",
                    "+ fingerprint dev.acme.shop \(AppFileSample.otherFingerprint) shop.acme.test", "held shop.json",
                ]
            ),
            (
                text(android: nil),
                [
                    "- \(at)/b android android14", "- \(at)/a android android14", "- app dev.acme.shop shop.acme.test",
                    "held shop.json",
                ]
            ),
            (
                text(ios: "{ appIDs: [\"\(appID)\"], services: [\"applinks\"] }"),
                ["- service \(appID) webcredentials shop.acme.test"]
            ),
            (
                text(ios: "{ appIDs: [\"\(appID)\"], services: [\"webcredentials\"] }"),
                ["- \(at)/a ios", "- \(at)/b ios", "- service \(appID) applinks shop.acme.test"]
            ),
            (
                text(ios: "{ appIDs: [\"\(appID)\"], legacyPaths: true }"),
                ["+ \(at)/a ios12", "+ \(at)/b ios12"]
            ),
            (
                text(android: dynamic.dropLast() + #", relations: ["handle_all_urls", "get_login_creds"] }"#),
                ["+ relation dev.acme.shop get_login_creds shop.acme.test"]
            ),
            // Hosts.
            (
                text(hosts: #"["shop.acme.test", "new.acme.test"]"#),
                [
                    "+ https://new.acme.test/a ios", "+ https://new.acme.test/b ios",
                    "+ https://new.acme.test/b android android14", "+ https://new.acme.test/a android android14",
                    "+ host new.acme.test", "+ app \(appID) new.acme.test", "+ app dev.acme.shop new.acme.test",
                ]
            ),
            (
                text(hosts: #"["*.acme.test"]"#, more: #"retired: { hosts: ["shop.acme.test"] }"#),
                [
                    "+ https://www.acme.test/a ios", "+ https://www.acme.test/b ios",
                    "+ https://www.acme.test/b android android14", "+ https://www.acme.test/a android android14",
                    "+ host *.acme.test", "+ app \(appID) *.acme.test", "+ app dev.acme.shop *.acme.test",
                ]
            ),
        ] as [(String, [String])])
    func `shows what changes for phones`(after: String, lines: [String]) throws {
        let sides = try [Self.side([Self.text()]), Self.side([after])]
        let difference = AssociationDifference(from: sides[0], to: sides[1])
        #expect(Set(Self.lines(difference)) == Set(lines), "\(difference.text)")
        #expect(difference.isEmpty == lines.isEmpty && difference.isComplete)
        #expect(difference.hasLosses == lines.contains { $0.hasPrefix("-") || $0.hasPrefix("held") })
        // The other way round, the same URLs change back.
        let back = AssociationDifference(from: sides[1], to: sides[0])
        func isKept(_ line: String) -> Bool { !line.hasPrefix("held") }
        let mirrored = lines.filter(isKept).map { ($0.hasPrefix("+") ? "-" : "+") + $0.dropFirst() }
        #expect(Set(Self.lines(back).filter(isKept)) == Set(mirrored))
    }

    @Test func `joins the hosts that publish the same`() throws {
        let hosts = #"["shop.acme.test", "b.acme.test", "a.acme.test"]"#
        let difference = try AssociationDifference(
            from: Self.side([Self.text(hosts: hosts)]),
            to: Self.side([Self.text(hosts: hosts, links: #"{ "/": "/a/*" }"#)]))
        #expect(difference.links.map(\.url.text) == ["https://a.acme.test/b", "https://a.acme.test/b"])
        #expect(difference.links.allSatisfy { $0.hosts == ["a.acme.test", "b.acme.test", "shop.acme.test"] })
        #expect(difference.text.contains("https://a.acme.test/b: \(Self.appID) on iOS 13 and later; dev.acme.shop on"))
        #expect(difference.text.contains("and 2 other hosts"))
    }

    @Test func `shows that several apps of a host are asked in another order`() throws {
        let second = Self.text(ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.next"] }"#, android: nil)
        func side(_ priority: Int) throws -> PublishedHosts {
            try Self.side([Self.text(), second.dropLast() + "priority: \(priority) }"])
        }
        let difference = try AssociationDifference(from: side(1), to: side(-1))
        #expect(Self.lines(difference) == ["order shop.acme.test"])
        #expect(!difference.isEmpty && !difference.hasLosses)
        #expect(try AssociationDifference(from: side(1), to: side(2)).isEmpty)
    }

    @Test func `compares the documents of a live host with app files of its name or its wildcard`() throws {
        let app = try AppFileSample.app(Self.text(hosts: #"["*.acme.test"]"#, android: AppFileSample.android))
        let documents = Renderer.documents(for: [app])
        let live = PublishedHosts(
            host: "shop.acme.test", apple: documents.appleBytes, statements: documents.statementBytes)
        let files = PublishedHosts(appFiles: [app])
        #expect(live.problems.isEmpty)
        // Without a known manifest nothing is said about Android 14, and no other host counts.
        #expect(AssociationDifference(from: live, to: files).isEmpty)
        #expect(AssociationDifference(from: files, to: live).isEmpty)
        let less = PublishedHosts(host: "shop.acme.test", apple: nil, statements: documents.statementBytes)
        #expect(
            Self.lines(AssociationDifference(from: less, to: files)) == [
                "+ https://shop.acme.test/a ios", "+ https://shop.acme.test/b ios",
                "+ app \(Self.appID) shop.acme.test",
            ])
        let none = PublishedHosts(host: "shop.acme.test", apple: nil, statements: nil)
        #expect(Self.lines(AssociationDifference(from: less, to: none)).count == 2)
        // Two hosts are compared with each other.
        let same = PublishedHosts(
            host: "www.acme.test", apple: documents.appleBytes, statements: documents.statementBytes)
        #expect(AssociationDifference(from: same, to: live).isEmpty)
        let broken = PublishedHosts(host: "shop.acme.test", apple: Array("<html>".utf8), statements: nil)
        #expect(broken.problems.contains { $0.severity == .error && $0.file.hasPrefix("https://shop.acme.test/") })
    }

    @Test func `an app whose statements every consumer rejects opens no URL`() throws {
        func statements(_ fingerprint: String) -> PublishedHosts {
            let app =
                "{\"namespace\": \"android_app\", \"package_name\": \"dev.acme.shop\", \"sha256_cert_fingerprints\": [\"\(fingerprint)\"]}"
            let text = "[{\"relation\": [\"delegate_permission/common.handle_all_urls\"], \"target\": \(app)}]"
            return PublishedHosts(host: "shop.acme.test", apple: nil, statements: Array(text.utf8))
        }
        let difference = AssociationDifference(
            from: statements(AppFileSample.fingerprint), to: statements(String(AppFileSample.fingerprint.dropLast(3))))
        #expect(difference.links.map(\.opensNow) == [false] && difference.entries.count == 2)
    }

    @Test func `says that it stopped early`() throws {
        func side(_ shift: Int) throws -> PublishedHosts {
            let links = (0..<400).map { number in
                let word = String(number * 7 + shift, radix: 2).map { $0 == "0" ? "a*" : "b*" }.joined()
                return "{ \"/\": \"/*\(word)\" }"
            }
            return try Self.side([Self.text(android: nil, links: links.joined(separator: ", "))])
        }
        let clock = ContinuousClock()
        let sides = try [side(0), side(1)]
        var difference = AssociationDifference(from: sides[0], to: sides[0])
        let duration = clock.measure { difference = AssociationDifference(from: sides[0], to: sides[1]) }
        #expect(duration < .seconds(20))
        #expect(!difference.isComplete && difference.hasLosses && difference.rests.map(\.reason) == [.limit])
        #expect(
            difference.text.contains("stopped early") && difference.value.member(named: "complete")?.asBool == false)
    }

    @Test func `a search that reaches its limit shows no difference, and says so`() throws {
        func side(_ paths: String...) throws -> PublishedHosts {
            let links = paths.map { "{ \"/\": \"\($0)\" }" }.joined(separator: ", ")
            return try Self.side([Self.text(android: nil, links: links)])
        }
        var budget = DifferenceBudget()
        budget.stepsLeft = 500
        let sides = try [side("/*a??????"), side("/*a??????", "/b*a??????")]
        #expect(AssociationDifference(from: sides[0], to: sides[1]).isComplete)
        let difference = AssociationDifference(from: sides[0], to: sides[1], within: budget)
        #expect(difference.isEmpty && difference.rests.map(\.reason) == [.limit])
        #expect(difference.text.hasPrefix("Nothing changes for any phone, as far as was compared.\n\nNot compared"))
    }

    @Test func `a change behind the rules that a search takes is found by examples`() throws {
        func side(_ last: String) throws -> PublishedHosts {
            let links = (0..<300).map { "{ \"/\": \"/long/path/number/\($0)\" }" } + ["{ \"/\": \"\(last)\" }"]
            return try Self.side([Self.text(links: links.joined(separator: ", "))])
        }
        let difference = try AssociationDifference(from: side("/old/*"), to: side("/new/*"))
        for sign in ["- \(Self.at)/old", "+ \(Self.at)/new"] {
            #expect(
                Self.lines(difference).contains { $0.hasPrefix(sign) && $0.hasSuffix(" ios") }, "\(difference.text)")
            #expect(Self.lines(difference).contains { $0.hasPrefix(sign) && $0.contains(" android") })
        }
        #expect(!difference.isComplete)
    }

    @Test func `the JSON has every part`() throws {
        let value = try AssociationDifference(
            from: Self.side([Self.text()]), to: Self.side([Self.text(android: Self.other, links: #"{ "/": "/a/*" }"#)])
        ).value
        #expect(
            value.asObject?.map(\.key) == [
                "complete", "stops", "removed", "guard", "opens", "added", "reordered", "unfinished",
            ])
        let stop = value.member(named: "stops")?.asArray?.first
        #expect(stop?.asObject?.map(\.key) == ["url", "app", "systems", "hosts", "settled"])
        #expect(stop?.member(named: "url")?.asString == "\(Self.at)/b")
        let removed = value.member(named: "removed")?.asArray?.first
        #expect(removed?.member(named: "kind")?.asString == "fingerprint")
        #expect(removed?.member(named: "value")?.asString == AppFileSample.fingerprint)
        let held = value.member(named: "guard")?.asArray?.first
        #expect(held?.member(named: "held")?.asBool == true)
        #expect(held?.member(named: "fix")?.asString?.contains(AppFileSample.fingerprint) == true)
    }
}
