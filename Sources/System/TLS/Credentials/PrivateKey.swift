// The owner of a decoded private key. Decoding is expensive (340 µs with PEM_read_bio_PrivateKey, 90 µs when the decoder is told
// the type), so a key is decoded once and kept.

import COpenSSL
public import Posix

/// A decoded private key, freed at the end of this value's lifetime. The corresponding C type is `EVP_PKEY`.
@safe public struct PrivateKey: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// A new key on the curve P-256.
    public static func generate() throws(TLSError) -> PrivateKey {
        guard let pointer = unsafe associated_generate_p256() else { throw .draining("cannot create a private key") }
        return unsafe PrivateKey(takingOwnershipOf: pointer)
    }

    /// `file` is for messages.
    init(_ text: UnsafeRawBufferPointer, file: String) throws(CertificateProblem) {
        let found: OpaquePointer?
        if unsafe text.first == 0x30 {
            if unsafe PrivateKey.isEncrypted(text) { throw PrivateKey.encrypted(file) }
            unsafe found =
                unsafe PrivateKey.decode(info: text) ?? PrivateKey.decode(text, "type-specific", "RSA")
                ?? PrivateKey.decode(text, "type-specific", "EC")
        } else {
            unsafe found = try PrivateKey.first(of: text, file)
        }
        let failure = OpenSSLFailure.drain()
        guard let found = unsafe found else {
            throw CertificateProblem(
                .malformedKey, file: file, "there is no RSA, ECDSA or Ed25519 private key in this file: \(failure)",
                fix: "put the key there in PEM form, beginning -----BEGIN PRIVATE KEY-----")
        }
        let key = unsafe PrivateKey(takingOwnershipOf: found)
        if let name = key.oversizedNumber {
            throw CertificateProblem(
                .malformedKey, file: file,
                "the number `\(name)` of the private key is too large for the size of the key, so each handshake would be slow",
                fix: "make a new key: openssl ecparam -genkey -name prime256v1 -noout -out NEW")
        }
        self = key
    }

    /// The name of a number that is larger than in a well-formed key and would make handshakes slow.
    private var oversizedNumber: String? {
        let bits = unsafe Int(EVP_PKEY_get_bits(pointer))
        let half = (bits + 1) / 2
        let bounds: [(name: String, bitsMax: Int)] =
            switch unsafe EVP_PKEY_get_base_id(pointer) {
            case EVP_PKEY_RSA:
                [
                    ("e", CertificateLimits.rsaExponentBitsMax), ("d", bits), ("rsa-factor1", half),
                    ("rsa-factor2", half),
                    ("rsa-exponent1", half), ("rsa-exponent2", half), ("rsa-coefficient1", half), ("rsa-factor3", 0),
                ]
            case EVP_PKEY_EC: [("priv", bits)]
            default: []
            }
        defer { OpenSSLFailure.forget() }
        return bounds.first { name, bitsMax in
            var number: OpaquePointer?
            guard unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return false }
            defer { unsafe BN_clear_free(number) }
            return unsafe BN_num_bits(number) > bitsMax
        }?.name
    }

    /// Whether its signatures are those of a certificate's key. OpenSSL's reasons are then in this thread's queue.
    func signs(for certificate: borrowing Certificate) -> Bool {
        ERR_clear_error()
        guard let context = unsafe EVP_MD_CTX_new(), let other = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            unsafe EVP_MD_CTX_free(other)
        }
        // Ed25519 has its own digest.
        let digest = unsafe EVP_PKEY_get_base_id(pointer) == EVP_PKEY_ED25519 ? nil : EVP_sha256()
        let text = Array("associated".utf8)
        var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(pointer)))
        var count = signature.count
        return unsafe EVP_DigestSignInit(context, nil, digest, nil, pointer) == 1
            && EVP_DigestSign(context, &signature, &count, text, text.count) == 1
            && EVP_DigestVerifyInit(other, nil, digest, nil, X509_get0_pubkey(certificate.pointer)) == 1
            && EVP_DigestVerify(other, signature, count, text, text.count) == 1
    }

    private static func encrypted(_ file: String) -> CertificateProblem {
        CertificateProblem(
            .encryptedKey, file: file, "the private key is encrypted, and the server cannot ask for a passphrase",
            fix: "decrypt it: openssl pkey -in \(file) -out NEW, then put NEW in its place")
    }

    /// Whether DER is a sequence that begins with a sequence, as an encrypted key does; other forms of keys begin with a number.
    private static func isEncrypted(_ der: UnsafeRawBufferPointer) -> Bool {
        guard der.count > 2 else { return false }
        let lengthCount = unsafe der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
        return unsafe der.count > 2 + lengthCount && der[2 + lengthCount] == 0x30
    }

    /// The first key of a PEM file. The label states its type, so the decoder does not try all types.
    private static func first(
        of text: UnsafeRawBufferPointer, _ file: String
    ) throws(CertificateProblem) -> OpaquePointer? {
        let input = unsafe PEM.Input(text)
        while let block = PEM.Block(reading: input) {
            if block.label == "ENCRYPTED PRIVATE KEY" { throw encrypted(file) }
            guard ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"].contains(block.label) else { continue }
            if block.isEncrypted { throw encrypted(file) }
            return switch block.label {
            case "EC PRIVATE KEY": unsafe decode(block.bytes, "type-specific", "EC")
            case "RSA PRIVATE KEY": unsafe decode(block.bytes, "type-specific", "RSA")
            default: unsafe decode(info: block.bytes)
            }
        }
        return nil
    }

    /// A key in the form of PKCS #8.
    private static func decode(info der: UnsafeRawBufferPointer) -> OpaquePointer? {
        var start = unsafe der.assumingMemoryBound(to: UInt8.self).baseAddress
        guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, der.count) else { return nil }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return unsafe algorithm(info).flatMap { unsafe decode(der, "PrivateKeyInfo", $0) }
    }

    /// The algorithm that PKCS #8 states for the key (RFC 5958 §2), if servers use it.
    private static func algorithm(_ info: OpaquePointer) -> StaticString? {
        var identifier: OpaquePointer?
        guard unsafe PKCS8_pkey_get0(&identifier, nil, nil, nil, info) == 1 else { return nil }
        switch unsafe OBJ_obj2nid(identifier) {
        case NID_rsaEncryption: return "RSA"
        case NID_X9_62_id_ecPublicKey: return "EC"
        case NID_ED25519: return "ED25519"
        // Decoded so that `CertificateChecks` can report its type.
        case NID_rsassaPss: return "RSA-PSS"
        default: return nil
        }
    }

    private static func decode(
        _ der: UnsafeRawBufferPointer, _ structure: StaticString, _ type: StaticString
    ) -> OpaquePointer? {
        var key: OpaquePointer?
        // The decoder refers to the variable and the names until it is freed.
        return unsafe withUnsafeMutablePointer(to: &key) { key in
            let form: StaticString = "DER"
            guard
                let decoder = unsafe OSSL_DECODER_CTX_new_for_pkey(
                    key, form.cString, structure.cString, type.cString, associated_keypair(), nil, nil)
            else { return nil }
            defer { unsafe OSSL_DECODER_CTX_free(decoder) }
            var start = unsafe der.assumingMemoryBound(to: UInt8.self).baseAddress
            var count = der.count
            return unsafe OSSL_DECODER_from_data(decoder, &start, &count) == 1 ? key.pointee : nil
        }
    }
}

// Reads a private key from the bytes of a file: PEM in any of its forms, or DER. Encrypted keys are recognised by their form, and
// OpenSSL is never given one: it would ask for a passphrase on the terminal and wait.
//
// A tenant chooses these bytes, and a worker computes with them in each handshake. So only the algorithms that servers use are
// decoded (OpenSSL may compute for minutes for others), and no number of a key may be larger than the key's size allows.

/// The file of a private key, read but not opened yet.
public struct KeyFile: ~Copyable {
    let path: String
    let permissionProblem: CertificateProblem?
    private let text: SecretBytes

    public init(_ text: consuming SecretBytes, path: String, access: FileAccess) {
        self.path = path
        permissionProblem = CertificateChecks.permissions(access, of: path)
        self.text = text
    }

    /// Reads a file of the operator.
    public init(reading path: String) throws(CertificateProblem) {
        do throws(FileError) {
            let text = try SecretBytes(reading: path, bytesMax: CertificateLimits.keyBytesMax)
            self.init(text, path: path, access: try File.access(path))
        } catch {
            throw CertificateProblem(reading: "the private key", path, error)
        }
    }

    public func open() throws(CertificateProblem) -> PrivateKey { try unsafe PrivateKey(text.bytes, file: path) }
}

extension StaticString {
    /// The text for C; a static string ends with a zero byte.
    fileprivate var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
