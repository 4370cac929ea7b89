// Decides which of an app's dynamic rules applies to a URL on Android 15 (reference B.5): its parts are decoded, one matching
// occurrence of an item is enough, an absent part matches nothing, and for one empty field Android discards all rules.

/// An app's `dynamic_app_link_components`, ready to decide.
public struct AndroidMatcher: Sendable {
    package private(set) var rules: [AndroidRule]
    package private(set) var compiled: [Compiled]
    /// The first rule with an empty field, for which Android discards the whole list.
    public let discardedBecauseOf: Int?
    /// For the rules of an app file: its links, and for each rule the index of the one that it was translated from.
    private var source: (links: [AppleComponent], origins: [Int])?

    package struct Compiled: Hashable, Sendable {
        package let path: AndroidGlob?
        package let items: [AndroidGlob]?
        package let fragment: AndroidGlob?

        package init(path: AndroidGlob?, items: [AndroidGlob]?, fragment: AndroidGlob?) {
            (self.path, self.items, self.fragment) = (path, items, fragment)
        }

        package var isEmpty: Bool { path == nil && items == nil && fragment == nil }
    }

    public init(rules: [AndroidRule]) {
        self.rules = rules
        discardedBecauseOf = rules.firstIndex(where: Self.hasEmptyField)
        compiled = rules.map { rule in
            Compiled(
                path: rule.path.map(AndroidGlob.init),
                items: rule.query?.map { AndroidGlob($0.name + "=" + $0.pattern) },
                fragment: rule.fragment.map(AndroidGlob.init))
        }
    }

    /// The paths of an intent filter as rules, for searches. Without paths it covers every URL.
    package init(covering paths: [ManifestPath]) {
        let paths = paths.isEmpty ? [ManifestPath(.pattern, ".*")] : paths
        rules = paths.map { AndroidRule(path: $0.text) }
        compiled = paths.map { Compiled(path: $0.glob, items: nil, fragment: nil) }
        discardedBecauseOf = nil
    }

    /// The translated rules of an app file. Messages name its links, several rules of one link once.
    package init(_ list: TranslatedList<AndroidRule>, of links: [AppleComponent]) {
        self.init(rules: list.rules)
        source = (links, list.origins)
    }

    public var count: Int { rules.count }

    /// The same with only the first rules, for a list that is too long for a search.
    package func prefix(_ count: Int) -> AndroidMatcher {
        var matcher = self
        (matcher.rules, matcher.compiled) = (Array(rules.prefix(count)), Array(compiled.prefix(count)))
        return matcher
    }

    /// The index of a rule in the list that a person wrote; nil for the rule that replaces links without a translation.
    public func number(of rule: Int) -> Int? {
        guard let source else { return rule }
        return source.origins[rule] < 0 ? nil : source.origins[rule]
    }

    private func name(of rule: Int) -> String {
        guard let number = number(of: rule) else { return "the only rule for Android" }
        return source == nil ? "rule \(number)" : "links[\(number)]"
    }

    /// A point in words, with the name of its rule.
    public func message(of point: UndocumentedBehaviour) -> String { "\(name(of: point.rule)): \(point.kind.message)" }

    /// The decision of the rules about `url`; the host is not compared.
    public func decide(_ url: LinkURL) -> AndroidDecision {
        guard !rules.isEmpty, discardedBecauseOf == nil else { return .manifest }
        let view = AndroidView(url)
        for index in compiled.indices where Self.holds(compiled[index], view) {
            return rules[index].exclude ? .block(rule: index) : .allow(rule: index)
        }
        return .none
    }

    /// Whether every part of a rule matches; a rule without parts never does.
    package static func holds(_ rule: Compiled, _ view: AndroidView) -> Bool {
        if rule.isEmpty { return false }
        if let path = rule.path, !path.matches(view.path) { return false }
        if let fragment = rule.fragment {
            guard let text = view.fragment, fragment.matches(text) else { return false }
        }
        return rule.items?.allSatisfy { glob in view.items.contains { glob.matches($0) } } ?? true
    }

    private static func hasEmptyField(_ rule: AndroidRule) -> Bool {
        rule.path?.isEmpty == true || rule.fragment?.isEmpty == true || rule.query?.isEmpty == true
            || rule.query?.contains { $0.name.isEmpty || $0.pattern.isEmpty } == true
    }

    /// The result of each rule in order, up to the one that decides.
    public func explain(_ url: LinkURL) -> [MatchStep] {
        if let index = discardedBecauseOf {
            let message =
                "\(name(of: index)) has an empty field, so Android discards all rules and only the manifest decides"
            return [MatchStep(rule: number(of: index), outcome: .leftOpen, message: message, range: rules[index].range)]
        }
        if rules.isEmpty {
            let message = "there are no rules, so only the manifest decides"
            return [MatchStep(rule: nil, outcome: .leftOpen, message: message)]
        }
        let view = AndroidView(url)
        var steps: [MatchStep] = []
        for index in rules.indices {
            let (range, number) = (rules[index].range, number(of: index))
            // Of the rules of one link, the one that decides counts, or the one that comes nearest.
            let other = steps.last?.rule == number ? steps.popLast() : nil
            if let (part, message) = failure(of: index, url, view) {
                let step = MatchStep(
                    failed: part, rule: number, path: rules[index].path, url,
                    message: "\(name(of: index)) \(message)", range: range)
                steps.append(other.flatMap { $0.nearness >= step.nearness ? $0 : nil } ?? step)
                continue
            }
            let excludes = rules[index].exclude
            let outcome =
                excludes
                ? "excludes the URL, so it stays in the browser"
                : "matches, so the app opens if its manifest covers the URL"
            steps.append(
                MatchStep(
                    rule: number, outcome: excludes ? .staysInBrowser : .opens,
                    message: "\(name(of: index)) \(outcome)", path: rules[index].path, range: range))
            return steps
        }
        let message = "no rule matches, so the URL stays in the browser"
        steps.append(MatchStep(rule: nil, outcome: .staysInBrowser, message: message))
        return steps
    }

    private func failure(of index: Int, _ url: LinkURL, _ view: AndroidView) -> (MatchStep.Part, String)? {
        let rule = rules[index]
        let compiled = compiled[index]
        if compiled.isEmpty { return (.rule, "has no `/`, `?` or `#`, so it never matches on Android") }
        if let path = compiled.path, !path.matches(view.path) {
            let found = PatternDescription.found(String(decoding: view.path, as: UTF16.self))
            let written = number(of: index).flatMap { source?.links.element(at: $0)?.path } ?? rule.path
            let hint = differsInCase(rule.path, view.path) ?? starHint(path, rule.path, view.path)
            return (.path, "needs the path to \(demand(written)); the URL has \(found)" + hint)
        }
        if let fragment = compiled.fragment, view.fragment.map({ fragment.matches($0) }) != true {
            let found = PatternDescription.found(view.fragment.map { String(decoding: $0, as: UTF16.self) })
            let absent = view.fragment == nil ? ", and an absent part matches nothing" : ""
            return (.fragment, "needs the fragment to \(demand(rule.fragment)); the URL has \(found)\(absent)")
        }
        for (item, glob) in zip(rule.query ?? [], compiled.items ?? [])
        where !view.items.contains(where: { glob.matches($0) }) {
            let prefix = Array((item.name + "=").utf16)
            let values = view.items.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count) }
            let found = PatternDescription.found(values.first.map { String(decoding: $0, as: UTF16.self) })
            let bare = view.items.contains { $0.elementsEqual(item.name.utf16) } ? " with a `=` after it" : ""
            let message = "needs query `\(item.name)` to \(demand(item.pattern)); the URL has \(found)\(bare)"
            return (.queryItem(item.name), message + starHint(glob, item.pattern, values.first.map { Array($0) } ?? []))
        }
        return nil
    }

    private func demand(_ pattern: String?) -> String { PatternDescription.demand(pattern ?? "") }

    /// Explains that only the case of letters is wrong.
    private func differsInCase(_ pattern: String?, _ text: [UInt16]) -> String? {
        let folded = String(decoding: text, as: UTF16.self).lowercased()
        guard let pattern, AndroidGlob(pattern.lowercased()).matches(Array(folded.utf16)) else { return nil }
        return PatternDescription.caseHint
    }

    /// Explains that Android's star differs from others, if the text is as the pattern up to its first star.
    private func starHint(_ glob: AndroidGlob, _ pattern: String?, _ text: [UInt16]) -> String {
        let start = (pattern ?? "").utf16.prefix { $0 != UInt16(UInt8(ascii: "*")) }
        let isNear =
            text.count >= start.count && zip(start, text).allSatisfy { $0 == $1 || $0 == UInt16(UInt8(ascii: "?")) }
        guard isNear else { return "" }
        let hasInnerStar = glob.steps.contains { step in
            if case .through = step { return true }
            return false
        }
        return hasInnerStar ? " (on Android `*` stops at the first character that may follow it)" : ""
    }

    /// The points that are doubtful for any URL.
    public var unsettled: [UndocumentedBehaviour] {
        compiled.indices.filter { index in
            let globs = [compiled[index].path, compiled[index].fragment].compactMap { $0 }
            return (globs + (compiled[index].items ?? [])).contains(where: \.hasStarLookahead)
        }.map { UndocumentedBehaviour(.starLookahead, rule: $0) }
    }

    /// The points on which the decision about `url` depends.
    public func unsettled(_ url: LinkURL) -> [UndocumentedBehaviour] {
        let decision = decide(url)
        guard decision != .manifest else { return [] }
        let view = AndroidView(url)
        let tried = 0...(decision.rule ?? rules.count - 1)
        var points = unsettled.filter { tried.contains($0.rule) }
        for index in tried {
            if rules[index].fragment == "*", view.fragment == nil {
                points.append(UndocumentedBehaviour(.absentPart, rule: index))
            }
            for item in rules[index].query ?? []
            where item.pattern == "*" && view.items.contains(where: { $0.elementsEqual(item.name.utf16) }) {
                points.append(UndocumentedBehaviour(.itemWithoutEquals, rule: index))
            }
            if view.isCutAtSemicolons, let items = compiled[index].items {
                let uncut = AndroidView(url, semicolonsSeparate: false).items
                if items.contains(where: { glob in
                    view.items.contains { glob.matches($0) } != uncut.contains { glob.matches($0) }
                }) {
                    points.append(UndocumentedBehaviour(.semicolonSeparator, rule: index))
                }
            }
        }
        if url.withoutDotSegments.map(decide) ?? decision != decision {
            points.append(UndocumentedBehaviour(.dotSegments, rule: tried.upperBound))
        }
        let pieces = [url.pathBytes, url.queryBytes ?? [], url.fragmentBytes ?? []]
        if !pieces.allSatisfy(Percent.isWellFormed) {
            points.append(UndocumentedBehaviour(.malformedEscape, rule: tried.upperBound))
        }
        return points
    }
}

/// The parts of a URL as `android.net.Uri` returns them: decoded, in UTF-16.
package struct AndroidView {
    package let path: [UInt16]
    package let fragment: [UInt16]?
    /// The decoded query split at `&`, or at `;` if it has no `&`; empty without a query.
    package let items: [ArraySlice<UInt16>]
    package let isCutAtSemicolons: Bool

    package init(_ url: LinkURL, semicolonsSeparate: Bool = true) {
        path = Self.decode(url.pathBytes)
        fragment = url.fragmentBytes.map(Self.decode)
        guard let query = url.queryBytes.map(Self.decode) else {
            items = []
            isCutAtSemicolons = false
            return
        }
        let ampersand = UInt16(UInt8(ascii: "&"))
        let semicolon = UInt16(UInt8(ascii: ";"))
        isCutAtSemicolons = semicolonsSeparate && !query.contains(ampersand) && query.contains(semicolon)
        items = query.split(separator: isCutAtSemicolons ? semicolon : ampersand, omittingEmptySubsequences: false)
    }

    package static func decode(_ bytes: [UInt8]) -> [UInt16] {
        if !bytes.contains(UInt8(ascii: "%")) { return bytes.map(UInt16.init) }
        return Array(String(decoding: Percent.decode(bytes[...]), as: UTF8.self).utf16)
    }
}

/// The outcome of a list of Android rules. Rules are numbered from 0.
public enum AndroidDecision: Hashable, Sendable {
    /// The rule allows the URL: it opens the app if the manifest covers it.
    case allow(rule: Int)
    /// The rule excludes the URL: it stays in the browser.
    case block(rule: Int)
    /// No rule matches: it stays in the browser.
    case none
    /// There are no rules, or Android discards them: only the manifest decides.
    case manifest

    /// Nil where the manifest decides.
    public var opens: Bool? {
        switch self {
        case .allow: true
        case .block, .none: false
        case .manifest: nil
        }
    }

    public var rule: Int? {
        switch self {
        case .allow(let rule), .block(let rule): rule
        case .none, .manifest: nil
        }
    }
}
