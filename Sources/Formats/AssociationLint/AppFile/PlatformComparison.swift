// URLs that the platforms treat differently, although the app file states its rules only once.
//
// A finding needs a witness: a URL on which the matchers of both platforms disagree, each with all its rules. If a rule
// has no exact translation, but another rule matches its URLs anyway, the finding is a note at most.

import Association
import SourceJSON

/// Compares the rules of an app file with their translations.
struct PlatformComparison {
    let app: AppFile
    let source: AppleMatcher
    let host: String
    private let table: SubstitutionTable

    /// - Parameter source: decides by all rules of the file.
    init(_ app: AppFile, source: AppleMatcher) {
        (self.app, self.source) = (app, source)
        table = source.table
        let host = app.hosts.first { !$0.isWildcard } ?? app.hosts.first
        self.host = host.map { HostPattern.example(of: $0.text) } ?? "example.com"
    }

    func findings() -> [Finding] {
        let others = [OtherPlatform.android(app), .legacy(app)].compactMap { $0 }
        guard app.appleMatcher != nil else { return others.flatMap(omittedRules) }
        return others.flatMap(compare)
    }

    /// The omitted rules of a file without an iOS app, for which there is nothing to compare with.
    private func omittedRules(_ other: OtherPlatform) -> [Finding] {
        other.unsupported.sorted { $0.key < $1.key }.prefix(Self.findingsMax).compactMap { index, feature in
            guard let link = app.links.element(at: index) else { return nil }
            let consequence = link.exclude == true ? "so it excludes nothing" : "so its links stay in the browser"
            return Finding(
                other.cannotExpress, in: app, at: link.range,
                "the rule is omitted on \(other.name) because it needs \(feature), \(consequence)",
                fix: "rewrite the rule with features that \(other.name) supports")
        }
    }

    private func compare(_ other: OtherPlatform) -> [Finding] {
        var findings: [Finding] = []
        var caseWitnesses: [LinkURL] = []
        var escapes: [EscapeWitness] = []
        let weight = app.links.reduce(0) { $0 + SearchBudget.weight(of: $1.patternTexts) }
        var triesLeft = min(Self.triesMax, Self.ruleTriesMax / (1 + 2 * weight))
        // The cost of making URLs grows with the length of the patterns.
        var linksLeft = SearchBudget.rulesMax
        var firstUnchecked: Int?
        // The directions of the differences that have a finding: whether the URL opens the app on iOS.
        var shown: Set<Bool> = []
        var unshown: [Int: LinkURL?] = [:]
        for (index, link) in app.links.enumerated() {
            guard findings.count < Self.findingsMax else {
                firstUnchecked = min(firstUnchecked ?? index, index)
                break
            }
            let feature = other.unsupported[index]
            guard feature != nil || mayDiffer(link) else { continue }
            guard linksLeft > 0, SearchBudget.allows(link.patternTexts), triesLeft > 0 else {
                if firstUnchecked == nil { firstUnchecked = index }
                if let feature { findings.append(omitted(link, feature, other)) }
                continue
            }
            linksLeft -= 1
            let tried = tryCandidates(index, link, other, &triesLeft)
            if let feature {
                if let url = tried.witnesses.first?.url {
                    shown.insert(source.decide(url).opens)
                    findings.append(omitted(link, feature, details: ": \(difference(on: url, other))", other))
                } else {
                    unshown[index] = .some(tried.doubtful)
                }
                continue
            }
            for witness in tried.witnesses {
                shown.insert(source.decide(witness.url).opens)
                if witness.reason == .letterCase, link.caseSensitive == nil {
                    caseWitnesses.append(witness.url)
                } else if witness.reason == .escape {
                    recordEscape(witness.url, of: link, &escapes)
                } else {
                    findings.append(differing(link, witness, other))
                }
            }
        }
        if let firstUnchecked { findings.append(notCompared(from: firstUnchecked, other)) }
        findings += escapes.map { escapesDiffer($0, other) }
        for opensOnIOS in [true, false] {
            let urls = caseWitnesses.filter { source.decide($0).opens == opensOnIOS }
            if let url = urls.first { findings.append(caseDefault(url, count: urls.count, other)) }
        }
        let search = shown.count < 2 || !unshown.isEmpty ? search(other) : nil
        let omitted = omittedWithoutWitness(unshown, search, other)
        shown.formUnion(omitted.shown)
        return findings + omitted.findings + otherDifferences(search, shown: shown, other)
    }

    /// URLs on which the platforms differ because of one link, at most one for each reason. If there are none, `doubtful`
    /// is a URL on which they probably differ.
    private func tryCandidates(
        _ index: Int, _ link: AppleComponent, _ other: OtherPlatform, _ triesLeft: inout Int
    ) -> (witnesses: [WitnessCandidate], doubtful: LinkURL?) {
        var reasons: Set<WitnessCandidate.Reason> = []
        var tried: Set<LinkURL> = []
        var witnesses: [WitnessCandidate] = []
        var doubtful: LinkURL?
        for candidate in candidates(index, link, other) where triesLeft > 0 {
            guard !reasons.contains(candidate.reason), isLikely(candidate.url, for: link),
                tried.insert(candidate.url).inserted
            else { continue }
            triesLeft -= 1
            guard differs(on: candidate.url, other, because: index) else { continue }
            guard source.unsettled(candidate.url).isEmpty else {
                doubtful = doubtful ?? candidate.url
                continue
            }
            reasons.insert(candidate.reason)
            witnesses.append(candidate)
        }
        return (witnesses, doubtful)
    }

    /// Whether a site is likely to have the URL: its path is short, or no longer than that of the rule.
    func isLikely(_ url: LinkURL, for link: AppleComponent?) -> Bool {
        func segments(_ path: String) -> Int { path.split(separator: "/").count }
        return segments(url.path) <= max(Self.segmentsMax, segments(link?.path ?? ""))
    }

    private static let segmentsMax = 4
    /// More findings in one file have a common cause.
    private static let findingsMax = 100
    /// URLs that are tried with all rules. The cost of each grows with the number of rules.
    private static let triesMax = 1_000
    /// Rules times tried URLs: some tenths of a second.
    private static let ruleTriesMax = 2_000_000

    private func folds(_ link: AppleComponent) -> Bool {
        !(link.caseSensitive ?? app.ios?.defaults.caseSensitive ?? true)
    }

    /// Whether the rule uses a feature that the platforms are known to read differently. Most rules do not, and need no
    /// candidates.
    private func mayDiffer(_ link: AppleComponent) -> Bool {
        if folds(link) { return true }
        return link.patterns.contains { pattern in
            pattern.unicodeScalars.contains("%") || pattern.unicodeScalars.contains("?")
                || pattern.unicodeScalars.dropLast().contains("*") || pattern.contains(run: "$(")
        }
    }

    /// The candidates that the link alone matches on one platform and not on the other.
    private func candidates(_ index: Int, _ link: AppleComponent, _ other: OtherPlatform) -> [WitnessCandidate] {
        let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
        let single = AppleMatcher(components: [link], defaults: source.defaults, table: source.table)
        let translated = other.translation(index)
        return WitnessCandidates(host: host, table: table)
            .candidates(for: link, isEncoded: isEncoded, folds: folds(link))
            .filter { (single.decide($0.url).rule != nil) != (translated.decide($0.url)?.rule != nil) }
    }

    /// Whether the platforms disagree on `url`, and the link at `index` decides it on one of them.
    func differs(on url: LinkURL, _ other: OtherPlatform, because index: Int) -> Bool {
        let decision = source.decide(url)
        guard let theirs = other.decide(url), theirs.opens != decision.opens else { return false }
        return decision.rule == index || theirs.link == index
    }

    private func notCompared(from index: Int, _ other: OtherPlatform) -> Finding {
        Finding(
            .app043, in: app, at: app.links.element(at: index)?.range,
            "the rules from here on were not compared with \(other.name), because the list or this pattern is too long")
    }

    /// - Parameter details: an example of a URL, or why there is none.
    func omitted(
        _ link: AppleComponent, _ feature: String, details: String = "", severity: Severity? = nil,
        _ other: OtherPlatform
    ) -> Finding {
        Finding(
            other.cannotExpress, in: app, at: link.range,
            "the rule is omitted on \(other.name) because it needs \(feature)\(details)",
            fix: severity == .note ? nil : "rewrite the rule with features that both have, or accept the difference",
            severity: severity)
    }

    private func differing(_ link: AppleComponent, _ witness: WitnessCandidate, _ other: OtherPlatform) -> Finding {
        let reason =
            switch witness.reason {
            case .letterCase: "the rule ignores case on iOS, but \(other.name) always compares it"
            case .trailingSlash: "iOS ignores a trailing slash, but \(other.name) compares it like any character"
            case .repetition: "* matches further on \(other.iOS) than on \(other.name)"
            case .plain, .absentItem, .extraItem, .escape: "the rule matches different URLs on \(other.name)"
            }
        return Finding(
            other.differs, in: app, at: link.range, "\(reason): \(difference(on: witness.url, other))",
            fix: witness.reason == .letterCase ? "add a rule for each spelling that you use" : nil,
            severity: witness.reason == .letterCase ? .warning : .note)
    }

    /// The first rule that reads an escape differently, and how many rules do so in the same direction.
    private struct EscapeWitness {
        var link: AppleComponent
        var url: LinkURL
        var opensOnIOS: Bool
        var count = 1
    }

    private func recordEscape(_ url: LinkURL, of link: AppleComponent, _ escapes: inout [EscapeWitness]) {
        let opens = source.decide(url).opens
        if let index = escapes.firstIndex(where: { $0.opensOnIOS == opens }) {
            escapes[index].count += 1
        } else {
            escapes.append(EscapeWitness(link: link, url: url, opensOnIOS: opens))
        }
    }

    /// One finding for all such rules, because every rule with a `?` is one.
    private func escapesDiffer(_ witness: EscapeWitness, _ other: OtherPlatform) -> Finding {
        let rest = witness.count == 1 ? "" : " (\(witness.count) rules have such characters)"
        return Finding(
            other.differs, in: app, at: witness.link.range,
            "iOS compares percent-encoded characters as they are written, but \(other.name) decodes them\(rest): "
                + difference(on: witness.url, other),
            severity: .note)
    }

    /// One finding for all rules that inherit the default.
    private func caseDefault(_ witness: LinkURL, count: Int, _ other: OtherPlatform) -> Finding {
        let rules = count == 1 ? "one rule" : "\(count) rules"
        return Finding(
            other.differs, in: app, at: app.ranges.iosDefaults,
            "\(rules) ignore\(count == 1 ? "s" : "") case on \(other.iOS) by default, but \(other.name) always compares it: "
                + difference(on: witness, other),
            fix: "add a rule for each spelling that you use, or compare case on iOS too", severity: .warning)
    }

    func difference(on url: LinkURL, _ other: OtherPlatform) -> String {
        source.decide(url).opens
            ? "\(url.text) opens the app on \(other.iOS) and stays in the browser on \(other.name)"
            : "\(url.text) stays in the browser on \(other.iOS) and opens the app on \(other.name)"
    }
}
