// Decides which rule of an app's list a URL falls to on Apple's systems (reference A.6): in order, the first rule whose
// every part holds. The patterns are compiled once; a decision walks them and allocates next to nothing.

import SourceJSON

/// An app's ordered rules, ready to decide.
public struct AppleMatcher: Sendable {
    let rules: [AppleRule]
    let table: SubstitutionTable
    /// The strings of a `paths` list; nil for components.
    let legacyPaths: [String]?
    let defaults: [AppleComponent]
    /// The places in the list, as it was written, of what is no rule; in ascending order.
    var gaps: [Int] = []

    /// The rules of a `components` list. `defaults` are nearest first: those of the detail, then those of `applinks`.
    public init(
        components: [AppleComponent], defaults: [AppleComponent] = [], variables: [SubstitutionVariable] = []
    ) {
        self.init(components: components, defaults: defaults, table: SubstitutionTable(variables))
    }

    /// The same with the variables of a file that has many lists.
    init(components: [AppleComponent], defaults: [AppleComponent], table: SubstitutionTable) {
        self.defaults = defaults
        legacyPaths = nil
        self.table = table
        rules = components.map { AppleRule($0.inheriting(from: defaults), table: table) }
    }

    /// The rules of a legacy `paths` list, in which `NOT ` excludes and queries and fragments play no part.
    public init(paths: [String], defaults: [AppleComponent] = [], variables: [SubstitutionVariable] = []) {
        self.init(paths: paths, defaults: defaults, table: SubstitutionTable(variables))
    }

    /// The same of a file; `ranges` are the places of the paths in it.
    init(paths: [String], ranges: [SourceRange] = [], defaults: [AppleComponent], table: SubstitutionTable) {
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

    /// Rules that have already inherited what they inherit, under another reading of the variables.
    init(inherited components: [AppleComponent], table: SubstitutionTable) {
        defaults = []
        legacyPaths = nil
        self.table = table
        rules = components.map { AppleRule($0, table: table) }
    }

    /// The rules of both, one list after the other; only to relate them to each other.
    init(joining first: AppleMatcher, _ second: AppleMatcher) {
        defaults = []
        legacyPaths = nil
        table = first.table
        rules = first.rules + second.rules
    }

    /// How many rules the list has.
    public var count: Int { rules.count }

    /// The place of a rule in the list as it was written, where elements that are no rules count too. Words about a
    /// rule, such as those of `explain`, name it by this number.
    public func number(of rule: Int) -> Int {
        gaps.reduce(rule) { number, gap in gap <= number ? number + 1 : number }
    }

    /// The rules with everything they inherit.
    public var components: [AppleComponent] { rules.map(\.component) }

    /// What the rules say about `url`. The host is not looked at: whose rules apply to it is the caller's knowledge.
    public func decide(_ url: LinkURL) -> AppleDecision {
        var views = URLViews(url)
        for index in rules.indices where Self.holds(rules[index], &views) {
            return rules[index].excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return .none
    }

    /// The same, counting what it takes: a fixed amount for each rule tried, and what its patterns may ask for. Nil
    /// when that is more than is left.
    func decide(_ url: LinkURL, workLeft: inout Int) -> AppleDecision? {
        var views = URLViews(url)
        defer { workLeft -= views.work }
        for index in rules.indices {
            guard views.work < workLeft else { return nil }
            guard Self.holds(rules[index], &views) else { continue }
            return rules[index].excludes ? .exclude(rule: index) : .match(rule: index)
        }
        return AppleDecision.none
    }

    /// Whether every part of a rule holds; the cheap ones are asked first.
    static func holds(_ rule: AppleRule, _ views: inout URLViews) -> Bool {
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

    /// Every occurrence has to match, and an absent item is one that is empty.
    static func holds(_ wanted: AppleRule.Query.Item, in items: QueryItems, _ views: inout URLViews) -> Bool {
        let pattern = wanted.pattern
        if pattern.acceptsEverything { return true }
        return items.allValues(of: wanted.nameBytes) { views.matches(pattern, items.bytes, $0) }
            ?? views.matches(pattern, [])
    }
}
