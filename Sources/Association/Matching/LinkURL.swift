// A URL as a phone sees it before matching: cut into its pieces and otherwise left alone. Dot segments stay, escapes
// stay, the path keeps its case. Only the host is brought to one form, because hosts are compared without case.

/// An http or https URL, cut into the pieces that rules look at.
///
/// The pieces are ASCII: a character that may not stand in a URL (a space, `é`) is escaped on the way in, as every
/// browser does before it hands a URL over.
public struct LinkURL: Hashable, Sendable {
    /// The whole URL, with its illegal characters escaped and otherwise as it was written.
    public let text: String
    /// `http` or `https`.
    public let scheme: String
    /// In lower case, without port, user information and one trailing dot.
    public let host: String
    /// The port that is written behind the host; rules know nothing of it.
    public let port: UInt16?
    /// Empty or beginning with `/`.
    public let path: String
    /// What stands between `?` and `#`; nil without a `?`.
    public let query: String?
    /// What stands after `#`; nil without one.
    public let fragment: String?

    /// The same pieces as bytes, so that a decision need not make them again.
    let pathBytes: [UInt8]
    let queryBytes: [UInt8]?
    let fragmentBytes: [UInt8]?

    /// The URL in `text`, or nil where `parse` would say what is wrong with it.
    public init?(_ text: String) {
        guard case .success(let url) = Self.parse(text) else { return nil }
        self = url
    }

    init(
        scheme: String, host: String, port: UInt16?, text: [UInt8], path: Range<Int>, query: Range<Int>?,
        fragment: Range<Int>?
    ) {
        self.text = String(decoding: text, as: UTF8.self)
        self.scheme = scheme
        self.host = host
        self.port = port
        pathBytes = Array(text[path])
        queryBytes = query.map { Array(text[$0]) }
        fragmentBytes = fragment.map { Array(text[$0]) }
        self.path = String(decoding: pathBytes, as: UTF8.self)
        self.query = queryBytes.map { String(decoding: $0, as: UTF8.self) }
        self.fragment = fragmentBytes.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension LinkURL: CustomStringConvertible {
    public var description: String { text }
}
