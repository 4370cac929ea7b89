// Says where a decision rests on something that is not known for certain. Each doubtful reading is carried out, and
// where it decides otherwise the decision is unsettled.

extension AppleMatcher {
    /// The points that are doubtful whatever the URL.
    public var unsettled: [UnsettledPoint] {
        rules.indices.flatMap { index in
            (rules[index].doubts + (rules[index].mayConsumeAddedSlash ? [.addedSlash] : []))
                .map { UnsettledPoint($0, rule: index) }
        }
    }

    /// The points on which the decision about `url` rests: another plausible reading would decide otherwise.
    public func unsettled(_ url: LinkURL) -> [UnsettledPoint] {
        let decision = decide(url)
        let last = decision.rule ?? rules.count - 1
        var points: [UnsettledPoint] = []
        func note(_ kind: UnsettledPoint.Kind, _ other: AppleDecision) {
            guard other != decision else { return }
            let rule = min(other.rule ?? rules.count - 1, last)
            points.append(UnsettledPoint(kind, rule: max(rule, 0)))
        }
        for doubt in Doubt.allCases where doubt.isPossible(for: self, url) {
            note(doubt.kind, decide(url, doubting: doubt))
        }
        for (kind, other) in otherMatchers() { note(kind, other.decide(url)) }
        if let resolved = url.withoutDotSegments { note(.dotSegments, decide(resolved)) }
        for index in rules.indices.prefix(last + 1) {
            for kind in rules[index].doubts where Self.doubtsWithoutReading.contains(kind) {
                points.append(UnsettledPoint(kind, rule: index))
            }
            if Self.runsOut(rules[index], url) { points.append(UnsettledPoint(.tooManySteps, rule: index)) }
        }
        let pieces = [url.pathBytes, url.queryBytes ?? [], url.fragmentBytes ?? []]
        if !rules.isEmpty, !pieces.allSatisfy(Percent.isWellFormed) {
            points.append(UnsettledPoint(.malformedEscape, rule: last))
        }
        return points
    }

    /// Doubts with no second reading to compare with: nobody knows what the platform does.
    private static let doubtsWithoutReading: Set<UnsettledPoint.Kind> = [.backslash, .nestedVariable, .variableSlash]

    /// A reading that changes how one rule is compared.
    enum Doubt: CaseIterable {
        case addedSlash, plusSign, foldedItemName

        var kind: UnsettledPoint.Kind {
            switch self {
            case .addedSlash: .addedSlash
            case .plusSign: .plusSign
            case .foldedItemName: .foldedItemName
            }
        }

        func isPossible(for matcher: AppleMatcher, _ url: LinkURL) -> Bool {
            switch self {
            case .addedSlash: matcher.rules.contains(where: \.mayConsumeAddedSlash)
            case .plusSign: url.queryBytes?.contains(UInt8(ascii: "+")) == true
            case .foldedItemName: matcher.rules.contains(where: \.reading.folds) && url.queryBytes != nil
            }
        }
    }

    /// The decision with one doubtful reading followed instead.
    func decide(_ url: LinkURL, doubting doubt: Doubt) -> AppleDecision {
        for (index, rule) in rules.enumerated() where holds(rule, url, doubting: doubt) {
            return rule.excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return .none
    }

    private func holds(_ rule: AppleRule, _ url: LinkURL, doubting doubt: Doubt) -> Bool {
        var views = URLViews(url)
        switch doubt {
        case .addedSlash:
            guard rule.mayConsumeAddedSlash, let written = rule.component.path else {
                return Self.holds(rule, &views)
            }
            let tokens = AppleSlashes.dropped(PatternToken.tokens(of: written))
            let path = URLView(url, rule.reading, dropsSlashes: true).path
            return GlobPattern(tokens, folds: rule.reading.folds, table: table).matches(path)
                && Self.holds(rule.withoutPath, &views)
        case .plusSign:
            guard case .items(let wanted) = rule.query, let query = url.queryBytes else {
                return Self.holds(rule, &views)
            }
            let spaced = query.flatMap { $0 == UInt8(ascii: "+") ? Percent.escape(0x20) : [$0] }
            let items = QueryItems(spaced, rule.reading)
            return wanted.allSatisfy { Self.holds($0, in: items) } && Self.holds(rule.withoutQuery, &views)
        case .foldedItemName:
            guard rule.reading.folds, case .items(let wanted) = rule.query else { return Self.holds(rule, &views) }
            let items = views.items(rule.reading).foldingNames()
            return wanted.allSatisfy { Self.holds($0.foldingName(), in: items) }
                && Self.holds(rule.withoutQuery, &views)
        }
    }

    /// The list under readings that change the rules themselves.
    private func otherMatchers() -> [(UnsettledPoint.Kind, AppleMatcher)] {
        let doubts = Set(rules.flatMap(\.doubts))
        var others: [(UnsettledPoint.Kind, AppleMatcher)] = []
        if let legacyPaths {
            for kind in [UnsettledPoint.Kind.notWithoutSpace, .lowerCaseNot] where doubts.contains(kind) {
                let components = legacyPaths.map { path in
                    var component = AppleComponent(legacyPath: path, defaults: defaults)
                    let not = LegacyNot(path)
                    if not.doubt == kind {
                        component.path = not.otherPattern
                        component.exclude = !not.excludes
                    }
                    return component
                }
                others.append((kind, AppleMatcher(components: components, variables: variables)))
            }
            if doubts.contains(.defaultsOnPaths) {
                let components = legacyPaths.map { path in
                    var component = AppleComponent(legacyPath: path)
                    component.exclude = component.exclude == true ? true : nil
                    return component
                }
                let other = AppleMatcher(components: components, defaults: defaults, variables: variables)
                others.append((.defaultsOnPaths, other))
            }
        }
        if doubts.contains(.dotSegments) {
            let resolved = components.map { component in
                var component = component
                component.path = component.path.map { DotSegments.removed(from: $0) ?? $0 }
                return component
            }
            others.append((.dotSegments, AppleMatcher(components: resolved, variables: variables)))
        }
        if doubts.contains(.shadowedVariable) {
            let table = SubstitutionTable(variables, prefersPredefined: true)
            others.append((.shadowedVariable, AppleMatcher(inherited: components, table: table)))
        }
        return others
    }

    private static func runsOut(_ rule: AppleRule, _ url: LinkURL) -> Bool {
        let view = URLView(url, rule.reading)
        func runsOut(_ pattern: GlobPattern?, _ bytes: [UInt8]) -> Bool {
            pattern.map { $0.test(bytes, 0..<bytes.count) == nil } ?? false
        }
        if runsOut(rule.path, view.path) || runsOut(rule.fragment, view.fragment) { return true }
        switch rule.query {
        case nil: return false
        case .whole(let pattern): return runsOut(pattern, view.query)
        case .items(let wanted):
            let items = QueryItems(url.queryBytes, rule.reading)
            return wanted.contains { item in
                items.items.contains { item.pattern.test(items.bytes, $0.value) == nil }
            }
        }
    }
}
