// Finds URLs that several apps of one host claim. If two such apps are installed, the system chooses which one opens, so
// each such pair is reported with a URL that both open.

import Association

/// Finds URLs that two apps of a host claim.
struct OverlapCheck {
    /// In merge order.
    let apps: [AppFile]
    let host: String

    /// The number of pairs grows with the square of the number of apps.
    private static let pairsMax = 500
    /// Rules that are searched, of all pairs together. A search takes some milliseconds for each rule.
    private static let rulesMax = 2_000

    func findings() -> [Finding] {
        // The search needs a host for its URLs, and a wildcard is none.
        let example = HostPattern.example(of: host)
        let probes = apps.map { Probe($0, host: example) }
        var findings: [Finding] = []
        var pairs = 0
        var rulesLeft = Self.rulesMax
        var unknown: [AppFile] = []
        for (index, later) in apps.enumerated() {
            for (earlierIndex, earlier) in apps[..<index].enumerated() {
                pairs += 1
                if pairs <= Self.pairsMax, let finding = sampled(earlierIndex, index, probes) {
                    findings.append(finding)
                    continue
                }
                rulesLeft -=
                    min(earlier.links.count, SearchBudget.rulesMax) + min(later.links.count, SearchBudget.rulesMax)
                guard pairs <= Self.pairsMax, rulesLeft >= 0 else { return findings + [notExamined(later)] }
                switch overlap(earlier, later, host: example) {
                case .found(let finding): findings.append(finding)
                case .none: break
                case .unknown: unknown.append(later)
                }
            }
        }
        return findings + (unknown.last.map { [notExamined($0)] } ?? [])
    }

    /// The result of the search for one pair.
    private enum Answer {
        case found(Finding)
        case none
        case unknown
    }

    private func notExamined(_ app: AppFile) -> Finding {
        Finding(
            .app043, in: app, at: app.ranges.links,
            "the search for URLs that two apps claim is not complete, because \(host) has too many or too long rules")
    }

    /// An app's rules on iOS, with a URL for each of the first rules.
    private struct Probe {
        var matcher: AppleMatcher?
        var urls: [LinkURL] = []

        init(_ app: AppFile, host: String) {
            matcher = app.appleMatcher
            guard let matcher else { return }
            let candidates = WitnessCandidates(host: host, table: matcher.table)
            let links = app.links.lazy.filter { link in
                link.exclude != true && SearchBudget.allows(link.patternTexts)
            }
            urls = links.prefix(OverlapCheck.sampledMax).compactMap { link in
                let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
                return candidates.candidates(for: link, isEncoded: isEncoded, folds: false).first?.url
            }
        }
    }

    /// An overlap that is found without a search, with a URL of one of the rules.
    private func sampled(_ earlier: Int, _ later: Int, _ probes: [Probe]) -> Finding? {
        guard let first = probes[earlier].matcher, let second = probes[later].matcher else { return nil }
        for url in probes[later].urls + probes[earlier].urls {
            let (one, other) = (first.decide(url), second.decide(url))
            guard one.opens, other.opens, first.unsettled(url).isEmpty, second.unsettled(url).isEmpty else { continue }
            return finding(url, apps[earlier], apps[later], platform: "iOS", link: other.rule)
        }
        return nil
    }

    /// Rules of each app for which a URL is tried.
    private static let sampledMax = 20

    /// At most one finding for a pair, on either platform.
    private func overlap(_ wholeEarlier: AppFile, _ wholeLater: AppFile, host: String) -> Answer {
        let (earlier, later) = (Self.beginning(of: wholeEarlier), Self.beginning(of: wholeLater))
        var isComplete = earlier.links.count == wholeEarlier.links.count && later.links.count == wholeLater.links.count
        func witness(_ first: RuleList, _ second: RuleList) -> RuleWitness? {
            let answer = RuleComparison.overlap(of: first, and: second, host: host, limits: SearchBudget.limits)
            if answer == .unknown { isComplete = false }
            return answer.witnesses.first
        }
        if let first = earlier.appleMatcher, let second = later.appleMatcher,
            let witness = witness(.apple(first), .apple(second))
        {
            return .found(finding(witness.url, earlier, later, platform: "iOS", link: witness.second.rule))
        }
        if let first = earlier.androidRules, let second = later.androidRules {
            let lists = (AndroidMatcher(rules: first.rules), AndroidMatcher(rules: second.rules))
            if let witness = witness(.android(lists.0), .android(lists.1)) {
                let link = witness.second.rule.flatMap { second.origins.element(at: $0) }
                return .found(finding(witness.url, earlier, later, platform: "Android", link: link))
            }
        }
        return isComplete ? .none : .unknown
    }

    /// The app with the first of its rules, as many as a search can handle. The first rule that matches a URL decides, so
    /// a URL that both beginnings open is one that both apps open.
    private static func beginning(of app: AppFile) -> AppFile {
        var beginning = app
        let count = SearchBudget.count(
            of: app.links.map(\.patternTexts), table: SubstitutionTable(app.ios?.variables ?? []))
        beginning.links = Array(app.links.prefix(count))
        return beginning
    }

    private func finding(
        _ url: LinkURL, _ earlier: AppFile, _ later: AppFile, platform: String, link: Int?
    ) -> Finding {
        Finding(
            .app036, in: later, at: link.flatMap { later.links.element(at: $0)?.range } ?? later.ranges.links,
            "\(url.text) is also claimed by \(earlier.file); with both apps installed, \(platform) chooses one",
            fix: "exclude the URL in one of the two files, or narrow the rules")
    }
}
