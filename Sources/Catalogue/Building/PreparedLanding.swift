// What the control plane hands in about links whose app is not installed: which paths, and the page for them. The page is
// the same for all of an app's links but for the link itself, which is put in when it is sent.

/// A landing page, and the rules that say for which requests it stands.
public struct PreparedLanding: Sendable {
    /// The first that holds decides.
    public var rules: [LinkRule]
    /// Status and fields; its body is empty.
    public var head: PreparedAnswer
    public var segments: [LandingSegment]

    public init(rules: [LinkRule], head: PreparedAnswer, segments: [LandingSegment]) {
        self.rules = rules
        self.head = head
        self.segments = segments
    }
}

/// Text of a landing page, and what comes behind it.
public struct LandingSegment: Hashable, Sendable {
    public var text: [UInt8]
    public var insertion: LinkInsertion

    public init(_ text: [UInt8], then insertion: LinkInsertion) {
        self.text = text
        self.insertion = insertion
    }
}

/// How the request's link, from its host or its path to its query, is put into a page. A request's target has no blank, quote or
/// angle bracket in it, so little is left to be escaped.
public enum LinkInsertion: UInt8, Sendable, CaseIterable {
    case none
    /// For an attribute in double quotes, or text.
    case attribute
    /// Likewise, where a comma would end the link too.
    case listItem
    /// The path and the query alone, for an attribute in double quotes.
    case route
}

/// A rule about paths and queries.
public struct LinkRule: Hashable, Sendable {
    public var excludes: Bool
    /// Letters of ASCII are compared without their case; the patterns are in lower case.
    public var foldsCase: Bool
    /// Compared with the path in Apple's normal form.
    public var path: LinkPattern?
    /// Compared with the whole query.
    public var query: LinkPattern?
    /// Each item of such a name has to match; an absent one counts as empty.
    public var items: [Item]

    public struct Item: Hashable, Sendable {
        public var name: [UInt8]
        public var pattern: LinkPattern

        public init(name: [UInt8], pattern: LinkPattern) {
            self.name = name
            self.pattern = pattern
        }
    }

    public init(
        excludes: Bool = false, foldsCase: Bool = false, path: LinkPattern? = nil, query: LinkPattern? = nil,
        items: [Item] = []
    ) {
        self.excludes = excludes
        self.foldsCase = foldsCase
        self.path = path
        self.query = query
        self.items = items
    }
}
