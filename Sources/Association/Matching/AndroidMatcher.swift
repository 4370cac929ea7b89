// Decides which of an app's dynamic rules a URL falls to on Android 15 (reference B.5): decoded pieces, one occurrence
// of an item is enough, an absent piece matches nothing, and one empty field makes Android forget all the rules.

/// An app's `dynamic_app_link_components`, ready to decide.
public struct AndroidMatcher: Sendable {
    let rules: [AndroidRule]
    let compiled: [Compiled]
    /// The first rule with an empty field, for which Android throws the whole list away.
    public let discardedBecauseOf: Int?

    struct Compiled: Sendable {
        let path: AndroidGlob?
        let items: [AndroidGlob]?
        let fragment: AndroidGlob?

        var isEmpty: Bool { path == nil && items == nil && fragment == nil }
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

    public var count: Int { rules.count }

    /// What the rules say about `url`; the host is not looked at.
    public func decide(_ url: LinkURL) -> AndroidDecision {
        guard !rules.isEmpty, discardedBecauseOf == nil else { return .manifest }
        let view = AndroidView(url)
        for index in compiled.indices where Self.holds(compiled[index], view) {
            return rules[index].exclude ? .block(rule: index) : .allow(rule: index)
        }
        return .none
    }

    /// A rule that looks at nothing never holds.
    static func holds(_ rule: Compiled, _ view: AndroidView) -> Bool {
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
}

/// The pieces of a URL as `android.net.Uri` gives them: decoded, in UTF-16.
struct AndroidView {
    let path: [UInt16]
    let fragment: [UInt16]?
    /// The decoded query cut at `&`, or at `;` where it has no `&`; none where there is no query.
    let items: [ArraySlice<UInt16>]
    let isCutAtSemicolons: Bool

    init(_ url: LinkURL, semicolonsSeparate: Bool = true) {
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
        items = query.split(
            separator: isCutAtSemicolons ? semicolon : ampersand, omittingEmptySubsequences: false)
    }

    static func decode(_ bytes: [UInt8]) -> [UInt16] {
        if !bytes.contains(UInt8(ascii: "%")) { return bytes.map(UInt16.init) }
        return Array(String(decoding: Percent.decode(bytes[...]), as: UTF8.self).utf16)
    }
}
