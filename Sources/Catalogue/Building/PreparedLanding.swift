// What the control plane hands over about links whose app is not installed: which paths, and the page for them. All links of an
// app have the same page; the engine inserts the link itself when it sends the page.

/// A landing page, and the link rules of the requests that it answers.
public struct PreparedLanding: Sendable {
    /// The first one that matches decides.
    public var rules: [LinkRule]
    /// Status and fields; its body is empty.
    public var head: PreparedAnswer
    public var segments: [LandingSegment]

    public init(rules: [LinkRule], head: PreparedAnswer, segments: [LandingSegment]) {
        (self.rules, self.head, self.segments) = (rules, head, segments)
    }
}

/// A part of a landing page's text, and what is inserted after it.
public struct LandingSegment: Hashable, Sendable {
    public var text: [UInt8]
    public var insertion: LinkInsertion

    public init(_ text: [UInt8], then insertion: LinkInsertion) { (self.text, self.insertion) = (text, insertion) }
}

/// How the requested link is inserted into a page. A request's target contains no blank, quote or angle bracket, so little has
/// to be escaped.
public enum LinkInsertion: UInt8, Sendable, CaseIterable {
    case none
    /// In an attribute in double quotes, or in text.
    case attribute
    /// In an attribute with a list, where a comma would end the link.
    case listItem
    /// Only the path and the query, in an attribute in double quotes.
    case route
}

/// A rule about paths and queries.
public struct LinkRule: Hashable, Sendable {
    public var excludes: Bool
    /// Whether the case of ASCII letters is ignored; the patterns are in lower case then.
    public var foldsCase: Bool
    /// Matched against the path in Apple's normal form.
    public var path: LinkPattern?
    /// Matched against the whole query.
    public var query: LinkPattern?
    /// Conditions on query parameters: every item of the name must match; a missing one counts as empty.
    public var items: [Item]

    public struct Item: Hashable, Sendable {
        public var name: [UInt8]
        public var pattern: LinkPattern

        public init(name: [UInt8], pattern: LinkPattern) { (self.name, self.pattern) = (name, pattern) }
    }

    public init(
        excludes: Bool = false, foldsCase: Bool = false, path: LinkPattern? = nil, query: LinkPattern? = nil,
        items: [Item] = []
    ) {
        (self.excludes, self.foldsCase, self.path, self.query, self.items) = (excludes, foldsCase, path, query, items)
    }
}
