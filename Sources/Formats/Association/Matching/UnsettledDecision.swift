// Whether a decision depends on something that is not known for certain about Apple's systems. Each doubtful point is read in the
// other plausible way, in the rules that have it. If the list then decides differently, the decision is unsettled.

/// The decision of a list about one URL, in each plausible reading.
struct UndocumentedDecision {
    private let matcher: AppleMatcher
    private let url: LinkURL
    private var views: URLViews
    /// Whether each rule matches in the ordinary reading, once it is evaluated.
    private var matches: [Bool?]
    /// The rules with a pattern that needed more steps than the limit.
    private var ranOut: Set<Int> = []

    init(_ matcher: AppleMatcher, _ url: LinkURL) {
        (self.matcher, self.url) = (matcher, url)
        views = URLViews(url)
        matches = Array(repeating: nil, count: matcher.count)
    }

    /// The points on which the decision depends. Rules have their numbers in the list as it was written.
    mutating func points() -> [UndocumentedBehaviour] {
        let decision = decide(doubting: nil)
        let last = decision.rule ?? matcher.count - 1
        var points: [UndocumentedBehaviour] = []
        func add(_ kind: UndocumentedBehaviour.Kind, _ other: AppleDecision) {
            guard other != decision else { return }
            let rule = min(other.rule ?? matcher.count - 1, last)
            points.append(UndocumentedBehaviour(kind, rule: matcher.number(of: max(rule, 0))))
        }
        let lastNumber = decision.rule.map(matcher.number) ?? .max
        for gap in matcher.gaps where gap < lastNumber {
            points.append(UndocumentedBehaviour(.ignoredElement, rule: gap))
        }
        let ranOut = ranOut
        for kind in Self.kindsWithReading { add(kind, decide(doubting: kind)) }
        if let resolved = url.withoutDotSegments { add(.dotSegments, matcher.decide(resolved)) }
        for (index, rule) in matcher.rules.prefix(last + 1).enumerated() {
            var kinds = rule.doubts.filter(Self.kindsWithoutReading.contains)
            // Whether a rule excludes matters only for the one that decides.
            let unread = rule.component.unreadFlags.filter { index == decision.rule || $0 != "exclude" }
            if !unread.isEmpty { kinds.append(.flagOfWrongType) }
            if ranOut.contains(index) { kinds.append(.tooManySteps) }
            points += kinds.map { UndocumentedBehaviour($0, rule: matcher.number(of: index)) }
        }
        let pieces = [url.pathBytes, url.queryBytes ?? [], url.fragmentBytes ?? []]
        if matcher.count > 0, !pieces.allSatisfy(Percent.isWellFormed) {
            points.append(UndocumentedBehaviour(.malformedEscape, rule: matcher.number(of: last)))
        }
        return points
    }

    /// Doubts without a second reading to compare with.
    private static let kindsWithoutReading: Set<UndocumentedBehaviour.Kind> = [
        .backslash, .nestedVariable, .variableSlash,
    ]

    private static let kindsWithReading: [UndocumentedBehaviour.Kind] = [
        .addedSlash, .plusSign, .foldedItemName, .notWithoutSpace, .lowerCaseNot, .defaultsOnPaths, .dotSegments,
        .shadowedVariable, .bareVariable,
    ]

    /// The decision with the other reading of a doubtful point.
    private mutating func decide(doubting kind: UndocumentedBehaviour.Kind?) -> AppleDecision {
        for index in matcher.rules.indices {
            var rule = matcher.rules[index]
            if let other = kind.flatMap({ otherReading(of: rule, index, doubting: $0) }) {
                rule = other.rule
                guard other.matchesRest(&views), AppleMatcher.holds(rule, &views) else { continue }
            } else if !matches(index) {
                continue
            }
            return rule.excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return .none
    }

    private mutating func matches(_ index: Int) -> Bool {
        if let known = matches[index] { return known }
        views.ranOut = false
        let outcome = AppleMatcher.holds(matcher.rules[index], &views)
        if views.ranOut { ranOut.insert(index) }
        matches[index] = outcome
        return outcome
    }

    /// A rule in another reading: what is compared in the ordinary way, and the rest.
    private struct OtherReading {
        let rule: AppleRule
        var matchesRest: (inout URLViews) -> Bool = { _ in true }
    }

    /// A rule with a doubtful point read in the other way; nil if it does not have the point.
    private func otherReading(of rule: AppleRule, _ index: Int, doubting kind: UndocumentedBehaviour.Kind)
        -> OtherReading?
    {
        switch kind {
        case .addedSlash:
            guard rule.mayConsumeAddedSlash, let written = rule.component.path else { return nil }
            let pattern = AppleSlashes.dropped(ParsedPattern(written))
            let path = URLView(url, rule.reading, dropsSlashes: true).path
            let isMatch = GlobPattern(pattern, folds: rule.reading.folds, table: matcher.table).matches(path)
            return OtherReading(rule: rule.withoutPath) { _ in isMatch }
        case .plusSign:
            guard case .items(let wanted) = rule.query, let query = url.queryBytes,
                query.contains(UInt8(ascii: "+"))
            else { return nil }
            let spaced = query.flatMap { $0 == UInt8(ascii: "+") ? Percent.escape(0x20) : [$0] }
            let items = QueryItems(spaced, rule.reading)
            return OtherReading(rule: rule.withoutQuery) { views in
                wanted.allSatisfy { AppleMatcher.holds($0, in: items, &views) }
            }
        case .foldedItemName:
            guard rule.reading.folds, case .items(let wanted) = rule.query, url.queryBytes != nil else { return nil }
            return OtherReading(rule: rule.withoutQuery) { views in
                let items = views.items(rule.reading).foldingNames()
                return wanted.allSatisfy { AppleMatcher.holds($0.foldingName(), in: items, &views) }
            }
        default:
            guard rule.doubts.contains(kind) else { return nil }
            return otherRule(rule.component, index, doubting: kind).map { OtherReading(rule: $0) }
        }
    }

    /// A rule compiled from its other reading.
    private func otherRule(_ written: AppleComponent, _ index: Int, doubting kind: UndocumentedBehaviour.Kind)
        -> AppleRule?
    {
        var component = written
        switch (kind, matcher.legacyPaths?[index]) {
        case (.notWithoutSpace, let path?), (.lowerCaseNot, let path?):
            let not = LegacyNot(path)
            component.path = not.otherPattern
            component.exclude = !not.excludes
        case (.defaultsOnPaths, let path?):
            component = AppleComponent(legacyPath: path)
            component.exclude = component.exclude == true ? true : nil
            component = component.inheriting(from: matcher.defaults)
        case (.dotSegments, _): component.path = component.path.map { DotSegments.removed(from: $0) ?? $0 }
        case (.bareVariable, _): return AppleRule(component, table: matcher.table.droppingBare)
        case (.shadowedVariable, _): return AppleRule(component, table: matcher.table.preferringPredefined)
        default: return nil
        }
        return AppleRule(component, table: matcher.table)
    }
}
