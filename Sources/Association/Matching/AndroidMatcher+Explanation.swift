// Tells in words why a URL falls to a rule on Android, and where that rests on something only AOSP is known to do.

extension AndroidMatcher {
    /// What happened to each rule in order, up to the one that decided.
    public func explain(_ url: LinkURL) -> [MatchStep] {
        if let index = discardedBecauseOf {
            let message =
                "rule \(index) has an empty field, so Android throws all the rules away and the manifest decides alone"
            return [MatchStep(rule: index, outcome: .leftOpen, message: message, range: rules[index].range)]
        }
        if rules.isEmpty {
            let message = "there are no rules, so the manifest decides alone"
            return [MatchStep(rule: nil, outcome: .leftOpen, message: message)]
        }
        let view = AndroidView(url)
        var steps: [MatchStep] = []
        for index in rules.indices {
            let range = rules[index].range
            if let (part, message) = failure(of: index, url, view) {
                steps.append(
                    MatchStep(
                        failed: part, rule: index, path: rules[index].path, url, message: "rule \(index) \(message)",
                        range: range))
                continue
            }
            let excludes = rules[index].exclude
            let outcome =
                excludes
                ? "excludes the URL, so it stays in the browser"
                : "matches, so the app opens if its manifest covers the URL"
            steps.append(
                MatchStep(
                    rule: index, outcome: excludes ? .staysInBrowser : .opens, message: "rule \(index) \(outcome)",
                    range: range))
            return steps
        }
        let message = "no rule matches, so the URL stays in the browser"
        steps.append(MatchStep(rule: nil, outcome: .staysInBrowser, message: message))
        return steps
    }

    private func failure(of index: Int, _ url: LinkURL, _ view: AndroidView) -> (MatchStep.Part, String)? {
        let rule = rules[index]
        let compiled = compiled[index]
        if compiled.isEmpty { return (.rule, "has no `/`, `?` or `#`, and such a rule never matches on Android") }
        if let path = compiled.path, !path.matches(view.path) {
            let found = PatternDescription.found(String(decoding: view.path, as: UTF16.self))
            return (.path, "needs the path to \(demand(rule.path)); the URL has \(found)" + starHint(path))
        }
        if let fragment = compiled.fragment, view.fragment.map({ fragment.matches($0) }) != true {
            let found = PatternDescription.found(view.fragment.map { String(decoding: $0, as: UTF16.self) })
            let absent = view.fragment == nil ? ", and what is absent matches nothing" : ""
            return (.fragment, "needs the fragment to \(demand(rule.fragment)); the URL has \(found)\(absent)")
        }
        for (item, glob) in zip(rule.query ?? [], compiled.items ?? [])
        where !view.items.contains(where: { glob.matches($0) }) {
            let prefix = Array((item.name + "=").utf16)
            let values = view.items.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count) }
            let found = PatternDescription.found(values.first.map { String(decoding: $0, as: UTF16.self) })
            let bare = view.items.contains { $0.elementsEqual(item.name.utf16) } ? " with a `=` after it" : ""
            let message = "needs query `\(item.name)` to \(demand(item.pattern)); the URL has \(found)\(bare)"
            return (.queryItem(item.name), message + starHint(glob))
        }
        return nil
    }

    private func demand(_ pattern: String?) -> String { PatternDescription.demand(pattern ?? "") }

    /// Android's star surprises everybody who knows another one.
    private func starHint(_ glob: AndroidGlob) -> String {
        let hasInnerStar = glob.steps.contains { step in
            if case .through = step { return true }
            return false
        }
        return hasInnerStar ? " (on Android `*` stops at the first character that may follow it)" : ""
    }

    /// The points that are doubtful whatever the URL.
    public var unsettled: [UnsettledPoint] {
        compiled.indices.filter { index in
            let globs = [compiled[index].path, compiled[index].fragment].compactMap { $0 }
            return (globs + (compiled[index].items ?? [])).contains(where: \.hasStarLookahead)
        }.map { UnsettledPoint(.starLookahead, rule: $0) }
    }

    /// The points on which the decision about `url` rests.
    public func unsettled(_ url: LinkURL) -> [UnsettledPoint] {
        let decision = decide(url)
        guard decision != .manifest else { return [] }
        let view = AndroidView(url)
        let tried = 0...(decision.rule ?? rules.count - 1)
        var points = unsettled.filter { tried.contains($0.rule) }
        for index in tried {
            if rules[index].fragment == "*", view.fragment == nil {
                points.append(UnsettledPoint(.absentPart, rule: index))
            }
            for item in rules[index].query ?? []
            where item.pattern == "*" && view.items.contains(where: { $0.elementsEqual(item.name.utf16) }) {
                points.append(UnsettledPoint(.itemWithoutEquals, rule: index))
            }
            if view.isCutAtSemicolons, let items = compiled[index].items {
                let uncut = AndroidView(url, semicolonsSeparate: false).items
                if items.contains(where: { glob in
                    view.items.contains { glob.matches($0) } != uncut.contains { glob.matches($0) }
                }) {
                    points.append(UnsettledPoint(.semicolonSeparator, rule: index))
                }
            }
        }
        if url.withoutDotSegments.map(decide) ?? decision != decision {
            points.append(UnsettledPoint(.dotSegments, rule: tried.upperBound))
        }
        let pieces = [url.pathBytes, url.queryBytes ?? [], url.fragmentBytes ?? []]
        if !pieces.allSatisfy(Percent.isWellFormed) {
            points.append(UnsettledPoint(.malformedEscape, rule: tried.upperBound))
        }
        return points
    }
}
