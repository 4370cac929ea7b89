// Where the platforms part on links that are spelled as few are: with a doubled slash, an escape that nobody needs, a
// semicolon. It is so for almost every list of rules, so there is one finding for each way round and no more, with a
// URL for each spelling. A spelling is only named where the same link in its ordinary form does not show the difference.

import SourceJSON

/// Compares the platforms on unusual spellings.
struct SpellingComparison {
    let app: AppFile
    let source: AppleMatcher
    let other: OtherDialect
    let host: String
    /// The rules that are left out on the platform and have a finding of their own with a link.
    let explained: Set<Int>

    /// One spelling, and on which side the app opens.
    private struct Difference: Hashable {
        var spelling: LinkSpelling
        var opensOnIOS: Bool
    }

    /// How many URLs are put to all the rules, and in how many rules all of them may be looked for.
    private static let questionsMax = 500
    private static let rulesAskedMax = 1_000_000
    /// With how many other rules one without a path is confronted.
    private static let meetingsMax = 4
    /// For how many rules URLs are made up.
    private static let linksMax = 40

    /// The findings, and whether the search for more ended at its limits.
    func compare() -> (findings: [Finding], isCutShort: Bool) {
        var shown: [Difference: LinkURL] = [:]
        ask(&shown)
        let isCutShort = search(&shown)
        let findings = [true, false].compactMap { opensOnIOS -> Finding? in
            let urls = LinkSpelling.allCases.compactMap { spelling in
                shown[Difference(spelling: spelling, opensOnIOS: opensOnIOS)].map { "\($0.text) (\(spelling.words))" }
            }
            return urls.isEmpty ? nil : finding(opensOnIOS, urls)
        }
        // A finding names spellings by way of example, and there are nearly always more.
        return (findings, isCutShort && findings.isEmpty)
    }

    /// URLs of each rule, respelled.
    private func ask(_ shown: inout [Difference: LinkURL]) {
        let rules = source.count + other.list.count
        var questions = min(Self.questionsMax, Self.rulesAskedMax / max(rules, 1))
        let links = app.links.prefix(Self.linksMax).filter {
            $0.patternTexts.allSatisfy { $0.utf8.count <= ListScope.patternBytesMax }
        }
        let all = LinkSpelling.allCases.count * 2
        for (position, link) in links.enumerated() where shown.count < all {
            // What the rules before have left, in equal parts: one of many URLs may not take the questions of all.
            var share = questions / (links.count - position)
            let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
            let urls = WitnessCandidates(host: host, table: source.table).samples(
                of: link, isEncoded: isEncoded, beside: Array(app.links.prefix(Self.meetingsMax)))
            for (number, spelling) in LinkSpelling.allCases.enumerated() {
                // And one spelling may not take those of the others.
                let part = share / (LinkSpelling.allCases.count - number)
                for url in respelled(urls, spelling).prefix(part) where !isShown(spelling, shown) {
                    share -= 1
                    questions -= 1
                    guard let opens = opensOnIOS(url), isSettled(url), !showsOrdinarily(url, opens) else { continue }
                    let difference = Difference(spelling: spelling, opensOnIOS: opens)
                    if shown[difference] == nil { shown[difference] = url }
                }
            }
        }
    }

    /// The URLs with the spelling, first one of each, then another of each.
    private func respelled(_ urls: [LinkURL], _ spelling: LinkSpelling) -> [LinkURL] {
        // A pattern may itself ask for the spelling.
        urls.map { (LinkSpelling.of($0) == [spelling] ? [$0] : []) + Respelling($0).urls(with: spelling) }.inTurns()
    }

    /// Whether the link in its ordinary form shows the same difference: then it is not the spelling's doing.
    private func showsOrdinarily(_ url: LinkURL, _ opens: Bool) -> Bool {
        guard let ordinary = LinkSpelling.ordinary(url), opensOnIOS(ordinary) == opens else { return false }
        return isSettled(ordinary)
    }

    /// What single rules do not show, all of them together may: paths are searched as a whole. The dialect that Apple's
    /// own engine reads is searched only where a rule is read otherwise or not at all; elsewhere the rules themselves
    /// show what they do. Returns whether it ended at its limits before it had found what it looked for.
    private func search(_ shown: inout [Difference: LinkURL]) -> Bool {
        var scope = ListScope()
        guard isWorthSearching, !other.list.isLeftToManifest else { return false }
        guard scope.take(app.links.map(\.patternTexts), table: source.table) == app.links.count else { return true }
        var isCutShort = false
        var stepsLeft = Self.limits.stepsMax
        let situations = Situation.worthTrying([.apple(source), other.list], stepsLeft: &stepsLeft, Self.limits)
        for spelling in LinkSpelling.allCases where spelling.isOfPaths {
            let missing = possible.filter {
                shown[Difference(spelling: spelling, opensOnIOS: $0.first)] == nil
            }
            guard !missing.isEmpty else { continue }
            let accepts = { (url: LinkURL, opening: Opening) in
                LinkSpelling.of(url) == [spelling] && opensOnIOS(url) == opening.first
                    && !showsOrdinarily(url, opening.first)
            }
            var search = WitnessSearch(
                first: .apple(source), second: other.list, host: host, limits: Self.limits, wanted: missing,
                searched: [.paths(spelling)], accepts: accepts)
            let isComplete = search.run(in: situations)
            var links = search.witnesses.mapValues(\.url)
            let left = missing.filter { links[$0] == nil }
            if !isComplete, !left.isEmpty {
                let parts = PartSearch(
                    app: app, source: source, other: other, host: host, explained: explained, partsMax: Self.partsMax,
                    limits: Self.limitsOfParts)
                links.merge(parts.links(left, [.paths(spelling)], accepts: accepts)) { first, _ in first }
                if search.isOutOfSteps, links.count < missing.count { isCutShort = true }
            }
            for (opening, url) in links { shown[Difference(spelling: spelling, opensOnIOS: opening.first)] = url }
        }
        return isCutShort
    }

    /// The ways round that there can be: what the other dialect leaves out has its finding, and what opens nothing opens
    /// nothing more than iOS does.
    private var possible: [Opening] {
        let isOnIOS = app.links.indices.contains {
            app.links[$0].exclude != true && !(explained.contains($0) && other.obstacles[$0] != nil)
        }
        return (isOnIOS ? [.onlyFirst] : []) + (other.opensAnything ? [.onlySecond] : [])
    }

    private var isWorthSearching: Bool {
        guard case .apple = other.list else { return true }
        return !explained.isSuperset(of: other.obstacles.keys)
            || app.links.contains { !($0.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true) }
    }

    private static let partsMax = 8

    private static var limitsOfParts: AutomatonLimits {
        var limits = limits
        limits.stepsMax = 10_000
        return limits
    }

    private static var limits: AutomatonLimits {
        var limits = ListScope.limits
        limits.situationsMax = 20
        limits.stepsMax = 30_000
        return limits
    }

    private func isShown(_ spelling: LinkSpelling, _ shown: [Difference: LinkURL]) -> Bool {
        [true, false].allSatisfy { shown[Difference(spelling: spelling, opensOnIOS: $0)] != nil }
    }

    /// Nil where the platforms agree, and where they do not because a rule is left out: that has a finding of its own.
    private func opensOnIOS(_ url: LinkURL) -> Bool? {
        let decision = source.decide(url)
        if let rule = decision.rule, other.obstacles[rule] != nil, explained.contains(rule) { return nil }
        return other.decide(url).flatMap { $0.opens == decision.opens ? nil : decision.opens }
    }

    private func isSettled(_ url: LinkURL) -> Bool {
        (source.unsettled(url) + other.list.unsettled(url)).allSatisfy(\.kind.isKnownOfAOSP)
    }

    private func finding(_ opensOnIOS: Bool, _ urls: [String]) -> Finding {
        let consequence =
            opensOnIOS
            ? "opens the app on iOS and stays in the browser on \(other.name)"
            : "stays in the browser on iOS and opens the app on \(other.name)"
        return Finding(
            .spellingsDiffer, in: app, at: app.ranges.links,
            "spelled in a way that few links are, a URL \(consequence): \(urls.joined(separator: ", "))",
            fix: "link to them in their ordinary spelling")
    }
}
