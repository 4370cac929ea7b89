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
    /// For each rule of the list, its link.
    var origins: [Int]
    /// The translation of some of the links alone.
    var part: (_ links: [Int]) -> RuleList

    /// Whether any rule opens the app.
    var opensAnything: Bool { (0..<list.count).contains(where: list.opens) }

    /// Whether a URL opens the app, and the link of the rule that decides; nil if the result is not known.
    func decide(_ url: LinkURL) -> (opens: Bool, link: Int?)? {
        list.decide(url).map { ($0.opens, $0.rule.flatMap { origins.element(at: $0) }) }
    }

    static func android(_ app: AppFile) -> OtherPlatform? {
        app.androidRules.map { list in
            OtherPlatform(
                name: "Android", iOS: "iOS", cannotExpress: .app029, differs: .app030,
                list: .android(AndroidMatcher(rules: list.rules)), unsupported: list.unsupported, origins: list.origins
            ) { links in
                let rules = links.flatMap { list.rules(of: $0) }
                // With an empty list the manifest would decide.
                return .android(AndroidMatcher(rules: rules.isEmpty ? [.nothing] : rules))
            }
        }
    }

    static func legacy(_ app: AppFile) -> OtherPlatform? {
        app.legacyPaths.map { list in
            OtherPlatform(
                name: "iOS 9 to 12", iOS: "iOS 13 and later", cannotExpress: .app031, differs: .app032,
                list: .apple(AppleMatcher(paths: list.rules)), unsupported: list.unsupported, origins: list.origins
            ) { links in .apple(AppleMatcher(paths: links.flatMap { list.rules(of: $0) })) }
        }
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
