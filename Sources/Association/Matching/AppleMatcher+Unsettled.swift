// Says where a decision rests on something that is not known for certain. Each doubtful reading is carried out on the
// rules that it touches, and where the list then decides otherwise the decision is unsettled.

extension AppleMatcher {
    /// The points that are doubtful whatever the URL.
    public var unsettled: [UnsettledPoint] {
        rules.indices.flatMap { index in
            (rules[index].doubts + (rules[index].mayConsumeAddedSlash ? [.addedSlash] : []))
                .map { UnsettledPoint($0, rule: index) }
        }
    }

    /// The points on which the decision about `url` rests: another plausible reading would decide otherwise. Rules have
    /// their numbers in the list as it was written.
    public func unsettled(_ url: LinkURL) -> [UnsettledPoint] {
        var outcomes = RuleOutcomes(self, url)
        let decision = outcomes.decide { _ in nil }
        let last = decision.rule ?? rules.count - 1
        let ranOut = outcomes.ranOut
        var points: [UnsettledPoint] = []
        func note(_ kind: UnsettledPoint.Kind, _ other: AppleDecision) {
            guard other != decision else { return }
            let rule = min(other.rule ?? rules.count - 1, last)
            points.append(UnsettledPoint(kind, rule: number(of: max(rule, 0))))
        }
        let lastNumber = decision.rule.map(number) ?? .max
        for gap in gaps where gap < lastNumber { points.append(UnsettledPoint(.ignoredElement, rule: gap)) }
        for kind in Self.readings {
            note(kind, outcomes.decide { otherReading(of: $0, url, doubting: kind) })
        }
        if let resolved = url.withoutDotSegments { note(.dotSegments, decide(resolved)) }
        for index in rules.indices.prefix(last + 1) {
            for kind in rules[index].doubts where Self.doubtsWithoutReading.contains(kind) {
                points.append(UnsettledPoint(kind, rule: number(of: index)))
            }
            let unread = rules[index].component.unreadFlags
            // Whether it excludes matters of the rule that decides alone.
            if index == decision.rule ? !unread.isEmpty : unread.contains(where: { $0 != "exclude" }) {
                points.append(UnsettledPoint(.flagOfWrongType, rule: number(of: index)))
            }
            if ranOut.contains(index) { points.append(UnsettledPoint(.tooManySteps, rule: number(of: index))) }
        }
        let pieces = [url.pathBytes, url.queryBytes ?? [], url.fragmentBytes ?? []]
        if !rules.isEmpty, !pieces.allSatisfy(Percent.isWellFormed) {
            points.append(UnsettledPoint(.malformedEscape, rule: number(of: last)))
        }
        return points
    }

    /// Doubts with no second reading to compare with: nobody knows what the platform does.
    private static let doubtsWithoutReading: Set<UnsettledPoint.Kind> = [.backslash, .nestedVariable, .variableSlash]

    /// Doubts with a second reading.
    private static let readings: [UnsettledPoint.Kind] = [
        .addedSlash, .plusSign, .foldedItemName, .notWithoutSpace, .lowerCaseNot, .defaultsOnPaths, .dotSegments,
        .shadowedVariable, .bareVariable,
    ]

    /// What a rule says to `url` when one doubtful thing is read the other way; nil where that leaves the rule alone.
    private func otherReading(
        of index: Int, _ url: LinkURL, doubting kind: UnsettledPoint.Kind
    ) -> AppleRule.OtherReading? {
        let rule = rules[index]
        switch kind {
        case .addedSlash:
            guard rule.mayConsumeAddedSlash, let written = rule.component.path else { return nil }
            let pattern = AppleSlashes.dropped(ParsedPattern(written))
            let path = URLView(url, rule.reading, dropsSlashes: true).path
            let matches = GlobPattern(pattern, folds: rule.reading.folds, table: table).matches(path)
            return .init(rule: rule.withoutPath, rest: { _ in matches })
        case .plusSign:
            guard case .items(let wanted) = rule.query, let query = url.queryBytes,
                query.contains(UInt8(ascii: "+"))
            else { return nil }
            let spaced = query.flatMap { $0 == UInt8(ascii: "+") ? Percent.escape(0x20) : [$0] }
            let items = QueryItems(spaced, rule.reading)
            return .init(rule: rule.withoutQuery) { views in
                wanted.allSatisfy { Self.holds($0, in: items, &views) }
            }
        case .foldedItemName:
            guard rule.reading.folds, case .items(let wanted) = rule.query, url.queryBytes != nil else { return nil }
            return .init(rule: rule.withoutQuery) { views in
                let items = views.items(rule.reading).foldingNames()
                return wanted.allSatisfy { Self.holds($0.foldingName(), in: items, &views) }
            }
        default:
            guard rule.doubts.contains(kind) else { return nil }
            return otherRule(index, doubting: kind).map { .init(rule: $0, rest: { _ in true }) }
        }
    }

    /// The rule itself, compiled from what it says in another reading.
    private func otherRule(_ index: Int, doubting kind: UnsettledPoint.Kind) -> AppleRule? {
        var component = rules[index].component
        switch (kind, legacyPaths?[index]) {
        case (.notWithoutSpace, let path?), (.lowerCaseNot, let path?):
            let not = LegacyNot(path)
            component.path = not.otherPattern
            component.exclude = !not.excludes
        case (.defaultsOnPaths, let path?):
            component = AppleComponent(legacyPath: path)
            component.exclude = component.exclude == true ? true : nil
            component = component.inheriting(from: defaults)
        case (.dotSegments, _): component.path = component.path.map { DotSegments.removed(from: $0) ?? $0 }
        case (.bareVariable, _): return AppleRule(component, table: table.droppingBare)
        case (.shadowedVariable, _): return AppleRule(component, table: table.preferringPredefined)
        default: return nil
        }
        return AppleRule(component, table: table)
    }
}

extension AppleRule {
    /// The rule as another reading has it: what is compared as ever, and what takes a look of its own.
    package struct OtherReading {
        package let rule: AppleRule
        package let rest: (inout URLViews) -> Bool
    }
}

/// What the rules of a list say to one URL, each asked once.
private struct RuleOutcomes {
    private let rules: [AppleRule]
    private var views: URLViews
    private var known: [Bool?]
    /// The rules with a pattern that needed more steps than the limit.
    private(set) var ranOut: Set<Int> = []

    init(_ matcher: AppleMatcher, _ url: LinkURL) {
        rules = matcher.rules
        views = URLViews(url)
        known = Array(repeating: nil, count: rules.count)
    }

    /// The decision with the other reading of some rules in the place of theirs.
    mutating func decide(_ other: (Int) -> AppleRule.OtherReading?) -> AppleDecision {
        for index in rules.indices {
            if let reading = other(index) {
                guard reading.rest(&views), AppleMatcher.holds(reading.rule, &views) else { continue }
                return reading.rule.excludes ? .exclude(rule: index) : .match(rule: index)
            }
            guard holds(index) else { continue }
            return rules[index].excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return .none
    }

    private mutating func holds(_ index: Int) -> Bool {
        if let outcome = known[index] { return outcome }
        views.ranOut = false
        let outcome = AppleMatcher.holds(rules[index], &views)
        if views.ranOut { ranOut.insert(index) }
        known[index] = outcome
        return outcome
    }
}
