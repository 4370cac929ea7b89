// A search in parts of the rules, for lists that are too much for a search of the whole: each rule that opens, and each
// pair of which one opens and the other does not. Two rules have few states, and a difference mostly takes no more. What
// is found in a part is put to all the rules before it counts.

import SourceJSON

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
