// A private key that this program generates or imports: the account key at a certificate authority, or the key of an ordered
// certificate. It signs and is exported for storage. Keys of served hosts are in `ServerIdentity`.

import COpenSSL

/// A private key for ECDSA on P-256 or P-384, or for RSA. Several threads may use one.
public final class SigningKey: Sendable {
    /// The kinds of key that can be generated.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case p256
        /// With 2,048 bits.
        case rsa2048
    }

    /// The public key, as numbers in network byte order.
    public enum PublicNumbers: Hashable, Sendable {
        /// 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
        /// 48 bytes each.
        case p384(x: [UInt8], y: [UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])

        /// The length of each number of a point, and of a signature.
        fileprivate var coordinateBytes: Int? {
            switch self {
            case .p256: 32
            case .p384: 48
            case .rsa: nil
            }
        }
    }

    private static let rsaBitsMin = 2048

    let key: PrivateKey
    public let publicNumbers: PublicNumbers

    /// Generates a key, which takes about 100 ms for RSA.
    public convenience init(_ kind: Kind) throws(TLSError) {
        switch kind {
        case .p256: try self.init(try PrivateKey.generate())
        case .rsa2048: try self.init(try SigningKey.generateRSA())
        }
    }

    /// Reads a key in PEM or DER.
    public convenience init(reading bytes: [UInt8]) throws(TLSError) {
        guard bytes.count <= CertificateLimits.keyBytesMax else { throw TLSError("the private key is too long") }
        let key: PrivateKey
        do throws(CertificateProblem) {
            key = try unsafe bytes.span.withUnsafeBytes { (text) throws(CertificateProblem) in
                unsafe try PrivateKey(text, file: "the key")
            }
        } catch {
            throw TLSError("cannot read the private key: \(error.message)")
        }
        try self.init(key)
    }

    private init(_ key: consuming PrivateKey) throws(TLSError) {
        switch unsafe KeyKind(key.pointer) {
        case .ecdsa(bits: 256):
            let point = try key.point(coordinateBytes: 32)
            publicNumbers = .p256(x: point.x, y: point.y)
        case .ecdsa(bits: 384):
            let point = try key.point(coordinateBytes: 48)
            publicNumbers = .p384(x: point.x, y: point.y)
        case .rsa(let bits) where (SigningKey.rsaBitsMin...CertificateLimits.rsaBitsMax).contains(bits):
            guard let modulus = key.number("n"), let exponent = key.number("e") else {
                throw .draining("cannot read the public key")
            }
            publicNumbers = .rsa(modulus: modulus, exponent: exponent)
        case let other:
            throw TLSError("the key is \(other); use ECDSA on P-256 or P-384, or RSA with 2048 to 4096 bits")
        }
        self.key = key
    }

    /// Unencrypted PEM. The bytes are secret: seal them before you store them.
    public var pem: [UInt8] {
        guard let pem = unsafe key.withPEM({ unsafe Array($0) }) else {
            preconditionFailure("a key that could be read or made can be written")
        }
        return pem
    }

    /// The kind in one word, such as `p256`, `p384` or `rsa3072`.
    public var kindName: String {
        switch publicNumbers {
        case .p256: Kind.p256.rawValue
        case .p384: "p384"
        case .rsa(let modulus, _): "rsa\(modulus.count * 8)"
        }
    }

    /// Whether the private key belongs to the public one, which a key from a file only claims. Takes up to 100 ms for RSA. The
    /// corresponding C function is `EVP_PKEY_pairwise_check`.
    public var isConsistent: Bool {
        defer { OpenSSLFailure.forget() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }

    /// Signs with SHA-256, and with SHA-384 for P-384, in the format of JSON Web Signatures (RFC 7518 §3.3, §3.4). For ECDSA that
    /// is two numbers of the length of a coordinate.
    public func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        let coordinateBytes = publicNumbers.coordinateBytes
        guard let context = unsafe EVP_MD_CTX_new() else { throw .draining("cannot sign") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var count = 0
        let method = unsafe coordinateBytes == 48 ? EVP_sha384() : EVP_sha256()
        guard unsafe EVP_DigestSignInit(context, nil, method, nil, key.pointer) == 1,
            unsafe EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { throw .draining("cannot sign") }
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else {
            throw .draining("cannot sign")
        }
        signature.removeSubrange(count...)
        guard let size = coordinateBytes else { return signature }
        guard let raw = SigningKey.rawSignature(der: signature, coordinateBytes: size) else {
            throw .draining("cannot sign")
        }
        return raw
    }

    /// The two numbers of a signature, which OpenSSL encodes in DER.
    private static func rawSignature(der: [UInt8], coordinateBytes: Int) -> [UInt8]? {
        guard let decoded = unsafe DER.decode(der, d2i_ECDSA_SIG) else { return nil }
        defer { unsafe ECDSA_SIG_free(decoded) }
        var raw = [UInt8](repeating: 0, count: 2 * coordinateBytes)
        let isWritten = unsafe raw.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            let (size, second) = unsafe (Int32(coordinateBytes), start + coordinateBytes)
            return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(decoded), start, size) == size
                && BN_bn2binpad(ECDSA_SIG_get0_s(decoded), second, size) == size
        }
        return isWritten ? raw : nil
    }

    private static func generateRSA() throws(TLSError) -> PrivateKey {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else {
            throw .draining("cannot make a private key")
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(rsaBitsMin)) == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let made = unsafe made
        else { throw .draining("cannot make a private key") }
        return unsafe PrivateKey(takingOwnershipOf: made)
    }
}

extension PrivateKey {
    /// The public point of a key for ECDSA.
    fileprivate func point(coordinateBytes: Int) throws(TLSError) -> (x: [UInt8], y: [UInt8]) {
        guard let x = number("qx", bytes: coordinateBytes), let y = number("qy", bytes: coordinateBytes) else {
            throw .draining("cannot read the public key")
        }
        return (x, y)
    }

    /// A public number of the key, padded with leading zeros to a number of bytes if one is given.
    fileprivate func number(_ name: String, bytes count: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return nil }
        defer { unsafe BN_free(number) }
        let size = unsafe Int32(count ?? Int(BN_num_bits(number) + 7) / 8)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        return unsafe BN_bn2binpad(number, &bytes, size) == size ? bytes : nil
    }
}

/// Message authentication codes by HMAC (RFC 2104), under the names of JSON Web Algorithms (RFC 7518 §3.2).
public enum MessageCode: String, Hashable, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// The authentication code of some bytes. The corresponding C function is `EVP_Q_mac`.
    public func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let digest = "SHA\(rawValue.dropFirst(2))"
        var code = [UInt8](repeating: 0, count: 64)
        var count = 0
        // OpenSSL treats a nil key as a missing one, even if its length is zero.
        let isMade =
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, key + [0], key.count, bytes, bytes.count, &code, code.count, &count)
            != nil
        precondition(isMade, "HMAC is part of every build of OpenSSL")
        return Array(code.prefix(count))
    }
}
