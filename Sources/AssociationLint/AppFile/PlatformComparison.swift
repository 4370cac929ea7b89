// Where the platforms will decide differently although the app file states its rules once.
//
// A finding needs a witness: a URL on which both matchers were asked and disagreed, with all the rules in place. A rule
// that is translated badly but whose URLs another rule catches anyway is worth a note at most.

import Association
import SourceJSON

/// Compares the rules of an app file with their translations.
struct PlatformComparison {
    let app: AppFile
    let source: AppleMatcher
    let host: String
    private let table: SubstitutionTable

    /// With all the rules of the file, ready to decide.
    init(_ app: AppFile, source: AppleMatcher) {
        self.app = app
        self.source = source
        table = source.table
        let host = app.hosts.first { !$0.isWildcard } ?? app.hosts.first
        self.host = host.map { $0.isWildcard ? "www.\($0.name)" : $0.name } ?? "example.com"
    }

    func findings() -> [Finding] {
        let others = [OtherDialect.android(app), .legacy(app)].compactMap { $0 }
        guard app.appleMatcher != nil else { return others.flatMap(leftOutAlone) }
        return others.flatMap(compare)
    }

    /// Without an iOS app there is nothing to compare with, but a rule that is left out is missed all the same.
    private func leftOutAlone(_ other: OtherDialect) -> [Finding] {
        other.obstacles.sorted { $0.key < $1.key }.prefix(Self.findingsMax).compactMap { index, obstacle in
            guard let link = app.links.element(at: index) else { return nil }
            let consequence = link.exclude == true ? "so it excludes nothing" : "so its links stay in the browser"
            return Finding(
                other.cannotExpress, in: app, at: link.range,
                "the rule is left out on \(other.name), because it needs \(obstacle), \(consequence)",
                fix: "write it with what \(other.name) knows")
        }
    }

    private func compare(_ other: OtherDialect) -> [Finding] {
        var findings: [Finding] = []
        var explained: Set<Int> = []
        var caseWitnesses: [LinkURL] = []
        var escapes: [EscapeWitness] = []
        var questions = min(Self.questionsMax, Self.rulesAskedMax / max(source.count + other.list.count, 1))
        var linksLeft = Self.linksMax
        var firstLeftOut: Int?
        var shown: Set<Bool> = []
        var unshown: [Int: LinkURL?] = [:]
        for (index, link) in app.links.enumerated() {
            guard findings.count < Self.findingsMax else {
                firstLeftOut = min(firstLeftOut ?? index, index)
                break
            }
            let obstacle = other.obstacles[index]
            guard obstacle != nil || mayDiffer(link) else { continue }
            let isSearched =
                linksLeft > 0 && link.patternTexts.allSatisfy { $0.utf8.count <= ListScope.patternBytesMax }
            guard isSearched, questions > 0 else {
                if firstLeftOut == nil { firstLeftOut = index }
                if let obstacle { findings.append(leftOut(link, obstacle, other)) }
                continue
            }
            linksLeft -= 1
            let asked = ask(index, link, other, &questions)
            if let obstacle {
                if let url = asked.witnesses.first?.url {
                    explained.insert(index)
                    shown.insert(source.decide(url).opens)
                    findings.append(leftOut(link, obstacle, url, other))
                } else {
                    unshown[index] = .some(asked.doubtful)
                }
                continue
            }
            for witness in asked.witnesses {
                shown.insert(source.decide(witness.url).opens)
                if witness.reason == .letterCase, link.caseSensitive == nil {
                    caseWitnesses.append(witness.url)
                } else if witness.reason == .escape {
                    note(witness.url, of: link, &escapes)
                } else {
                    findings.append(differing(link, witness, other))
                }
            }
        }
        if let firstLeftOut { findings.append(notExamined(firstLeftOut, other)) }
        findings += escapes.map { escapesDiffer($0, other) }
        for opensOnIOS in [true, false] {
            let urls = caseWitnesses.filter { source.decide($0).opens == opensOnIOS }
            if let url = urls.first { findings.append(caseDefault(url, count: urls.count, other)) }
        }
        let search = search(
            other, shown: shown, explained: explained, isWanted: shown.count < 2 || !unshown.isEmpty)
        let missed = leftOutUnseen(unshown, search, other)
        shown.formUnion(missed.shown)
        return findings + missed.findings + beside(search, shown: shown, other)
    }

    /// The URLs that show what one link comes to, at most one for each reason; where there are none, a URL on which the
    /// platforms differ by the best model of them.
    private func ask(
        _ index: Int, _ link: AppleComponent, _ other: OtherDialect, _ questions: inout Int
    ) -> (witnesses: [WitnessCandidate], doubtful: LinkURL?) {
        var reasons: Set<WitnessCandidate.Reason> = []
        var asked: Set<LinkURL> = []
        var witnesses: [WitnessCandidate] = []
        var doubtful: LinkURL?
        for candidate in suspects(index, link, other) where questions > 0 {
            guard !reasons.contains(candidate.reason), isLikely(candidate.url, for: link),
                asked.insert(candidate.url).inserted
            else { continue }
            questions -= 1
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

    /// Whether a site may well have the URL: no more segments than these, or than the rule itself has.
    func isLikely(_ url: LinkURL, for link: AppleComponent?) -> Bool {
        func segments(_ path: String) -> Int { path.split(separator: "/").count }
        return segments(url.path) <= max(Self.segmentsMax, segments(link?.path ?? ""))
    }

    private static let segmentsMax = 4
    /// Nobody reads more, and a file with so many has a pattern to it.
    private static let findingsMax = 100
    /// How many URLs are put to all the rules; each of them costs as much as there are rules.
    private static let questionsMax = 1_000
    /// In how many rules all of them may be looked for: some tenths of a second.
    private static let rulesAskedMax = 2_000_000
    /// For how many rules such URLs are made up; each takes as long as its patterns are.
    private static let linksMax = 200

    private func folds(_ link: AppleComponent) -> Bool {
        !(link.caseSensitive ?? app.ios?.defaults.caseSensitive ?? true)
    }

    /// Whether the rule has anything that the dialects are known to read differently. Most rules have not, and need no
    /// candidates.
    private func mayDiffer(_ link: AppleComponent) -> Bool {
        if folds(link) { return true }
        return link.patterns.contains { pattern in
            pattern.unicodeScalars.contains("%") || pattern.unicodeScalars.contains("?")
                || pattern.unicodeScalars.dropLast().contains("*") || pattern.contains(run: "$(")
        }
    }

    /// The candidates on which the link alone means different things in the two dialects.
    private func suspects(_ index: Int, _ link: AppleComponent, _ other: OtherDialect) -> [WitnessCandidate] {
        let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
        let single = AppleMatcher(inherited: [link.inheriting(from: source.defaults)], table: source.table)
        let holds = other.holds(index)
        return WitnessCandidates(host: host, table: table)
            .candidates(for: link, isEncoded: isEncoded, folds: folds(link))
            .filter { (single.decide($0.url).rule != nil) != holds($0.url) }
    }

    /// Whether the platforms disagree on `url`, and the link at `index` has to do with it.
    func differs(on url: LinkURL, _ other: OtherDialect, because index: Int) -> Bool {
        let decision = source.decide(url)
        guard let theirs = other.decide(url), theirs.opens != decision.opens else { return false }
        return decision.rule == index || theirs.link == index
    }

    private func notExamined(_ index: Int, _ other: OtherDialect) -> Finding {
        Finding(
            .app043, in: app, at: app.links.element(at: index)?.range,
            "what \(other.name) does otherwise was looked for in the rules before this one only; the list is too long "
                + "for more, or this pattern is")
    }

    /// For a rule that is past the limits of the search.
    private func leftOut(_ link: AppleComponent, _ obstacle: String, _ other: OtherDialect) -> Finding {
        Finding(
            other.cannotExpress, in: app, at: link.range,
            "the rule is left out on \(other.name), because it needs \(obstacle)",
            fix: "write it with what both know, or accept the difference")
    }

    func leftOut(_ link: AppleComponent, _ obstacle: String, _ witness: LinkURL, _ other: OtherDialect) -> Finding {
        Finding(
            other.cannotExpress, in: app, at: link.range,
            "the rule is left out on \(other.name), because it needs \(obstacle): \(difference(on: witness, other))",
            fix: "write it with what both know, or accept the difference")
    }

    private func differing(_ link: AppleComponent, _ witness: WitnessCandidate, _ other: OtherDialect) -> Finding {
        let reason =
            switch witness.reason {
            case .letterCase: "the rule ignores case on iOS, and \(other.name) always compares it"
            case .trailingSlash: "iOS ignores a trailing slash, and to \(other.name) it is a character like any other"
            case .repetition: "a star of iOS runs on where one of \(other.name) stops"
            case .plain, .absentItem, .extraItem, .escape: "the rule means something else on \(other.name)"
            }
        return Finding(
            other.differs, in: app, at: link.range, "\(reason): \(difference(on: witness.url, other))",
            fix: witness.reason == .letterCase ? "add a rule for each spelling that is in use" : nil,
            severity: witness.reason == .letterCase ? .warning : .note)
    }

    /// The first rule that reads an escape otherwise, and how many do so the same way round.
    private struct EscapeWitness {
        var link: AppleComponent
        var url: LinkURL
        var opensOnIOS: Bool
        var count = 1
    }

    private func note(_ url: LinkURL, of link: AppleComponent, _ escapes: inout [EscapeWitness]) {
        let opens = source.decide(url).opens
        if let index = escapes.firstIndex(where: { $0.opensOnIOS == opens }) {
            escapes[index].count += 1
        } else {
            escapes.append(EscapeWitness(link: link, url: url, opensOnIOS: opens))
        }
    }

    /// One finding for all such rules: with a `?`, every rule is one.
    private func escapesDiffer(_ witness: EscapeWitness, _ other: OtherDialect) -> Finding {
        let rest = witness.count == 1 ? "" : ", here and in \(witness.count - 1) other rules"
        return Finding(
            other.differs, in: app, at: witness.link.range,
            "iOS compares escapes as they are written, and \(other.name) what they stand for\(rest): "
                + difference(on: witness.url, other),
            severity: .note)
    }

    /// One finding for all the rules that inherit it.
    private func caseDefault(_ witness: LinkURL, count: Int, _ other: OtherDialect) -> Finding {
        let rules = count == 1 ? "one rule" : "\(count) rules"
        return Finding(
            other.differs, in: app, at: app.ranges.iosDefaults,
            "\(rules) ignore\(count == 1 ? "s" : "") case on iOS by default, and \(other.name) always compares it: "
                + difference(on: witness, other),
            fix: "add a rule for each spelling that is in use, or compare case on iOS too", severity: .warning)
    }

    func difference(on url: LinkURL, _ other: OtherDialect) -> String {
        source.decide(url).opens
            ? "\(url.text) opens the app on iOS and stays in the browser on \(other.name)"
            : "\(url.text) stays in the browser on iOS and opens the app on \(other.name)"
    }
}
