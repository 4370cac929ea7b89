// Decides which rule of an app's list applies to a URL on Apple's systems (reference A.6): the first one of which every part
// matches. The patterns are compiled once; a decision walks them and allocates almost nothing.

package import SourceJSON

/// An app's ordered rules, ready to decide.
public struct AppleMatcher: Sendable {
    package private(set) var rules: [AppleRule]
    package let table: SubstitutionTable
    /// The strings of a `paths` list; nil for components.
    package let legacyPaths: [String]?
    package let defaults: [AppleComponent]
    /// The places in the written list of elements that are not rules; in ascending order.
    package var gaps: [Int] = []
    /// Whether the rules are the links of an app file, which messages call `links[0]`.
    var isOfAppFile = false

    /// The rules of a `components` list. `defaults` are nearest first: those of the detail, then those of `applinks`.
    public init(components: [AppleComponent], defaults: [AppleComponent] = [], variables: [SubstitutionVariable] = []) {
        self.init(components: components, defaults: defaults, table: SubstitutionTable(variables))
    }

    /// The same with the variables of a file that has many lists.
    package init(components: [AppleComponent], defaults: [AppleComponent], table: SubstitutionTable) {
        self.defaults = defaults
        legacyPaths = nil
        self.table = table
        rules = components.map { AppleRule($0.inheriting(from: defaults), table: table) }
    }

    /// The rules of a legacy `paths` list, in which `NOT ` excludes, and queries and fragments are not compared.
    public init(paths: [String], defaults: [AppleComponent] = [], variables: [SubstitutionVariable] = []) {
        self.init(paths: paths, defaults: defaults, table: SubstitutionTable(variables))
    }

    /// The same for a list in a file; `ranges` are the places of the paths.
    package init(paths: [String], ranges: [SourceRange] = [], defaults: [AppleComponent], table: SubstitutionTable) {
        self.defaults = defaults
        legacyPaths = paths
        self.table = table
        let hasPatterns = defaults.contains {
            $0.path != nil || $0.query != nil || $0.fragment != nil || $0.exclude == true
        }
        rules = paths.enumerated().map { index, path in
            let doubts = [LegacyNot(path).doubt, hasPatterns ? .defaultsOnPaths : nil].compactMap { $0 }
            var component = AppleComponent(legacyPath: path, defaults: defaults)
            component.range = ranges.element(at: index)
            return AppleRule(component, table: table, doubts: doubts)
        }
    }

    /// The rules of both lists, one after the other; only to compare them with each other.
    package init(joining first: AppleMatcher, _ second: AppleMatcher) {
        defaults = []
        legacyPaths = nil
        table = first.table
        rules = first.rules + second.rules
    }

    public var count: Int { rules.count }

    /// The same with only the first rules, for a list that is too long for a search.
    package func prefix(_ count: Int) -> AppleMatcher {
        var matcher = self
        matcher.rules = Array(rules.prefix(count))
        return matcher
    }

    /// The place of a rule in the written list, where invalid elements count too. Messages, such as those of `explain`,
    /// call the rule by this number.
    public func number(of rule: Int) -> Int {
        gaps.reduce(rule) { number, gap in gap <= number ? number + 1 : number }
    }

    private func name(_ number: Int) -> String { isOfAppFile ? "links[\(number)]" : "rule \(number)" }

    /// A point in words, with the name of its rule.
    public func message(of point: UndocumentedBehaviour) -> String { "\(name(point.rule)): \(point.kind.message)" }

    /// The rules with their inherited values.
    public var components: [AppleComponent] { rules.map(\.component) }

    /// The decision of the rules about `url`. The host is not compared: the caller chooses the rules for it.
    public func decide(_ url: LinkURL) -> AppleDecision {
        var work = Int.max
        return decide(url, workLeft: &work) ?? .none
    }

    /// The same with a limit on the work: a fixed amount for each rule tried, and the worst case of its patterns. Nil if that
    /// is more than `workLeft`.
    package func decide(_ url: LinkURL, workLeft: inout Int) -> AppleDecision? {
        var views = URLViews(url)
        defer { workLeft -= views.work }
        for index in rules.indices {
            guard views.work < workLeft else { return nil }
            guard Self.holds(rules[index], &views) else { continue }
            return rules[index].excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return AppleDecision.none
    }

    /// The points on which the decision about `url` depends: another plausible reading would decide differently.
    public func unsettled(_ url: LinkURL) -> [UndocumentedBehaviour] {
        var decision = UndocumentedDecision(self, url)
        return decision.points()
    }

    /// Whether every part of a rule matches; the cheap ones are compared first.
    package static func holds(_ rule: AppleRule, _ views: inout URLViews) -> Bool {
        if rule.reading.isPlain {
            if let path = rule.path, !views.matches(path, views.plain.path) { return false }
            if let fragment = rule.fragment, !views.matches(fragment, views.plain.fragment) { return false }
        } else if rule.path != nil || rule.fragment != nil {
            let view = views.view(rule.reading)
            if let path = rule.path, !views.matches(path, view.path) { return false }
            if let fragment = rule.fragment, !views.matches(fragment, view.fragment) { return false }
        }
        switch rule.query {
        case nil: return true
        case .whole(let pattern): return views.matches(pattern, views.view(rule.reading).query)
        case .items(let wanted):
            let items = views.items(rule.reading)
            return wanted.allSatisfy { holds($0, in: items, &views) }
        }
    }

    /// Every occurrence has to match; an absent item is like an empty one.
    package static func holds(_ wanted: AppleRule.Query.Item, in items: QueryItems, _ views: inout URLViews) -> Bool {
        let pattern = wanted.pattern
        if pattern.acceptsEverything { return true }
        return items.allValues(of: wanted.nameBytes) { views.matches(pattern, items.bytes, $0) }
            ?? views.matches(pattern, [])
    }

    /// The result of each rule in order, up to the one that decides.
    public func explain(_ url: LinkURL) -> [MatchStep] {
        var views = URLViews(url)
        var steps: [MatchStep] = []
        for (index, rule) in rules.enumerated() {
            let range = rule.component.range
            let name = name(number(of: index))
            if let (part, message) = failure(of: rule, url, &views) {
                steps.append(
                    MatchStep(
                        failed: part, rule: index, path: rule.component.path, url, message: "\(name) \(message)",
                        range: range))
                continue
            }
            let outcome = rule.excludes ? "excludes the URL, so it stays in the browser" : "matches, so the app opens"
            let constrained = rule.path != nil || rule.query != nil || rule.fragment != nil
            steps.append(
                MatchStep(
                    rule: index, outcome: rule.excludes ? .staysInBrowser : .opens,
                    message: "\(name) \(outcome)"
                        + (constrained ? "" : "; it has no `/`, `?` or `#`, so it matches every URL"),
                    path: rule.component.path, range: range))
            return steps
        }
        let message = rules.isEmpty ? "there are no rules" : "no rule matches"
        steps.append(
            MatchStep(rule: nil, outcome: .staysInBrowser, message: message + ", so the URL stays in the browser"))
        return steps
    }

    private func failure(of rule: AppleRule, _ url: LinkURL, _ views: inout URLViews) -> (MatchStep.Part, String)? {
        let view = views.view(rule.reading)
        let manner = Self.manner(of: rule.reading)
        func demand(_ written: String?, _ pattern: GlobPattern) -> String { Self.demand(written, pattern) }
        if let path = rule.path, !views.matches(path, view.path) {
            let found = "the URL has \(PatternDescription.quoted(url.path.isEmpty ? "/" : url.path))"
            let hint = differsInCase(rule, url) ? PatternDescription.caseHint : ""
            return (.path, "needs the path to \(demand(rule.component.path, path))\(manner); \(found)\(hint)")
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
            guard let item = wanted.first(where: { !Self.holds($0, in: items, &views) }) else { return nil }
            return (.queryItem(item.name), Self.describe(item, in: items, manner))
        default: return nil
        }
    }

    /// Whether the path of a URL would match if case were not compared.
    private func differsInCase(_ rule: AppleRule, _ url: LinkURL) -> Bool {
        guard !rule.reading.folds else { return false }
        var component = rule.component
        component.caseSensitive = false
        let folding = AppleRule(component, table: table)
        var views = URLViews(url)
        let path = views.view(folding.reading).path
        return folding.path.map { views.matches($0, path) } ?? false
    }

    private static func describe(_ item: AppleRule.Query.Item, in items: QueryItems, _ manner: String) -> String {
        let values = items.items.indices.filter { items.hasName(item.nameBytes, $0) }.map { items.items[$0].value }
        let failing = values.first { !item.pattern.matches(items.bytes, $0) }
        let found = failing.map { String(decoding: items.bytes[$0], as: UTF8.self) }
        let hint = values.count > 1 ? ", and every occurrence must match" : ""
        return "needs query `\(item.name)` to \(demand(item.written, item.pattern))\(manner); the URL has "
            + PatternDescription.found(found) + hint
    }

    private static func demand(_ written: String?, _ pattern: GlobPattern) -> String {
        let text = PatternDescription.demand(written ?? "")
        let isBroken = pattern.elements.contains(where: \.isNever)
        return isBroken ? text + " (impossible, because a variable in it is not defined)" : text
    }

    private static func manner(of reading: URLReading) -> String {
        switch (reading.decodes, reading.folds) {
        case (false, false): ""
        case (true, false): " once decoded"
        case (false, true): ", ignoring upper and lower case"
        case (true, true): " once decoded, ignoring upper and lower case"
        }
    }
}

/// The outcome of a list of Apple rules. Rules are numbered from 0, as in Apple's tool.
public enum AppleDecision: Hashable, Sendable {
    /// The rule includes the URL: it opens the app.
    case match(rule: Int)
    /// The rule excludes the URL: it stays in the browser.
    case exclude(rule: Int)
    /// No rule matches: it stays in the browser.
    case none

    public var opens: Bool {
        if case .match = self { return true }
        return false
    }

    public var rule: Int? {
        switch self {
        case .match(let rule), .exclude(let rule): rule
        case .none: nil
        }
    }
}

extension AppleDetail {
    /// The rules of the entry as iOS 13 and later read them: `components` if the key is there, even with an empty list,
    /// otherwise `paths`. With neither, every URL of the host opens the app, as far as is known.
    public func matcher(in links: AppleLinks) -> AppleMatcher {
        matcher(
            defaults: [defaults, links.defaults].compactMap { $0 }, table: SubstitutionTable(links.variables))
    }

    /// The same with the compiled variables of a file that has many entries; `defaults` are nearest first.
    package func matcher(defaults: [AppleComponent], table: SubstitutionTable) -> AppleMatcher {
        if components == nil, paths == nil { return AppleMatcher(components: [AppleComponent(path: "*")]) }
        return componentMatcher(defaults: defaults, table: table) ?? pathMatcher(defaults: defaults, table: table)
    }

    /// The first of the `components`, or all; nil if there is no such list.
    package func componentMatcher(
        first count: Int? = nil, defaults: [AppleComponent], table: SubstitutionTable
    ) -> AppleMatcher? {
        components.map {
            var matcher = AppleMatcher(
                components: Array($0.prefix(count ?? $0.count)), defaults: defaults, table: table)
            matcher.gaps = ignoredComponents
            return matcher
        }
    }

    /// The first of the `paths`, or all, even if there are `components` too.
    package func pathMatcher(first count: Int? = nil, defaults: [AppleComponent], table: SubstitutionTable)
        -> AppleMatcher
    {
        let paths = (paths ?? []).prefix(count ?? .max)
        var matcher = AppleMatcher(
            paths: paths.map(\.text), ranges: paths.map(\.range), defaults: defaults, table: table)
        matcher.gaps = ignoredPaths
        return matcher
    }
}
