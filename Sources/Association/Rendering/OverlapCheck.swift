// Several apps on one host may claim the same URL. With both on a phone, which one opens is up to the system, so every
// such pair is shown with a URL that both open.

/// Looks for URLs that two apps of a host claim.
struct OverlapCheck {
    /// In merge order.
    let apps: [AppFile]
    let host: String

    /// Pairs grow with the square of the apps; past this many, the host has another problem.
    private static let pairsMax = 500

    func findings() -> [Finding] {
        // A pattern over hosts has no URL; the search needs some host, whichever.
        let probe = host.hasPrefix("*.") ? "www" + host.dropFirst() : host
        var findings: [Finding] = []
        var pairs = 0
        for (index, later) in apps.enumerated() {
            for earlier in apps[..<index] {
                pairs += 1
                guard pairs <= Self.pairsMax else { return findings }
                if let finding = overlap(earlier, later, host: probe) { findings.append(finding) }
            }
        }
        return findings
    }

    /// One finding for a pair, whatever platforms it is on.
    private func overlap(_ earlier: AppFile, _ later: AppFile, host: String) -> Finding? {
        let (earlier, later) = (Self.beginning(of: earlier), Self.beginning(of: later))
        func witness(_ first: RuleList, _ second: RuleList) -> RuleWitness? {
            RuleComparison.overlap(of: first, and: second, host: host, limits: ListScope.limits).witnesses.first
        }
        if let first = earlier.appleMatcher, let second = later.appleMatcher,
            let witness = witness(.apple(first), .apple(second))
        {
            return finding(witness, earlier, later, platform: "iOS", link: witness.second.rule)
        }
        if let first = earlier.androidRules, let second = later.androidRules {
            let lists = (AndroidMatcher(rules: first.rules), AndroidMatcher(rules: second.rules))
            if let witness = witness(.android(lists.0), .android(lists.1)) {
                let link = witness.second.rule.flatMap { second.origins.element(at: $0) }
                return finding(witness, earlier, later, platform: "Android", link: link)
            }
        }
        return nil
    }

    /// The app with as many of its rules as a search takes on. The first rule that matches decides, so what both
    /// beginnings open, both apps open.
    private static func beginning(of app: AppFile) -> AppFile {
        var scope = ListScope()
        var beginning = app
        beginning.links = Array(
            app.links.prefix(
                scope.take(app.links.map(\.patternTexts), table: SubstitutionTable(app.ios?.variables ?? []))))
        return beginning
    }

    private func finding(
        _ witness: RuleWitness, _ earlier: AppFile, _ later: AppFile, platform: String, link: Int?
    ) -> Finding {
        Finding(
            .appsOverlap, in: later, at: link.flatMap { later.links.element(at: $0)?.range } ?? later.ranges.links,
            "\(witness.url.text) is claimed by \(earlier.file) too; with both apps installed, \(platform) chooses",
            fix: "exclude it in one of the two, or narrow the rules")
    }
}
