// What the control plane hands in: answers ready to be sent. Everything that depends on the document alone is decided
// here; what depends on the request (date, coding, 304, HEAD) is left to the engine, which only copies.

public import HTTP
public import Posix

/// What an answer is about, for metrics and for the few rules that depend on it.
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
    /// Further field lines about the body, such as `content-encoding`. Its length is added when it is sent.
    public var bodyFields: FieldLines
    /// The strong entity tag, quotes included; the same text as in `sharedFields`.
    public var entityTag: String
    public var content: Content

    /// Where the bytes are.
    public enum Content: Hashable, Sendable {
        case bytes([UInt8])
        /// Bytes of an earlier answer.
        case kept(KeptBytes)
        /// Sent from the file, piece by piece.
        case file(OpenFile)
    }

    public init(
        sharedFields: FieldLines, contentType: String, bodyFields: FieldLines, entityTag: String, content: Content
    ) {
        self.sharedFields = sharedFields
        self.contentType = contentType
        self.bodyFields = bodyFields
        self.entityTag = entityTag
        self.content = content
    }
}

/// An answer as it will be sent for one path of one site, or of many: equal bytes are stored once.
public struct PreparedAnswer: Hashable, Sendable {
    public var kind: AnswerKind
    public var status: Status
    /// Seconds since 1970; nil for what has no date of its own.
    public var lastModified: Int64?
    public var identity: Representation
    /// The same body in gzip, where that is worth it.
    public var gzip: Representation?

    public init(
        kind: AnswerKind, status: Status = .ok, lastModified: Int64? = nil, identity: Representation,
        gzip: Representation? = nil
    ) {
        self.kind = kind
        self.status = status
        self.lastModified = lastModified
        self.identity = identity
        self.gzip = gzip
    }
}

/// Everything one host answers, before it is stored.
public struct PreparedSite: Sendable {
    /// A host in lower case without a trailing dot, or `*.` and the parent domain.
    public var host: String
    /// Answers by decoded path, such as `/.well-known/assetlinks.json`.
    public var answers: [(path: String, answer: PreparedAnswer)]
    /// Pages for paths that have no answer, where an app's rules include them; the first that fits stands.
    public var landings: [PreparedLanding]
    /// The page for any other path, unless it is that of a file.
    public var fallback: PreparedAnswer?
    /// Without a `fallback` of its own, that of the pages of all hosts stands, if they have one.
    public var fallsBackToShared: Bool

    public init(
        host: String, answers: [(path: String, answer: PreparedAnswer)], landings: [PreparedLanding] = [],
        fallback: PreparedAnswer? = nil, fallsBackToShared: Bool = false
    ) {
        self.host = host
        self.answers = answers
        self.landings = landings
        self.fallback = fallback
        self.fallsBackToShared = fallsBackToShared
    }
}
