// The account key and what it signs: flattened JSON Web Signatures (RFC 7515, RFC 8555 §6.2). Also its thumbprint (RFC 7638)
// and the key authorizations that answer challenges (RFC 8555 §8.1).

import SourceJSON
public import TLS

/// A key that signs requests to certificate authorities. One key can have an account at each of several authorities.
public struct AccountKey: Sendable {
    public let key: SigningKey
    /// Follows the token in the answer to each challenge.
    public let thumbprint: String
    /// The public key as a JSON Web Key, with its members in the order that the thumbprint requires.
    let publicKey: SourceValue

    public init(_ key: SigningKey) {
        self.key = key
        publicKey = AccountKey.webKey(key.publicNumbers)
        thumbprint = AccountKey.thumbprint(publicKey)
    }

    static func webKey(_ numbers: SigningKey.PublicNumbers) -> SourceValue {
        func text(_ number: [UInt8]) -> SourceValue { .string(Base64URL.text(number)) }
        func curve(_ name: String, _ x: [UInt8], _ y: [UInt8]) -> SourceValue {
            .object([("crv", .string(name)), ("kty", .string("EC")), ("x", text(x)), ("y", text(y))])
        }
        return switch numbers {
        case .p256(let x, let y): curve("P-256", x, y)
        case .p384(let x, let y): curve("P-384", x, y)
        case .rsa(let modulus, let exponent):
            .object([("e", text(exponent)), ("kty", .string("RSA")), ("n", text(modulus))])
        }
    }

    static func thumbprint(_ webKey: SourceValue) -> String {
        Base64URL.text(Digest.sha256(SourceWriter.minified(webKey)))
    }

    public func keyAuthorization(_ token: String) -> String { "\(token).\(thumbprint)" }

    /// A signed message for a URL.
    /// - Parameters:
    ///   - nonce: nil for a message inside another message.
    ///   - account: names the signer (`kid`); without one, the public key does (`jwk`).
    func sign(
        _ payload: [UInt8], for url: AuthorityURL, nonce: String?, account: AuthorityURL?
    ) throws(AuthorityProblem) -> SourceValue {
        let algorithm =
            switch key.publicNumbers {
            case .p256: "ES256"
            case .p384: "ES384"
            case .rsa: "RS256"
            }
        var head: [(String, SourceValue)] = [("alg", .string(algorithm))]
        head.append(account.map { ("kid", .string($0.text)) } ?? ("jwk", publicKey))
        if let nonce { head.append(("nonce", .string(nonce))) }
        head.append(("url", .string(url.text)))
        do throws(TLSError) {
            return try AccountKey.message(head, payload) { (bytes) throws(TLSError) in try key.sign(bytes) }
        } catch {
            throw .noAnswer(error.description)
        }
    }

    fileprivate static func message<Failure>(
        _ head: [(String, SourceValue)], _ payload: [UInt8], sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> SourceValue {
        let protected = Base64URL.text(SourceWriter.minified(.object(head)))
        let content = Base64URL.text(payload)
        let signature = try sign(Array("\(protected).\(content)".utf8))
        return .object([
            ("payload", .string(content)), ("protected", .string(protected)),
            ("signature", .string(Base64URL.text(signature))),
        ])
    }
}

/// Credentials that bind a new account to the operator's existing customer account (RFC 8555 §7.3.4).
public struct ExternalAccount: Hashable, Sendable {
    public var keyID: String
    private let key: [UInt8]

    /// Nil if the key is not Base64, which is how authorities show it.
    public init?(keyID: String, key: String) {
        guard let bytes = Base64URL.bytes(key), !bytes.isEmpty, !keyID.isEmpty else { return nil }
        (self.keyID, self.key) = (keyID, bytes)
    }

    /// The public key of the account, signed with these credentials.
    func binding(of account: AccountKey, at newAccount: AuthorityURL) -> SourceValue {
        let algorithm = MessageCode.hs256
        let head: [(String, SourceValue)] = [
            ("alg", .string(algorithm.rawValue)), ("kid", .string(keyID)), ("url", .string(newAccount.text)),
        ]
        return AccountKey.message(head, SourceWriter.minified(account.publicKey)) { algorithm.code(of: $0, key: key) }
    }
}
