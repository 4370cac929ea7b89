// What the control plane hands over: answers ready to be sent. Everything that depends on the document alone is decided here.
// What depends on the request (date, coding, 304, HEAD) is left to the engine, which only copies.

public import HTTP
public import Posix

/// What an answer contains, for metrics and for the few rules that depend on it.
public enum AnswerKind: UInt8, Hashable, Sendable, CaseIterable {
    case appleAssociation
    case statementList
    case wellKnown
    case page
}

/// One form of an answer's body: plain, or coded.
public struct Representation: Hashable, Sendable {
    /// The field lines that a 304 repeats (RFC 9110 §15.4.5): `etag`, `cache-control`, `vary` and the like.
    public var sharedFields: FieldLines
    public var contentType: String
    /// Further field lines about the body, such as `content-encoding`. The engine adds the length.
    public var bodyFields: FieldLines
    /// The strong entity tag, quotes included; the same text as in `sharedFields`.
    public var entityTag: String
    public var content: Content

    /// Where the bytes are.
    public enum Content: Hashable, Sendable {
        case bytes([UInt8])
        /// The bytes of an earlier answer.
        case kept(KeptBytes)
        /// A file that is sent in pieces.
        case file(OpenFile)
    }

    public init(
        sharedFields: FieldLines, contentType: String, bodyFields: FieldLines, entityTag: String, content: Content
    ) {
        (self.sharedFields, self.contentType, self.bodyFields) = (sharedFields, contentType, bodyFields)
        (self.entityTag, self.content) = (entityTag, content)
    }
}

/// The answer for a path. Many paths and sites may have the same one; its bytes are stored once.
public struct PreparedAnswer: Hashable, Sendable {
    public var kind: AnswerKind
    public var status: Status
    /// Seconds since 1970; nil if the answer has no date of its own.
    public var lastModified: Int64?
    public var identity: Representation
    /// The same body in gzip, if that saves enough.
    public var gzip: Representation?

    public init(
        kind: AnswerKind, status: Status = .ok, lastModified: Int64? = nil, identity: Representation,
        gzip: Representation? = nil
    ) {
        (self.kind, self.status, self.lastModified, self.identity, self.gzip) = (
            kind, status, lastModified, identity, gzip
        )
    }
}

/// All answers of one host.
public struct PreparedSite: Sendable {
    /// A host in lower case without a trailing dot, or `*.` and the parent domain.
    public var host: String
    /// Answers by decoded path, such as `/.well-known/assetlinks.json`.
    public var answers: [(path: String, answer: PreparedAnswer)]
    /// Pages for paths that have no answer but that an app's link rules include; the first that matches is sent.
    public var landings: [PreparedLanding]
    /// The page for any other path, unless the path looks like a file's.
    public var fallback: PreparedAnswer?
    /// Whether the fallback of the shared pages is used when the site has none of its own.
    public var fallsBackToShared: Bool

    public init(
        host: String, answers: [(path: String, answer: PreparedAnswer)], landings: [PreparedLanding] = [],
        fallback: PreparedAnswer? = nil, fallsBackToShared: Bool = false
    ) {
        (self.host, self.answers, self.landings) = (host, answers, landings)
        (self.fallback, self.fallsBackToShared) = (fallback, fallsBackToShared)
    }
}

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
    /// As Google Play's parameter `referrer`, which the app gets when it is started after its installation: `&referrer=` and the link
    /// with `https://`, percent-encoded, in an attribute in double quotes. A longer link than `referrerBytesMax` is left out.
    case referrer

    /// Bytes of a link in a referrer. Play documents no limit; longer links are left out, so that none loses its page for it.
    public static let referrerBytesMax = 512
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
