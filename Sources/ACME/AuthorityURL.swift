// URLs in responses of a certificate authority. The authority decides what the client requests next, so only https is accepted,
// and only characters that cannot end or extend a request.

/// An https URL that a certificate authority sent, or the operator configured.
public struct AuthorityURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// Nil if the text is not an https URL, or is too long.
    public init?(_ text: String) {
        guard text.utf8.count <= AuthorityLimits.urlBytesMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            text.hasPrefix("https://")
        else { return nil }
        let authority = text.dropFirst(8).prefix { $0 != "/" && $0 != "?" }
        guard let first = authority.first, first != ":", !authority.contains("@"),
            !text.contains(where: { "\"<>\\^`{|}#".contains($0) })
        else { return nil }
        self.text = text
    }

    public var description: String { text }
}
