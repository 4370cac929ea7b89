// The rules of an app file as translated for another platform, as `PlatformComparison` needs them.

import Association

/// A platform with the rules that were translated for it.
struct OtherPlatform {
    /// For messages.
    var name: String
    /// The versions of iOS that it is compared with, for messages.
    var iOS: String
    var cannotExpress: RuleID
    var differs: RuleID
    var list: RuleList
    /// The links that are omitted, with the unsupported feature.
    var unsupported: [Int: String]
    /// Whether a URL opens the app, and the link of the rule that decides; nil if the result is not known.
    var decide: (LinkURL) -> (opens: Bool, link: Int?)?
    /// The translation of some of the links alone.
    var part: (_ links: [Int]) -> RuleList
    /// Tells whether the translation of one link matches a URL.
    var matcher: (_ link: Int) -> (LinkURL) -> Bool

    /// Whether any rule opens the app.
    var opensAnything: Bool { (0..<list.count).contains(where: list.opens) }

    static func android(_ app: AppFile) -> OtherPlatform? {
        guard let list = app.androidRules else { return nil }
        let matcher = AndroidMatcher(rules: list.rules)
        return OtherPlatform(
            name: "Android", iOS: "iOS", cannotExpress: .app029, differs: .app030, list: .android(matcher),
            unsupported: list.unsupported,
            decide: { url in
                let decision = matcher.decide(url)
                return decision.opens.map { ($0, decision.rule.flatMap { list.origins.element(at: $0) }) }
            },
            part: { links in
                let rules = links.flatMap { list.rules(of: $0) }
                return .android(AndroidMatcher(rules: rules.isEmpty ? [.nothing] : rules))
            },
            matcher: { link in
                let single = AndroidMatcher(rules: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }

    static func legacy(_ app: AppFile) -> OtherPlatform? {
        guard let list = app.legacyPaths else { return nil }
        let matcher = AppleMatcher(paths: list.rules)
        return OtherPlatform(
            name: "iOS 9 to 12", iOS: "iOS 13 and later", cannotExpress: .app031, differs: .app032,
            list: .apple(matcher),
            unsupported: list.unsupported,
            decide: { url in
                let decision = matcher.decide(url)
                return (decision.opens, decision.rule.flatMap { list.origins.element(at: $0) })
            },
            part: { links in .apple(AppleMatcher(paths: links.flatMap { list.rules(of: $0) })) },
            matcher: { link in
                let single = AppleMatcher(paths: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }
}

/// Finds URLs on which two platforms differ, with a few rules at a time.
struct PartSearch {
    let app: AppFile
    let source: AppleMatcher
    let other: OtherPlatform
    let host: String
    /// Omitted rules that need no search, because they have a finding with a URL.
    let explained: Set<Int>
    /// For each search.
    let limits: AutomatonLimits
    /// Number of searches.
    private static let partsMax = 24

    /// At most one URL for each wanted opening.
    func links(_ wanted: [Opening], accepts: @escaping (LinkURL, Opening) -> Bool) -> [Opening: LinkURL] {
        var found: [Opening: LinkURL] = [:]
        for part in parts where found.count < wanted.count {
            let first = AppleMatcher(
                components: part.map { app.links[$0] }, defaults: source.defaults, table: source.table)
            var search = WitnessSearch(
                first: .apple(first), second: other.part(part), host: host, limits: limits,
                wanted: wanted.filter { found[$0] == nil }, accepts: accepts)
            _ = search.run()
            for (opening, witness) in search.witnesses { found[opening] = witness.url }
        }
        return found
    }

    /// The rules for each search: single rules, then pairs. Adjacent rules come first, because not all pairs are searched.
    private var parts: [[Int]] {
        let links = app.links.indices.filter { !explained.contains($0) }
        let opens = links.map { app.links[$0].exclude != true }
        let single = links.indices.filter { opens[$0] }.map { [links[$0]] }
        var pairs: [[Int]] = []
        for distance in links.indices.dropFirst() where pairs.count < Self.partsMax {
            for later in distance..<links.count where opens[later] != opens[later - distance] {
                pairs.append([links[later - distance], links[later]])
            }
        }
        return Array(
            single.prefix(Self.partsMax / 2) + pairs.prefix(Self.partsMax - min(single.count, Self.partsMax / 2)))
    }
}
