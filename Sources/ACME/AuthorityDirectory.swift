// The directory of a certificate authority (RFC 8555 §7.1.1): the URLs of its resources, and metadata.

import SourceJSON

/// The URLs of a certificate authority's resources.
public struct AuthorityDirectory: Hashable, Sendable {
    public let newNonce: AuthorityURL
    public let newAccount: AuthorityURL
    public let newOrder: AuthorityURL
    public let revokeCertificate: AuthorityURL?
    public let keyChange: AuthorityURL?
    /// Nil if the authority does not support renewal information (RFC 9773).
    public let renewalInfo: AuthorityURL?

    /// The URL of the terms, for the operator to read. It may have any scheme; this program does not request it.
    public let termsOfService: String?
    /// The names of the authority in CAA records.
    public let caaIdentities: [String]
    public let externalAccountRequired: Bool
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
        keyChange = object.url("keyChange")
        renewalInfo = object.url("renewalInfo")
        let meta = object.member(named: "meta") ?? .null
        termsOfService = meta.member(named: "termsOfService")?.asString.flatMap {
            (1...AuthorityLimits.urlBytesMax).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
                ? $0 : nil
        }
        caaIdentities = meta.strings("caaIdentities")
        externalAccountRequired = meta.member(named: "externalAccountRequired")?.asBool ?? false
        let profiles = meta.member(named: "profiles")?.asObject ?? []
        self.profiles = Dictionary(
            profiles.map { ($0.key, $0.value.asString ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}
