// A private key from the bytes of a file: PEM in any of its forms, with or without a passphrase, or DER.
// The passphrase callback is always given: without one OpenSSL would ask on the terminal and wait.

import COpenSSL
import Posix

/// A private key as it lies in a file, read and not yet opened.
struct KeyFile: ~Copyable {
    let path: String
    /// What is wrong with who may read it.
    let permissionProblem: CertificateProblem?
    private let text: SecretBytes
    private let protection: PrivateKey.Protection

    init(_ text: consuming SecretBytes, path: String, access: FileAccess) {
        self.path = path
        permissionProblem = CertificateChecks.permissions(access, of: path)
        protection = PrivateKey.Protection(of: text.bytes)
        self.text = text
    }

    /// Reads a file of the operator's own.
    init(reading path: String) throws(CertificateProblem) {
        do throws(FileError) {
            let text = try SecretBytes(reading: path, bytesMax: CertificateLimits.keyBytesMax)
            self.init(text, path: path, access: try File.access(path))
        } catch {
            throw CertificateProblem(reading: "the private key", path, error)
        }
    }

    /// Whether opening it takes long.
    var isSlow: Bool {
        guard case .locked(let der) = protection, let derivation = KeyDerivation(der) else { return false }
        return !derivation.isQuick && derivation.excess == nil
    }

    func open(_ passphrase: Passphrase?) throws(CertificateProblem) -> PrivateKey {
        try PrivateKey(text.bytes, protection, file: path, passphrase)
    }
}

extension PrivateKey {
    /// Whether a passphrase protects a key in the form of PKCS #8, which says what opening it costs.
    enum Protection: Sendable {
        /// No, or in the old form of PEM, whose derivation is one round.
        case none
        /// The bytes of the EncryptedPrivateKeyInfo.
        case locked([UInt8])
        /// There is such a key, though not as the first of the file: OpenSSL might come upon it by itself.
        case hidden

        private static let label = "ENCRYPTED PRIVATE KEY"

        init(of text: UnsafeRawBufferPointer) {
            if text.first == 0x30 {
                self = Protection.isLocked(text) ? .locked(Array(text)) : .none
                return
            }
            let input = PEM.Input(text)
            defer { OpenSSLFailure.forget() }
            while let block = PEM.Block(reading: input) {
                guard block.label.hasSuffix("PRIVATE KEY") else { continue }
                if block.label == Protection.label {
                    self = .locked(Array(block.bytes))
                    return
                }
                break
            }
            self = Protection.mentions(text) ? .hidden : .none
        }

        /// A sequence that begins with one: other forms of keys begin with a number.
        private static func isLocked(_ der: UnsafeRawBufferPointer) -> Bool {
            guard der.count > 2 else { return false }
            let lengthCount = der[1] < 0x80 ? 0 : Int(der[1] & 0x7F)
            return der.count > 2 + lengthCount && der[2 + lengthCount] == 0x30
        }

        private static func mentions(_ text: UnsafeRawBufferPointer) -> Bool {
            let wanted = Array(label.utf8)
            guard text.count >= wanted.count else { return false }
            return (0...text.count - wanted.count).contains { start in
                text[start] == wanted[0] && text[start..<start + wanted.count].elementsEqual(wanted)
            }
        }
    }

    /// `file` is for messages and to ask for the passphrase by.
    init(
        _ text: UnsafeRawBufferPointer, _ protection: Protection, file: String, _ passphrase: Passphrase?
    ) throws(CertificateProblem) {
        var request = PassphraseRequest(passphrase: passphrase, file: file)
        let found: OpaquePointer?
        switch protection {
        case .locked(let der):
            if let problem = PrivateKey.refusal(of: der, file) { throw problem }
            found = PrivateKey.unlock(der, &request)
        case .hidden: found = PrivateKey.unprotected(text)
        case .none:
            found = PrivateKey.unprotected(text) ?? PrivateKey.general(text, &request) ?? PrivateKey.binary(text)
        }
        let failure = OpenSSLFailure.drain()
        guard let found else { throw PrivateKey.problem(request, failure) }
        self.init(takingOwnershipOf: found)
    }

    /// Why a protected key is not opened, whatever the passphrase.
    private static func refusal(of der: [UInt8], _ file: String) -> CertificateProblem? {
        let reason: String
        if let derivation = KeyDerivation(der) {
            guard let excess = derivation.excess else { return nil }
            reason = excess
        } else {
            reason = "the private key is protected in a way that is not known here, neither PBKDF2 nor scrypt"
        }
        return CertificateProblem(
            .passphrase, file: file, reason,
            fix:
                "protect it with less: openssl pkcs8 -topk8 -iter 600000 -in \(file) -out NEW, or remove the passphrase"
        )
    }

    private static func unlock(_ der: [UInt8], _ request: inout PassphraseRequest) -> OpaquePointer? {
        guard var passphrase = request.ask() else { return nil }
        defer { passphrase.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let protected = der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_X509_SIG(nil, &start, buffer.count)
        }
        guard let protected else { return nil }
        defer { X509_SIG_free(protected) }
        let info = passphrase.withUnsafeBytes { bytes in
            PKCS8_decrypt(protected, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard let info else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return EVP_PKCS82PKEY(info)
    }

    /// The usual case, quickly: the first block says what it is, so the decoder need not try everything it knows. One that
    /// a passphrase protects is not decoded here.
    private static func unprotected(_ text: UnsafeRawBufferPointer) -> OpaquePointer? {
        let input = PEM.Input(text)
        while let block = PEM.Block(reading: input) {
            switch block.label {
            case "PRIVATE KEY": return algorithm(block.bytes).flatMap { decode(block.bytes, "PrivateKeyInfo", $0) }
            case "EC PRIVATE KEY": return decode(block.bytes, "type-specific", "EC")
            case "RSA PRIVATE KEY": return decode(block.bytes, "type-specific", "RSA")
            default: continue
            }
        }
        return nil
    }

    /// The name of the algorithm that PKCS #8 states beside the key (RFC 5958 §2).
    private static func algorithm(_ der: UnsafeRawBufferPointer) -> StaticString? {
        var start = der.assumingMemoryBound(to: UInt8.self).baseAddress
        guard let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &start, der.count) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        var identifier: OpaquePointer?
        guard PKCS8_pkey_get0(&identifier, nil, nil, nil, info) == 1 else { return nil }
        switch OBJ_obj2nid(identifier) {
        case NID_rsaEncryption: return "RSA"
        case NID_X9_62_id_ecPublicKey: return "EC"
        case NID_ED25519: return "ED25519"
        default: return nil
        }
    }

    private static func decode(
        _ der: UnsafeRawBufferPointer, _ structure: StaticString, _ type: StaticString
    ) -> OpaquePointer? {
        var key: OpaquePointer?
        // The decoder keeps the place of the key, and the names, until it is freed.
        return withUnsafeMutablePointer(to: &key) { key in
            let form: StaticString = "DER"
            guard
                let decoder = OSSL_DECODER_CTX_new_for_pkey(
                    key, form.cString, structure.cString, type.cString, associated_keypair(), nil, nil)
            else { return nil }
            defer { OSSL_DECODER_CTX_free(decoder) }
            var start = der.assumingMemoryBound(to: UInt8.self).baseAddress
            var count = der.count
            return OSSL_DECODER_from_data(decoder, &start, &count) == 1 ? key.pointee : nil
        }
    }

    private static func general(
        _ text: UnsafeRawBufferPointer, _ request: inout PassphraseRequest
    ) -> OpaquePointer? {
        // What the quick way said is of no interest if this succeeds, and said again if it does not.
        OpenSSLFailure.forget()
        let input = PEM.Input(text)
        return withUnsafeMutablePointer(to: &request) {
            PEM_read_bio_PrivateKey(input.source, nil, answerPassphrase, $0)
        }
    }

    private static func binary(_ text: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard text.first == 0x30 else { return nil }
        var start = text.assumingMemoryBound(to: UInt8.self).baseAddress
        return d2i_AutoPrivateKey(nil, &start, text.count)
    }

    private static func problem(_ request: PassphraseRequest, _ failure: OpenSSLFailure) -> CertificateProblem {
        switch request.answer {
        case .notAsked:
            CertificateProblem(
                .malformedKey, file: request.file, "there is no private key in this file: \(failure)",
                fix: "put the key there in PEM form, beginning -----BEGIN PRIVATE KEY-----")
        case .given:
            CertificateProblem(
                .passphrase, file: request.file, "the passphrase does not open the private key",
                fix: "correct the passphrase, or remove it with openssl pkey -in \(request.file)")
        case .missing:
            CertificateProblem(
                .passphrase, file: request.file, "the private key is protected by a passphrase, and none is given",
                fix: "configure the passphrase, or remove it with openssl pkey -in \(request.file)")
        case .unreadable(let file, let error):
            CertificateProblem(
                .passphrase, file: request.file,
                "the private key is protected by a passphrase, and the passphrase file \(file) cannot be read: \(error)",
                fix: "let the server's user read that file", shortage: error.shortage)
        }
    }
}

/// A passphrase being asked for.
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

    init(passphrase: Passphrase?, file: String) {
        self.passphrase = passphrase
        self.file = file
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

/// Puts the passphrase where OpenSSL wants it. The corresponding C type is `pem_password_cb`.
private func answerPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let request = context?.assumingMemoryBound(to: PassphraseRequest.self) else { return -1 }
    guard var bytes = request.pointee.ask() else { return -1 }
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    if bytes.count > Int(capacity) { return -1 }
    for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    return Int32(bytes.count)
}

extension StaticString {
    /// For C, which wants a zero at the end, and there is one.
    fileprivate var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
