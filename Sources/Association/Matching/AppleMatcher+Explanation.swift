// Tells in words why a URL falls to a rule on Apple's systems: for each rule that was tried, the part that failed, what
// it wanted and what the URL has; last, the rule that decided.

extension AppleMatcher {
    /// What happened to each rule in order, up to the one that decided.
    public func explain(_ url: LinkURL) -> [MatchStep] {
        var views = URLViews(url)
        var steps: [MatchStep] = []
        for (index, rule) in rules.enumerated() {
            let range = rule.component.range
            let number = number(of: index)
            if let (part, message) = Self.failure(of: rule, url, &views) {
                steps.append(
                    MatchStep(
                        failed: part, rule: index, path: rule.component.path, url, message: "rule \(number) \(message)",
                        range: range))
                continue
            }
            let outcome = rule.excludes ? "excludes the URL, so it stays in the browser" : "matches, so the app opens"
            let constrained = rule.path != nil || rule.query != nil || rule.fragment != nil
            steps.append(
                MatchStep(
                    rule: index, outcome: rule.excludes ? .staysInBrowser : .opens,
                    message: "rule \(number) \(outcome)"
                        + (constrained ? "" : "; it has no `/`, `?` or `#`, so it holds for every URL"),
                    range: range))
            return steps
        }
        let message = rules.isEmpty ? "there are no rules" : "no rule matches"
        steps.append(
            MatchStep(rule: nil, outcome: .staysInBrowser, message: message + ", so the URL stays in the browser"))
        return steps
    }

    private static func failure(
        of rule: AppleRule, _ url: LinkURL, _ views: inout URLViews
    ) -> (MatchStep.Part, String)? {
        let view = views.view(rule.reading)
        let manner = manner(of: rule.reading)
        if let path = rule.path, !views.matches(path, view.path) {
            let found = "the URL has \(PatternDescription.quoted(url.path.isEmpty ? "/" : url.path))"
            return (.path, "needs the path to \(demand(rule.component.path, path))\(manner); \(found)")
        }
        if let fragment = rule.fragment, !views.matches(fragment, view.fragment) {
            let found = "the URL has \(PatternDescription.found(url.fragment))"
            return (.fragment, "needs the fragment to \(demand(rule.component.fragment, fragment))\(manner); \(found)")
        }
        switch (rule.query, rule.component.query) {
        case (.whole(let pattern), .whole(let written)) where !views.matches(pattern, view.query):
            let found = "the URL has \(PatternDescription.found(url.query))"
            return (.query, "needs the whole query to \(demand(written, pattern))\(manner); \(found)")
        case (.items(let wanted), _):
            let items = views.items(rule.reading)
            guard let item = wanted.first(where: { !holds($0, in: items, &views) }) else { return nil }
            return (.queryItem(item.name), describe(item, in: items, manner))
        default: return nil
        }
    }

    private static func describe(_ item: AppleRule.Query.Item, in items: QueryItems, _ manner: String) -> String {
        let values = items.items.indices.filter { items.hasName(item.nameBytes, $0) }.map { items.items[$0].value }
        let failing = values.first { !item.pattern.matches(items.bytes, $0) }
        let found = failing.map { String(decoding: items.bytes[$0], as: UTF8.self) }
        let hint = values.count > 1 ? ", and every occurrence has to match" : ""
        return "needs query `\(item.name)` to \(demand(item.written, item.pattern))\(manner); the URL has "
            + PatternDescription.found(found) + hint
    }

    private static func demand(_ written: String?, _ pattern: GlobPattern) -> String {
        let text = PatternDescription.demand(written ?? "")
        let isBroken = pattern.elements.contains(where: \.isNever)
        return isBroken ? text + " (which nothing does, because a variable in it is not defined)" : text
    }

    private static func manner(of reading: URLReading) -> String {
        switch (reading.decodes, reading.folds) {
        case (false, false): ""
        case (true, false): " once decoded"
        case (false, true): " in any case"
        case (true, true): " once decoded, in any case"
        }
    }
}
