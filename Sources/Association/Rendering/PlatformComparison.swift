// Where the platforms will decide differently although the app file states its rules once.
//
// A finding needs a witness: a URL on which both matchers were asked and disagreed, with all the rules in place. A rule
// that is translated badly but whose URLs another rule catches anyway is worth a note at most.

import SourceJSON

/// Compares the rules of an app file with their translations.
struct PlatformComparison {
    private let app: AppFile
    private let source: AppleMatcher
    private let host: String

    init(_ app: AppFile) {
        self.app = app
        source = app.sourceMatcher
        let host = app.hosts.first { !$0.isWildcard } ?? app.hosts.first
        self.host = host.map { $0.isWildcard ? "www.\($0.name)" : $0.name } ?? "example.com"
    }

    /// A dialect to compare with, and how to speak of it.
    private struct Other {
        var name: String
        var cannotExpress: AppFileRule
        var differs: AppFileRule
        var origins: [Int]
        var obstacles: [(link: Int, obstacle: String)]
        /// Whether the URL opens the app, and the rule that decides; nil where something else decides.
        var decide: (LinkURL) -> (opens: Bool, rule: Int?)?
    }

    func findings() -> [Finding] {
        var findings: [Finding] = []
        if let list = app.androidRules, app.ios?.services.contains(.applinks) == true {
            let matcher = AndroidMatcher(rules: list.rules)
            findings += compare(
                Other(
                    name: "Android", cannotExpress: .androidCannotExpress, differs: .androidDiffers,
                    origins: list.origins, obstacles: list.obstacles
                ) { url in
                    let decision = matcher.decide(url)
                    return decision.opens.map { ($0, decision.rule) }
                })
        }
        if let list = app.legacyPaths {
            let matcher = AppleMatcher(paths: list.rules)
            findings += compare(
                Other(
                    name: "iOS 9 to 12", cannotExpress: .legacyCannotExpress, differs: .legacyDiffers,
                    origins: list.origins, obstacles: list.obstacles
                ) { url in
                    let decision = matcher.decide(url)
                    return (decision.opens, decision.rule)
                })
        }
        return findings
    }

    private func compare(_ other: Other) -> [Finding] {
        var findings: [Finding] = []
        var caseWitnesses: [LinkURL] = []
        let table = SubstitutionTable(app.ios?.variables ?? [])
        let candidates = WitnessCandidates(host: host, table: table)
        for (index, link) in app.links.enumerated() {
            let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
            let witnesses = candidates.candidates(for: link, isEncoded: isEncoded)
                .filter { differs(on: $0.url, other, because: index) }
            if let obstacle = other.obstacles.first(where: { $0.link == index })?.obstacle {
                findings.append(leftOut(link, obstacle, witnesses.first?.url, other))
                continue
            }
            var reasons: Set<WitnessCandidate.Reason> = []
            for witness in witnesses where reasons.insert(witness.reason).inserted {
                if witness.reason == .letterCase, link.caseSensitive == nil {
                    caseWitnesses.append(witness.url)
                } else {
                    findings.append(differing(link, witness, other))
                }
            }
        }
        if let url = caseWitnesses.first { findings.append(caseDefault(url, count: caseWitnesses.count, other)) }
        return findings
    }

    /// Whether the platforms disagree on `url`, for certain, and the link at `index` has to do with it.
    private func differs(on url: LinkURL, _ other: Other, because index: Int) -> Bool {
        let decision = source.decide(url)
        guard let theirs = other.decide(url), theirs.opens != decision.opens else { return false }
        let origin = theirs.rule.flatMap { other.origins.element(at: $0) }
        return (decision.rule == index || origin == index) && source.unsettled(url).isEmpty
    }

    private func leftOut(_ link: AppleComponent, _ obstacle: String, _ witness: LinkURL?, _ other: Other) -> Finding {
        let reason = "the rule is left out on \(other.name), because it needs \(obstacle)"
        guard let witness else {
            return Finding(
                other.cannotExpress, in: app, at: link.range,
                "\(reason); no link was found that ends up elsewhere for it",
                severity: .note)
        }
        return Finding(
            other.cannotExpress, in: app, at: link.range, "\(reason): \(difference(on: witness, other))",
            fix: "write it with what both know, or accept the difference")
    }

    private func differing(_ link: AppleComponent, _ witness: WitnessCandidate, _ other: Other) -> Finding {
        let reason =
            switch witness.reason {
            case .letterCase: "the rule ignores case on iOS, and \(other.name) always compares it"
            case .trailingSlash: "iOS ignores a trailing slash, and to \(other.name) it is a character like any other"
            case .repetition: "a star of iOS runs on where one of \(other.name) stops"
            case .bareHost: "to iOS a URL without a path has the path /, and to \(other.name) it has none"
            case .plain, .absentItem, .extraItem: "the rule means something else on \(other.name)"
            }
        return Finding(
            other.differs, in: app, at: link.range, "\(reason): \(difference(on: witness.url, other))",
            fix: witness.reason == .letterCase ? "add a rule for each spelling that is in use" : nil,
            severity: witness.reason == .letterCase ? .warning : .note)
    }

    /// One finding for all the rules that inherit it.
    private func caseDefault(_ witness: LinkURL, count: Int, _ other: Other) -> Finding {
        let rules = count == 1 ? "one rule" : "\(count) rules"
        return Finding(
            other.differs, in: app, at: app.ranges.iosDefaults,
            "\(rules) ignore\(count == 1 ? "s" : "") case on iOS by default, and \(other.name) always compares it: "
                + difference(on: witness, other),
            fix: "add a rule for each spelling that is in use, or compare case on iOS too", severity: .warning)
    }

    private func difference(on url: LinkURL, _ other: Other) -> String {
        source.decide(url).opens
            ? "\(url.text) opens the app on iOS and stays in the browser on \(other.name)"
            : "\(url.text) stays in the browser on iOS and opens the app on \(other.name)"
    }
}

extension Finding {
    /// A finding about an app file that has been read.
    init(
        _ rule: AppFileRule, in app: AppFile, at range: SourceRange?, _ message: String, fix: String? = nil,
        severity: Severity? = nil
    ) {
        self.init(
            rule: rule.rawValue, severity: severity ?? LintRule.named(rule.rawValue)?.severity ?? .error,
            file: app.file, range: range, message: message, fix: fix)
    }
}
