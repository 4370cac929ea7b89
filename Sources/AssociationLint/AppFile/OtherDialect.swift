// A dialect that an app file's rules are translated to, as the comparison of the platforms sees it.

import Association
import SourceJSON

/// The translated rules of an app file, ready to be asked.
struct OtherDialect {
    /// In messages.
    var name: String
    var cannotExpress: RuleID
    var differs: RuleID
    var list: RuleList
    /// The links that are left out, and why.
    var obstacles: [Int: String]
    /// Whether a URL opens the app, and from which link the deciding rule was made; nil where there is no telling.
    var decide: (LinkURL) -> (opens: Bool, link: Int?)?
    /// The list that some of the links alone would be translated to.
    var part: (_ links: [Int]) -> RuleList
    /// What one link alone looks for: makes a question out of it.
    var holds: (_ link: Int) -> (LinkURL) -> Bool

    /// Whether there is a rule that opens the app.
    var opensAnything: Bool { (0..<list.count).contains(where: list.opens) }

    static func android(_ app: AppFile) -> OtherDialect? {
        guard let list = app.androidRules else { return nil }
        let matcher = AndroidMatcher(rules: list.rules)
        return OtherDialect(
            name: "Android", cannotExpress: .app029, differs: .app030, list: .android(matcher),
            obstacles: list.obstacles,
            decide: { url in
                let decision = matcher.decide(url)
                return decision.opens.map { ($0, decision.rule.flatMap { list.origins.element(at: $0) }) }
            },
            part: { links in
                let rules = links.flatMap { list.rules(of: $0) }
                return .android(AndroidMatcher(rules: rules.isEmpty ? [.nothing] : rules))
            },
            holds: { link in
                let single = AndroidMatcher(rules: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }

    static func legacy(_ app: AppFile) -> OtherDialect? {
        guard let list = app.legacyPaths else { return nil }
        let matcher = AppleMatcher(paths: list.rules)
        return OtherDialect(
            name: "iOS 9 to 12", cannotExpress: .app031, differs: .app032, list: .apple(matcher),
            obstacles: list.obstacles,
            decide: { url in
                let decision = matcher.decide(url)
                return (decision.opens, decision.rule.flatMap { list.origins.element(at: $0) })
            },
            part: { links in .apple(AppleMatcher(paths: links.flatMap { list.rules(of: $0) })) },
            holds: { link in
                let single = AppleMatcher(paths: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }
}

/// Looks for links on which two dialects differ, a few rules at a time.
struct PartSearch {
    let app: AppFile
    let source: AppleMatcher
    let other: OtherDialect
    let host: String
    /// Rules that are left out of the other dialect and need no search, because a finding shows what they come to.
    let explained: Set<Int>
    /// How many parts are searched, and what each may cost.
    private static let partsMax = 24
    let limits: AutomatonLimits

    /// At most one link for each of the wanted openings, each of them accepted.
    func links(
        _ wanted: [Opening], accepts: @escaping (LinkURL, Opening) -> Bool
    ) -> [Opening: LinkURL] {
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

    /// Pairs of neighbours first, because there are more pairs than are looked at.
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
