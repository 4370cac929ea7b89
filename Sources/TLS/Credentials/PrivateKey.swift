// The owner of a decoded private key. Decoding is expensive (340 µs with PEM_read_bio_PrivateKey, 90 µs when the decoder is told
// the type), so a key is decoded once and kept.

import COpenSSL
import Posix

/// A decoded private key, freed at the end of this value's lifetime. The corresponding C type is `EVP_PKEY`.
@safe struct PrivateKey: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// A new key on the curve P-256.
    static func generate() throws(TLSError) -> PrivateKey {
        guard let pointer = unsafe associated_generate_p256() else { throw .draining("cannot create a private key") }
        return unsafe PrivateKey(takingOwnershipOf: pointer)
    }

    /// Whether a passphrase protects a key in PKCS #8 form, which states the cost of opening it.
    enum Protection: Sendable {
        /// Not protected, or in the old form of PEM, whose derivation is one round.
        case none
        /// The bytes of the EncryptedPrivateKeyInfo.
        case locked([UInt8])

        private static let label = "ENCRYPTED PRIVATE KEY"

        init(of text: UnsafeRawBufferPointer) {
            if unsafe text.first == 0x30 {
                self = unsafe Protection.isLocked(text) ? .locked(Array(text)) : .none
                return
            }
            let input = unsafe PEM.Input(text)
            defer { OpenSSLFailure.forget() }
            while let block = PEM.Block(reading: input) {
                guard block.label.hasSuffix("PRIVATE KEY") else { continue }
                if block.label == Protection.label {
                    self = unsafe .locked(Array(block.bytes))
                    return
                }
                break
            }
            self = .none
        }

        /// Whether it is a sequence that begins with a sequence; other forms of keys begin with a number.
        private static func isLocked(_ der: UnsafeRawBufferPointer) -> Bool {
            guard der.count > 2 else { return false }
            let lengthCount = unsafe der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
            return unsafe der.count > 2 + lengthCount && der[2 + lengthCount] == 0x30
        }
    }

    /// `file` is for messages and for requesting the passphrase.
    init(
        _ text: UnsafeRawBufferPointer, _ protection: Protection, file: String, _ passphrase: Passphrase?
    ) throws(CertificateProblem) {
        var request = PassphraseRequest(passphrase: passphrase, file: file)
        let found: OpaquePointer?
        switch protection {
        case .locked(let der):
            if let problem = PrivateKey.refusal(of: der, file) { throw problem }
            unsafe found = PrivateKey.unlock(der, &request)
        case .none where unsafe text.first == 0x30:
            unsafe found =
                unsafe PrivateKey.decode(info: text) ?? PrivateKey.decode(text, "type-specific", "RSA")
                ?? PrivateKey.decode(text, "type-specific", "EC")
        case .none: unsafe found = PrivateKey.first(of: text, &request)
        }
        let failure = OpenSSLFailure.drain()
        guard let found = unsafe found else { throw PrivateKey.problem(request, failure) }
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

    /// Why a protected key is rejected before its passphrase is used.
    private static func refusal(of der: [UInt8], _ file: String) -> CertificateProblem? {
        let reason: String
        if let derivation = KeyDerivation(der) {
            guard let excess = derivation.excess else { return nil }
            reason = excess
        } else {
            reason = "the private key is protected by an unsupported method; only PBKDF2 and scrypt are supported"
        }
        return CertificateProblem(
            .passphrase, file: file, reason,
            fix:
                "use fewer rounds: openssl pkcs8 -topk8 -iter 600000 -in \(file) -out NEW, or remove the passphrase"
        )
    }

    private static func unlock(_ der: [UInt8], _ request: inout PassphraseRequest) -> OpaquePointer? {
        guard var passphrase = request.ask() else { return nil }
        defer { unsafe passphrase.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard let protected = unsafe DER.decode(der, d2i_X509_SIG) else { return nil }
        defer { unsafe X509_SIG_free(protected) }
        let info = unsafe passphrase.withUnsafeBytes { bytes in
            unsafe PKCS8_decrypt(protected, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard let info = unsafe info else { return nil }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return unsafe algorithm(info) == nil ? nil : EVP_PKCS82PKEY(info)
    }

    /// The first key of a PEM file. The label states its type, so the decoder does not try all types.
    private static func first(of text: UnsafeRawBufferPointer, _ request: inout PassphraseRequest) -> OpaquePointer? {
        let input = unsafe PEM.Input(text)
        while var block = PEM.Block(reading: input) {
            guard ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"].contains(block.label) else { continue }
            guard unsafe withUnsafeMutablePointer(to: &request, { unsafe block.decrypt(answerPassphrase, $0) }) else {
                return nil
            }
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

    private static func problem(_ request: PassphraseRequest, _ failure: OpenSSLFailure) -> CertificateProblem {
        switch request.answer {
        case .notAsked:
            CertificateProblem(
                .malformedKey, file: request.file,
                "there is no RSA, ECDSA or Ed25519 private key in this file: \(failure)",
                fix: "put the key there in PEM form, beginning -----BEGIN PRIVATE KEY-----")
        case .given:
            CertificateProblem(
                .passphrase, file: request.file, "the passphrase does not open the private key",
                fix: "correct the passphrase, or remove it with openssl pkey -in \(request.file)")
        case .missing:
            CertificateProblem(
                .passphrase, file: request.file, "the private key needs a passphrase, but none is configured",
                fix: "configure the passphrase, or remove it with openssl pkey -in \(request.file)")
        case .unreadable(let file, let error):
            CertificateProblem(
                .passphrase, file: request.file,
                "the private key needs a passphrase, but the passphrase file \(file) cannot be read: \(error)",
                fix: "let the server's user read that file", shortage: error.shortage)
        }
    }
}

// Reads a private key from the bytes of a file: PEM in any of its forms, with or without a passphrase, or DER. The passphrase
// callback is always set: without one, OpenSSL would ask on the terminal and wait.
//
// A tenant chooses these bytes, and a worker computes with them in each handshake. So only the algorithms that servers use are
// decoded (OpenSSL may compute for minutes for others), and no number of a key may be larger than the key's size allows.

/// The file of a private key, read but not opened yet.
struct KeyFile: ~Copyable {
    let path: String
    let permissionProblem: CertificateProblem?
    private let text: SecretBytes
    private let protection: PrivateKey.Protection

    init(_ text: consuming SecretBytes, path: String, access: FileAccess) {
        self.path = path
        permissionProblem = CertificateChecks.permissions(access, of: path)
        protection = unsafe PrivateKey.Protection(of: text.bytes)
        self.text = text
    }

    /// Reads a file of the operator.
    init(reading path: String) throws(CertificateProblem) {
        do throws(FileError) {
            let text = try SecretBytes(reading: path, bytesMax: CertificateLimits.keyBytesMax)
            self.init(text, path: path, access: try File.access(path))
        } catch {
            throw CertificateProblem(reading: "the private key", path, error)
        }
    }

    /// Whether opening it is slow but allowed.
    var isSlow: Bool {
        guard case .locked(let der) = protection, let derivation = KeyDerivation(der) else { return false }
        return !derivation.isQuick && derivation.excess == nil
    }

    func open(_ passphrase: Passphrase?) throws(CertificateProblem) -> PrivateKey {
        try unsafe PrivateKey(text.bytes, protection, file: path, passphrase)
    }
}

/// A request for a passphrase, and its outcome.
private struct PassphraseRequest {
    let passphrase: Passphrase?
    let file: String
    private(set) var answer = Answer.notAsked

    enum Answer {
        case notAsked
        case missing
        case given
        case unreadable(file: String, FileError)
    }

    mutating func ask() -> [UInt8]? {
        switch passphrase?.answer(file) {
        case .text(let bytes):
            answer = .given
            return bytes
        case .unreadable(let file, let error): answer = .unreadable(file: file, error)
        case nil: answer = .missing
        }
        return nil
    }
}

/// Writes the passphrase to OpenSSL's buffer. The corresponding C type is `pem_password_cb`.
private func answerPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer = unsafe buffer, let request = unsafe context?.assumingMemoryBound(to: PassphraseRequest.self)
    else { return -1 }
    guard var bytes = unsafe request.pointee.ask() else { return -1 }
    defer { unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
    if bytes.count > Int(capacity) { return -1 }
    for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    return Int32(bytes.count)
}

extension StaticString {
    /// The text for C; a static string ends with a zero byte.
    fileprivate var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// A source of passphrases for private keys.
public struct Passphrase: Sendable {
    enum Answer: Sendable {
        case text([UInt8])
        case unreadable(file: String, FileError)
    }

    /// Called with the path of an encrypted key; nil if there is no passphrase for it.
    let answer: @Sendable (_ path: String) -> Answer?
    /// Changes when passphrases may have changed, so that keys are read again.
    let stamp: @Sendable () -> Int

    public init(_ bytes: @escaping @Sendable (_ path: String) -> [UInt8]?) {
        answer = { path in bytes(path).map { .text($0) } }
        stamp = { 0 }
    }

    /// One passphrase for all keys.
    public init(_ text: [UInt8]) { self.init { _ in text } }

    /// The first line of a file, read when it is needed.
    public init(file: String) {
        answer = { _ in
            do throws(FileError) {
                let content = try SecretBytes(reading: file, bytesMax: CertificateLimits.passphraseBytesMax)
                return unsafe .text(
                    Array(content.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }))
            } catch {
                return .unreadable(file: file, error)
            }
        }
        stamp = { (try? File.status(file)).hashValue }
    }
}
