// Accounts at a certificate authority (RFC 8555 §7.3), and revocation (§7.6): the calls, and how to read their responses.

import SourceJSON
public import TLS

/// An account at a certificate authority.
public struct AuthorityAccount: Hashable, Sendable {
    /// Identifies the account in requests.
    public let url: AuthorityURL
    /// Such as `mailto:admin@example.com`.
    public let contact: [String]

    public init(reading response: AuthorityResponse) throws(AuthorityProblem) {
        guard let url = response.location else {
            throw .unusable("the response does not have the account's https URL in Location")
        }
        guard let object = response.object else { throw .unusable("the account is not a JSON object") }
        self.url = url
        contact = object.strings("contact")
    }

    /// Registers the key; the operator has agreed to the terms. If the key has an account already, the authority returns that one.
    public static func registration(
        _ session: AuthoritySession, contact: [String], binding: ExternalAccount? = nil
    ) -> SignedCall {
        let url = session.directory.newAccount
        var members: [(String, SourceValue)] = [("termsOfServiceAgreed", .bool(true))]
        if !contact.isEmpty { members.append(("contact", .array(contact.map { .string($0) }))) }
        if let binding { members.append(("externalAccountBinding", binding.binding(of: session.key, at: url))) }
        return SignedCall(url, .object(members), by: .accountKey)
    }

    /// Finds the account of the key. Without one, the authority reports `accountDoesNotExist`.
    public static func search(_ session: AuthoritySession) -> SignedCall {
        SignedCall(session.directory.newAccount, .object([("onlyReturnExisting", .bool(true))]), by: .accountKey)
    }

    /// Changes the contact addresses.
    public func update(contact: [String]) -> SignedCall {
        SignedCall(url, .object([("contact", .array(contact.map { .string($0) }))]))
    }
}

/// Revocation of certificates (RFC 8555 §7.6).
public enum Revocation {
    /// The reasons of RFC 5280 §5.3.1 that apply to a host's certificate.
    public enum Reason: Int, Hashable, Sendable {
        case unspecified = 0
        case keyCompromise = 1
        case affiliationChanged = 3
        case superseded = 4
        case cessationOfOperation = 5
    }

    /// Nil if the authority does not support revocation. The problem `alreadyRevoked` also means success.
    /// - Parameter key: the certificate's key, needed only if another account ordered the certificate.
    public static func call(
        _ chain: IssuedChain, _ reason: Reason, _ session: AuthoritySession, signedBy key: SigningKey? = nil
    ) -> SignedCall? {
        guard let url = session.directory.revokeCertificate else { return nil }
        let payload = SourceValue.object([
            ("certificate", .string(Base64URL.text(chain.leaf))), ("reason", .integer(reason.rawValue)),
        ])
        return SignedCall(url, payload, by: key.map { .other(AccountKey($0)) } ?? .account)
    }
}
