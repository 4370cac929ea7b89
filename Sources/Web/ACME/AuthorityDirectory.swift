// The directory of a certificate authority (RFC 8555 §7.1.1): the URLs of its resources, and metadata that orders depend on.

import SourceJSON

/// The URLs of a certificate authority's resources.
public struct AuthorityDirectory: Hashable, Sendable {
    public let newNonce: AuthorityURL
    public let newAccount: AuthorityURL
    public let newOrder: AuthorityURL
    public let revokeCertificate: AuthorityURL?
    /// Nil if the authority does not support renewal information (RFC 9773).
    public let renewalInfo: AuthorityURL?
    /// The names of the authority in CAA records.
    public let caaIdentities: [String]
    /// The certificate profiles, with their descriptions.
    public let profiles: [String: String]

    public static func request(_ url: AuthorityURL) -> AuthorityRequest { AuthorityRequest(.get, url) }

    public init(reading response: AuthorityResponse) throws(AuthorityProblem) {
        guard response.isSuccess else { throw AuthorityProblem(response) }
        guard let object = response.object, let newNonce = object.url("newNonce"),
            let newAccount = object.url("newAccount"), let newOrder = object.url("newOrder")
        else {
            throw .unusable(
                "the directory does not have https URLs for newNonce, newAccount and newOrder")
        }
        (self.newNonce, self.newAccount, self.newOrder) = (newNonce, newAccount, newOrder)
        revokeCertificate = object.url("revokeCert")
        renewalInfo = object.url("renewalInfo")
        let meta = object.member(named: "meta") ?? .null
        caaIdentities = meta.strings("caaIdentities")
        let profiles = meta.member(named: "profiles")?.asObject ?? []
        self.profiles = Dictionary(
            profiles.map { ($0.key, $0.value.asString ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

/// An https URL that a certificate authority sent, or the operator configured. The authority decides what is requested next, so only
/// https is accepted, and only characters that cannot end or extend a request.
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
