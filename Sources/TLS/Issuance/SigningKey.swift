// A private key that this program generates: the account key at a certificate authority, or the key of an ordered certificate. It
// signs and is exported for storage. Keys of served hosts are in `Credentials`.

import COpenSSL
import Posix

/// A private key for ECDSA on P-256 or for RSA. Several threads may use one.
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
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    static let coordinateBytes = 32
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

    /// Reads a key in PEM or DER, without a passphrase.
    public convenience init(reading bytes: [UInt8]) throws(TLSError) {
        guard bytes.count <= CertificateLimits.keyBytesMax else { throw TLSError("the private key is too long") }
        let key: PrivateKey
        do throws(CertificateProblem) {
            key = try unsafe bytes.span.withUnsafeBytes { (text) throws(CertificateProblem) in
                unsafe try PrivateKey(text, PrivateKey.Protection(of: text), file: "the key", nil)
            }
        } catch {
            throw TLSError("cannot read the private key: \(error.message)")
        }
        try self.init(key)
    }

    private init(_ key: consuming PrivateKey) throws(TLSError) {
        switch unsafe KeyKind(key.pointer) {
        case .ecdsa(bits: 256):
            guard let x = key.number("qx", bytes: SigningKey.coordinateBytes),
                let y = key.number("qy", bytes: SigningKey.coordinateBytes)
            else { throw .draining("cannot read the public key") }
            publicNumbers = .p256(x: x, y: y)
        case .rsa(let bits) where (SigningKey.rsaBitsMin...CertificateLimits.rsaBitsMax).contains(bits):
            guard let modulus = key.number("n"), let exponent = key.number("e") else {
                throw .draining("cannot read the public key")
            }
            publicNumbers = .rsa(modulus: modulus, exponent: exponent)
        case let other: throw TLSError("the key is \(other); use ECDSA on P-256, or RSA with 2048 to 4096 bits")
        }
        self.key = key
    }

    /// PEM without a passphrase. The bytes are secret: seal them before you store them.
    public var pem: [UInt8] {
        var pem: [UInt8]?
        do throws(SystemError) { pem = try unsafe key.withPEM { unsafe Array($0) } } catch { pem = nil }
        guard let pem else { preconditionFailure("a key that could be read or made can be written") }
        return pem
    }

    /// Signs with SHA-256, in the format of JSON Web Signatures (RFC 7518 §3.3, §3.4). For P-256 that is two numbers of 32 bytes.
    public func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .draining("cannot sign") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var count = 0
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            unsafe EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { throw .draining("cannot sign") }
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else {
            throw .draining("cannot sign")
        }
        signature.removeSubrange(count...)
        guard case .p256 = publicNumbers else { return signature }
        guard let raw = SigningKey.rawSignature(der: signature) else { throw .draining("cannot sign") }
        return raw
    }

    /// The two numbers of a signature, which OpenSSL encodes in DER.
    private static func rawSignature(der: [UInt8]) -> [UInt8]? {
        let decoded = unsafe der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &start, buffer.count)
        }
        guard let decoded = unsafe decoded else { return nil }
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
