// A private key from the bytes of a file: PEM in any of its forms, with or without a passphrase, or DER.
// The passphrase callback is always given: without one OpenSSL would ask on the terminal and wait.

import COpenSSL
import Posix

extension PrivateKey {
    /// Reads a file such as `privkey.pem`.
    static func read(_ path: String, passphrase: Passphrase?) throws(CertificateProblem) -> PrivateKey {
        let text: SecretBytes
        do throws(FileError) {
            text = try SecretBytes(reading: path, bytesMax: CertificateLimits.keyBytesMax)
        } catch {
            throw CertificateProblem(
                .unreadableFile, file: path, "the private key cannot be read: \(error)",
                fix: "make it a file that the server's user may read", shortage: error.shortage)
        }
        return try PrivateKey(text.bytes, file: path, passphrase: passphrase)
    }

    /// `file` is for messages and to ask for the passphrase by.
    init(
        _ text: UnsafeRawBufferPointer, file: String, passphrase: Passphrase?
    ) throws(CertificateProblem) {
        var request = PassphraseRequest(passphrase: passphrase, file: file)
        let found = PrivateKey.unprotected(text) ?? PrivateKey.general(text, &request) ?? PrivateKey.binary(text)
        let failure = OpenSSLFailure.drain()
        guard let found else { throw PrivateKey.problem(request, failure) }
        self.init(takingOwnershipOf: found)
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
        if request.wasAsked {
            return request.wasAnswered
                ? CertificateProblem(
                    .passphrase, file: request.file, "the passphrase does not open the private key",
                    fix: "correct the passphrase, or remove it with openssl pkey -in \(request.file)")
                : CertificateProblem(
                    .passphrase, file: request.file,
                    "the private key is protected by a passphrase, and \(request.passphrase?.absence() ?? "none is given")",
                    fix: "configure the passphrase, or remove it with openssl pkey -in \(request.file)")
        }
        return CertificateProblem(
            .malformedKey, file: request.file, "there is no private key in this file: \(failure)",
            fix: "put the key there in PEM form, beginning -----BEGIN PRIVATE KEY-----")
    }
}

/// What OpenSSL's passphrase callback works with.
private struct PassphraseRequest {
    let passphrase: Passphrase?
    let file: String
    var wasAsked = false
    var wasAnswered = false
}

/// Puts the passphrase where OpenSSL wants it. The corresponding C type is `pem_password_cb`.
private func answerPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ writing: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let buffer, let request = context?.assumingMemoryBound(to: PassphraseRequest.self) else { return -1 }
    request.pointee.wasAsked = true
    guard var bytes = request.pointee.passphrase?.bytes(request.pointee.file), bytes.count <= Int(capacity) else {
        return -1
    }
    request.pointee.wasAnswered = true
    for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    return Int32(bytes.count)
}
