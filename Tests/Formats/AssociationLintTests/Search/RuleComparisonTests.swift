import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct RuleComparisonTests {
    private func apple(_ components: AppleComponent...) -> RuleList { .apple(AppleMatcher(components: components)) }
    private func paths(_ paths: String...) -> RuleList { .apple(AppleMatcher(paths: paths)) }
    private func android(_ rules: AndroidRule...) -> RuleList { .android(AndroidMatcher(rules: rules)) }

    private func texts(_ first: RuleList, _ second: RuleList) -> [String] {
        let comparison = RuleComparison.differences(between: first, and: second, host: "h.example")
        return comparison.witnesses.map { String($0.url.text.dropFirst("https://h.example".count)) }
    }

    @Test func `finds the URLs on which the platforms differ`() {
        #expect(texts(apple(.init(path: "/buy/*")), android(.init(path: "/buy/*"))) == ["/buy"])
        #expect(texts(apple(.init(path: "/about")), android(.init(path: "/about"))) == ["/about/"])
        #expect(texts(apple(.init(path: "/a/*/c")), android(.init(path: "/a/*/c"))) == ["/a/a/c/"])
        #expect(texts(apple(.init(path: "*abc/")), android(.init(path: "*abc/"))) == ["/abc"])
    }

    @Test(arguments: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B", "C", "D", "E", "F"])
    func `finds a rule that matches the digits of escapes`(digit: String) throws {
        let found = RuleComparison.differences(
            between: apple(.init(path: "/x/*\(digit)*")), and: android(.init(path: "/x/*\(digit)*")), host: "h.example")
        // The digit is in the URL and not in what Android decodes.
        let url = try #require(found.witnesses.first?.url)
        #expect(url.path.utf8.contains(UInt8(ascii: "%")) && found.witnesses.first?.first.opens == true)
    }

    @Test func `finds a witness in each direction`() throws {
        let comparison = RuleComparison.differences(
            between: apple(.init(path: "/a")), and: android(.init(path: "/b")), host: "h.example")
        #expect(comparison.witnesses.map(\.url.text) == ["https://h.example/a", "https://h.example/b"])
        #expect(comparison.witnesses.map(\.first) == [.init(opens: true, rule: 0), .init(opens: false, rule: nil)])
        #expect(comparison.witnesses.map(\.second) == [.init(opens: false, rule: nil), .init(opens: true, rule: 0)])
    }

    @Test func `proves that lists of paths are the same`() {
        func same(_ first: RuleList, _ second: RuleList) -> Bool {
            RuleComparison.differences(between: first, and: second, host: "h.example") == .none
        }
        #expect(same(apple(.init(path: "/buy/*")), android(.init(path: "/buy/*"), .init(path: "/buy"))))
        #expect(same(apple(.init(path: "/a")), android(.init(path: "/a"), .init(path: "/a/"))))
        #expect(same(apple(.init(path: "/a/?*")), android(.init(path: "/a/?*"))))
        #expect(same(apple(.init(path: "*")), android(.init(path: "*"))))
        #expect(
            same(apple(.init(path: "/a/x/*", exclude: true), .init(path: "/a/*")), paths("NOT /a/x/*", "/a", "/a/*")))
        #expect(same(apple(.init(path: "/a/*", exclude: true), .init(path: "/b")), paths("/b")))
        #expect(
            same(apple(.init(path: "/a b", percentEncoded: false)), android(.init(path: "/a b"), .init(path: "/a b/"))))
        #expect(same(apple(.init(path: "/a%20b")), android(.init(path: "/a b"), .init(path: "/a b/"))))
    }

    @Test func `compares case and escapes as each list reads them`() {
        #expect(texts(apple(.init(path: "/a", caseSensitive: false)), paths("/a")) == ["/A"])
        #expect(
            texts(apple(.init(path: "/???")), android(.init(path: "/???"), .init(path: "/???/"))) == ["/%20", "/aa/"])
        #expect(texts(apple(.init(path: "/é")), android(.init(path: "/é"))) == ["/%C3%A9"])
    }

    @Test func `compares queries and fragments`() {
        func item(_ pattern: String) -> [QueryItemPattern] { [.init(name: "q", pattern: pattern)] }
        #expect(
            texts(apple(.init(path: "*", query: .items(item("*")))), android(.init(path: "*", query: item("*")))) == [
                "/"
            ])
        #expect(
            texts(apple(.init(path: "*", query: .items(item("1")))), android(.init(path: "*", query: item("1"))))
                == ["/?q=&q=1"])
        #expect(texts(apple(.init(path: "*", fragment: "*")), android(.init(path: "*", fragment: "*"))) == ["/"])
        #expect(
            texts(apple(.init(path: "*", query: .whole("a=?*"))), apple(.init(path: "*", query: .whole("?*")))) == [
                "/?a"
            ])
        let same = apple(.init(path: "/x", query: .items(item("?*"))))
        #expect(RuleComparison.differences(between: same, and: same, host: "h.example") == .noneFound)
    }

    @Test func `finds a URL that two apps claim, or proves there is none`() {
        func overlap(_ first: RuleList, _ second: RuleList) -> RuleComparison {
            RuleComparison.overlap(of: first, and: second, host: "h.example")
        }
        func text(_ comparison: RuleComparison) -> String? { comparison.witnesses.first?.url.text }
        #expect(text(overlap(apple(.init(path: "/a*")), apple(.init(path: "*b")))) == "https://h.example/ab")
        #expect(overlap(apple(.init(path: "/a/*")), apple(.init(path: "/b/*"))) == .none)
        #expect(
            overlap(apple(.init(path: "/a/*", exclude: true), .init(path: "*")), apple(.init(path: "/a/*"))) == .none)
        #expect(
            overlap(
                apple(.init(path: "*", query: .items([.init(name: "q", pattern: "1")]))),
                apple(.init(path: "*", query: .items([.init(name: "q", pattern: "2")])))) == .none)
        #expect(
            text(
                overlap(
                    apple(.init(path: "*", query: .items([.init(name: "q", pattern: "1")]))),
                    apple(.init(path: "*", query: .items([.init(name: "r", pattern: "2?")])))))
                == "https://h.example/?q=1&r=2a")
        #expect(text(overlap(android(.init(path: "/a*")), android(.init(path: "/ab")))) == "https://h.example/ab")
        #expect(overlap(android(), android(.init(path: "/ab"))) == .unknown)
    }

    @Test func `gives no result past its limits`() {
        var limits = AutomatonLimits()
        limits.stepsMax = 50
        let first = apple(.init(path: "/abcdef/*"))
        let second = paths("/abcdef/*", "/abcdefg")
        #expect(RuleComparison.differences(between: first, and: second, host: "h", limits: limits) == .unknown)
    }

    @Test func `agrees with trying every short ordinary path`() throws {
        var generator = SplitMix(seed: 31)
        let urls = everyText(over: ["a", "b", "/", "%20"], upTo: 5).filter { !("/" + $0).contains("//") }
            .compactMap { LinkURL("https://h/" + $0) }
        for _ in 0..<150 {
            let pieces = ["a", "b", "*", "?", "/"]
            let first = apple(
                .init(path: "/" + generator.text(of: pieces, upTo: 3), exclude: true),
                .init(path: "/" + generator.text(of: pieces, upTo: 3)))
            let second = android(
                .init(path: "/" + generator.text(of: pieces, upTo: 3)),
                .init(path: "/" + generator.text(of: pieces, upTo: 3)))
            let comparison = RuleComparison.differences(between: first, and: second, host: "h")
            for witness in comparison.witnesses { #expect(witness.first.opens != witness.second.opens) }
            if comparison == .none { #expect(urls.allSatisfy { first.decide($0)?.opens == second.decide($0)?.opens }) }
            if comparison.witnesses.isEmpty {
                let settled = urls.filter { first.unsettled($0).isEmpty && second.unsettled($0).isEmpty }
                #expect(settled.allSatisfy { first.decide($0)?.opens == second.decide($0)?.opens })
            }
        }
    }

    @Test func `reports no false overlap and no false disjointness`() {
        var generator = SplitMix(seed: 32)
        let urls = ["/", "/a", "/ab", "/ba/", "/A"].flatMap { path in
            ["", "?q=a", "?q=b", "?q=a&q=b"].flatMap { query in
                ["", "#a", "#b"].compactMap { LinkURL("https://h" + path + query + $0) }
            }
        }
        func pattern() -> String { generator.text(of: ["a", "b", "*", "?"], upTo: 2) }
        func list() -> RuleList {
            let components = (0..<2).map { _ in
                AppleComponent(
                    path: "/" + pattern(), query: .items([QueryItemPattern(name: "q", pattern: pattern())]),
                    fragment: pattern(), exclude: Int.random(in: 0..<4, using: &generator) == 0,
                    caseSensitive: Bool.random(using: &generator))
            }
            return .apple(AppleMatcher(components: components))
        }
        var answers: Set<Bool> = []
        for _ in 0..<120 {
            let (first, second) = (list(), list())
            let comparison = RuleComparison.overlap(of: first, and: second, host: "h")
            for witness in comparison.witnesses {
                answers.insert(true)
                #expect(first.decide(witness.url)?.opens == true && second.decide(witness.url)?.opens == true)
            }
            if comparison == .none {
                answers.insert(false)
                #expect(!urls.contains { first.decide($0)?.opens == true && second.decide($0)?.opens == true })
            }
        }
        #expect(answers == [true, false])
    }
}
