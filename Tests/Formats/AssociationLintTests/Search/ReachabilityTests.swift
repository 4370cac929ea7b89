import AssociationSamples
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

private func item(_ name: String, _ pattern: String) -> AppleQuery {
    .items([QueryItemPattern(name: name, pattern: pattern)])
}

struct ReachabilityTests {
    private func useless(_ components: [AppleComponent], _ variables: [SubstitutionVariable] = []) -> [UselessRule] {
        Reachability.uselessRules(of: AppleMatcher(components: components, variables: variables))
    }

    private func covered(_ rule: Int, by rules: Int...) -> UselessRule {
        UselessRule(rule: rule, reason: .covered(by: rules))
    }

    @Test func `finds rules that an earlier one covers`() {
        #expect(useless([.init(path: "/a/*"), .init(path: "/a/b/*", exclude: true)]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a/b/*"), .init(path: "/a/*")]) == [])
        #expect(useless([.init(path: "/a"), .init(path: "a/")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "*"), .init(path: "/x"), .init()]) == [covered(1, by: 0), covered(2, by: 0)])
        #expect(useless([.init(path: "/?*"), .init(path: "/a*b*c")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/*a*"), .init(path: "/b*a")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a/?"), .init(path: "/a/$(digit)")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a/$(digit)"), .init(path: "/a/?")]) == [])
        #expect(useless([.init(path: "/a", caseSensitive: false), .init(path: "/A")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/A"), .init(path: "/a", caseSensitive: false)]) == [])
    }

    @Test func `finds rules that several earlier ones cover together`() {
        let values = [SubstitutionVariable(name: "v", values: ["x", "y"])]
        let rules: [AppleComponent] = [.init(path: "/x/*"), .init(path: "/q"), .init(path: "/y/*")]
        #expect(useless(rules + [.init(path: "/$(v)/*")], values) == [covered(3, by: 0, 2)])
        #expect(useless(rules + [.init(path: "/$(v)*")], values) == [])
        #expect(useless([.init(path: "/?"), .init(path: "/??*"), .init(path: "/?*")]) == [])
        #expect(useless([.init(path: "/"), .init(path: "/?*"), .init(path: "*")]) == [covered(2, by: 0, 1)])
    }

    @Test func `handles many words in any order`() {
        let words = ["pineapple", "orange", "melon", "mango", "papaya", "cherry", "quince", "grape"]
        let rules = words.map { AppleComponent(path: "*\($0)*", exclude: true) }
        let all = AppleComponent(path: "*")
        #expect(useless(rules + [.init(path: "*waterme*melons*", exclude: true), all]) == [covered(8, by: 2)])
        #expect(useless(rules + [.init(path: "*waterme*lons*", exclude: true), all]) == [])
    }

    @Test func `takes queries and fragments into account`() {
        #expect(useless([.init(path: "/a", query: item("p", "1")), .init(path: "/a")]) == [])
        #expect(useless([.init(path: "/a"), .init(path: "/a", query: item("p", "1"))]) == [covered(1, by: 0)])
        #expect(
            useless([.init(path: "/a", query: item("p", "?*")), .init(path: "/a", query: item("p", "1"))])
                == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a", query: item("p", "*")), .init(path: "/a")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a", query: item("p", "1")), .init(path: "/a", query: item("q", "1"))]) == [])
        #expect(useless([.init(query: .whole("a=*")), .init(query: .whole("a=1"))]) == [covered(1, by: 0)])
        #expect(useless([.init(fragment: "a*"), .init(path: "/x", fragment: "ab")]) == [covered(1, by: 0)])
        #expect(useless([.init(fragment: "a*"), .init(path: "/x")]) == [])
    }

    @Test func `knows every character that folds to a letter`() {
        func decoded(_ path: String, folds: Bool = false) -> AppleComponent {
            AppleComponent(path: path, caseSensitive: !folds, percentEncoded: false)
        }
        // The Kelvin sign folds to `k` too; nothing but `É` folds to `é`.
        #expect(useless([decoded("/k"), decoded("/K"), decoded("/k", folds: true)]) == [])
        let kelvin = [decoded("/k"), decoded("/K"), decoded("/\u{212A}"), decoded("/k", folds: true)]
        #expect(useless(kelvin) == [covered(3, by: 0, 1, 2)])
        #expect(useless([decoded("/é"), decoded("/É"), decoded("/É", folds: true)]) == [covered(2, by: 0, 1)])
    }

    @Test func `finds rules that match nothing`() {
        func reason(_ component: AppleComponent) -> UselessRule.Reason? { useless([component]).first?.reason }
        #expect(reason(.init(path: "/$(nothing)")) == .matchesNothing(.path))
        #expect(reason(.init(path: "/a b")) == .matchesNothing(.path))
        #expect(reason(.init(path: "/a b", percentEncoded: false)) == nil)
        #expect(reason(.init(path: "/a#b")) == .matchesNothing(.path))
        #expect(reason(.init(path: "a")) == .matchesNothing(.path))
        #expect(reason(.init(query: .whole("a#b"))) == .matchesNothing(.query))
        #expect(reason(.init(query: item("a", "x&y"))) == .matchesNothing(.queryItem("a")))
        #expect(reason(.init(query: item("a&b", "?*"))) == .matchesNothing(.queryItem("a&b")))
        #expect(reason(.init(query: item("a&b", "*"))) == nil)
        #expect(reason(.init(fragment: "é")) == .matchesNothing(.fragment))
    }

    @Test func `finds exclusions without effect`() {
        let nothing = UselessRule.Reason.excludesNothing
        #expect(useless([.init(path: "/a"), .init(path: "*", exclude: true)]).map(\.reason) == [nothing])
        #expect(useless([.init(path: "/b/*", exclude: true), .init(path: "/a/*")]).map(\.reason) == [nothing])
        #expect(useless([.init(path: "/a/b", exclude: true), .init(path: "/a/*")]) == [])
        #expect(useless([.init(fragment: "web", exclude: true), .init(path: "/a")]) == [])
        #expect(
            useless([.init(fragment: "web", exclude: true), .init(path: "/a", fragment: "app")]).map(\.reason)
                == [nothing])
    }

    @Test func `reports no rule whose behaviour is not known`() {
        #expect(useless([.init(path: "/a*"), .init(path: "/a\\b")]) == [])
        #expect(useless([.init(path: "/a?*"), .init(path: "/a")]) == [])
        let paths = AppleMatcher(paths: ["/secret/*", "NOT/secret/*", "/secret/x"])
        #expect(Reachability.uselessRules(of: paths).map(\.rule) == [2])
    }

    @Test func `reports what holds whether or not a wildcard may match the added slash`() {
        let excluded = { (path: String) in AppleComponent(path: path, exclude: true) }
        #expect(useless([.init(path: "*"), excluded("/b?*")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/buy*"), excluded("/buy?*")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/?*?*"), excluded("/*a/?*b")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a?*"), .init(path: "/ab")]) == [covered(1, by: 0)])
        let both = [AppleComponent(path: "/a?*"), .init(path: "/b?*"), .init(path: "/ac"), .init(path: "/?c?")]
        #expect(useless(both) == [covered(2, by: 0)])
        #expect(useless([.init(path: "/a"), .init(path: "/a?*"), .init(path: "/a*")]) == [])
        // It is not known whether the first rule matches `/buy`.
        #expect(useless([.init(path: "/buy?*"), .init(path: "/buy*")]) == [])
        #expect(useless([excluded("/b?*"), .init(path: "/a*")]).map(\.reason) == [.excludesNothing])
        #expect(useless([excluded("/b?*"), .init(path: "/b")]) == [])
    }

    @Test func `finds useless rules of Android lists`() {
        func useless(_ rules: [AndroidRule]) -> [UselessRule] {
            Reachability.uselessRules(of: AndroidMatcher(rules: rules))
        }
        #expect(useless([.init(path: "/a/*"), .init(path: "/a/b")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a/*"), .init(path: "/a")]) == [])
        #expect(useless([.init(path: "/a*c"), .init(path: "/abc")]) == [covered(1, by: 0)])
        #expect(useless([.init(path: "/a*c"), .init(path: "/acc")]) == [])
        #expect(useless([.init(), .init(path: "*")]).map(\.reason) == [.matchesNothing(.rule)])
        #expect(useless([.init(path: "shop")]).map(\.reason) == [.matchesNothing(.path)])
        #expect(
            useless([.init(query: [.init(name: "a", pattern: "b&c")])]).map(\.reason)
                == [.matchesNothing(.queryItem("a"))])
        let one = AndroidRule(path: "/x", query: [.init(name: "a", pattern: "*")])
        let two = AndroidRule(path: "/x", query: [.init(name: "b", pattern: "*"), .init(name: "a", pattern: "1")])
        #expect(useless([one, two]) == [covered(1, by: 0)])
        #expect(useless([two, one]) == [])
        #expect(useless([.init(fragment: "*"), .init(fragment: "a")]) == [covered(1, by: 0)])
        #expect(useless([.init(fragment: "*"), .init(path: "/a")]) == [])
        #expect(useless([.init(path: ""), .init(path: "")]) == [])
    }

    /// Checks a reported rule by removing it, and any other rule by finding a URL that it decides.
    @Test func `agrees with trying every short path`() throws {
        var generator = SplitMix(seed: 21)
        let urls = everyText(over: ["a", "b", "c", "/"], upTo: 4).compactMap { LinkURL("https://h/" + $0) }
        for _ in 0..<100 {
            let components = (0..<3).map { _ in
                AppleComponent(
                    path: "/" + generator.text(of: ["a", "b", "*", "?", "/"], upTo: 3),
                    exclude: Bool.random(using: &generator))
            }
            let matcher = AppleMatcher(components: components)
            let useless = Dictionary(
                uniqueKeysWithValues: Reachability.uselessRules(of: matcher).map { ($0.rule, $0.reason) })
            // A result must hold in both readings of a wildcard before the added slash.
            let decisions = urls.map { matcher.decide($0).rule } + urls.map { Self.otherDecision(of: matcher, $0) }
            let deciding = Set(decisions.compactMap { $0 })
            for rule in components.indices {
                switch useless[rule] {
                case .covered, .matchesNothing: #expect(!deciding.contains(rule), "\(components.map(\.path)) \(rule)")
                case .excludesNothing:
                    var fewer = components
                    fewer.remove(at: rule)
                    let without = AppleMatcher(components: fewer)
                    #expect(urls.allSatisfy { matcher.decide($0).opens == without.decide($0).opens })
                case nil:
                    let isCertain = AppleRelations(matcher, AutomatonLimits()).isCertain
                    let isSettled = (0...rule).allSatisfy(isCertain)
                    #expect(deciding.contains(rule) || !isSettled, "\(components.map(\.path)) \(rule)")
                }
            }
        }
    }

    /// The deciding rule if no wildcard matches the added slash.
    private static func otherDecision(of matcher: AppleMatcher, _ url: LinkURL) -> Int? {
        matcher.rules.firstIndex { rule in
            guard rule.mayConsumeAddedSlash, let path = rule.component.path else {
                let single = AppleMatcher(components: [rule.component], defaults: [], table: matcher.table)
                return single.decide(url) != .none
            }
            let pattern = GlobPattern(AppleSlashes.dropped(ParsedPattern(path)), folds: false, table: matcher.table)
            return pattern.matches(AppleSlashes.dropped(url.pathBytes))
        }
    }

    /// Removing a useless rule never changes which URLs open, for rules with any parts and options.
    @Test func `reports no needed rule with queries, fragments, case and escapes`() {
        var generator = SplitMix(seed: 22)
        let urls = ["", "/", "/a", "/A", "/ab/", "/a%62", "/a%20"].flatMap { path in
            ["", "?", "?q", "?q=a", "?q=A", "?q=b&q=a", "?r=a", "?q=%61&r=b"].flatMap { query in
                ["", "#", "#a", "#A", "#%61"].compactMap { LinkURL("https://h" + path + query + $0) }
            }
        }
        func pattern() -> String { generator.text(of: ["a", "b", "*", "?", "A", "%61"], upTo: 2) }
        func maybe(_ value: String) -> String? { Int.random(in: 0..<3, using: &generator) > 0 ? value : nil }
        var claims = 0
        for _ in 0..<60 {
            let apple = (0..<4).map { _ in
                AppleComponent(
                    path: maybe("/" + pattern()),
                    query: maybe(pattern()).map { .items([QueryItemPattern(name: "q", pattern: $0)]) },
                    fragment: maybe(pattern()), exclude: Bool.random(using: &generator),
                    caseSensitive: Bool.random(using: &generator), percentEncoded: Bool.random(using: &generator))
            }
            let android = apple.map { component in
                AndroidRule(
                    path: component.path, query: maybe("a*").map { [QueryItemPattern(name: "q", pattern: $0)] },
                    fragment: component.fragment?.isEmpty == true ? nil : component.fragment,
                    exclude: component.exclude ?? false)
            }
            let appleList = AppleMatcher(components: apple)
            for useless in Reachability.uselessRules(of: appleList) {
                var fewer = apple
                fewer.remove(at: useless.rule)
                let without = AppleMatcher(components: fewer)
                claims += 1
                #expect(
                    urls.allSatisfy { appleList.decide($0).opens == without.decide($0).opens }, "\(apple) \(useless)")
            }
            let androidList = AndroidMatcher(rules: android)
            for useless in Reachability.uselessRules(of: androidList) {
                var fewer = android
                fewer.remove(at: useless.rule)
                let without = AndroidMatcher(rules: fewer)
                claims += 1
                #expect(
                    urls.allSatisfy { androidList.decide($0).opens == without.decide($0).opens },
                    "\(android) \(useless)")
            }
        }
        #expect(claims > 30)
    }
}
