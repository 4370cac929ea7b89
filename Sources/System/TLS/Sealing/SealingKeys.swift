// Encrypts secrets that are stored in a database, such as private keys, with AES-256-GCM. The place of the secret is associated
// data, so that a sealed secret cannot be moved to another row. A copy of the database is useless without the key file. Nonces
// are random, which is safe for 2^32 secrets for each key, far more than a fleet has.
//
// To replace the key: put the new one before the old one in the file, seal everything again, then remove the old one.

import COpenSSL
import Posix

/// The sealing key, or two keys while one replaces the other.
public final class SealingKeys: Sendable {
    static let keyBytes = 32
    private static let nonceBytes = 12
    private static let tagBytes = 16
    /// The first byte of a sealed secret, so that a later format can be recognised.
    private static let format: UInt8 = 1
    private static let headBytes = 1 + nonceBytes + tagBytes

    /// The first one encrypts; both decrypt.
    private let keys: SecretBytes

    /// The keys of a file: 32 or 64 bytes.
    public init(file: String) throws(TLSError) {
        do throws(FileError) {
            keys = try SecretBytes(reading: file, bytesMax: SealingKeys.keyBytes * 2 + 1)
        } catch {
            throw TLSError("cannot read the key file of the store, \(file): \(error)")
        }
        guard keys.count == SealingKeys.keyBytes || keys.count == SealingKeys.keyBytes * 2 else {
            throw TLSError("the key file of the store, \(file), has \(keys.count) bytes, not 32, or 64 for two keys")
        }
    }

    /// Whether one key replaces the other.
    public var areTwo: Bool { keys.count > SealingKeys.keyBytes }

    /// Creates a file with a new key, unless there is one.
    public static func create(_ file: String) throws(TLSError) {
        if File.exists(file) { return }
        let key = try SecretBytes.random(count: keyBytes)
        do throws(SystemError) { _ = try unsafe File.create(file, key.bytes, permissions: 0o600) } catch {
            throw TLSError("cannot create the key file of the store, \(file): \(error.reason)")
        }
    }

    /// - Parameter place: where the secret is stored, such as table and name.
    public func seal(_ secret: [UInt8], for place: String) throws(TLSError) -> [UInt8] {
        let nonce = try SecretBytes.random(count: SealingKeys.nonceBytes)
        var tag = [UInt8](repeating: 0, count: SealingKeys.tagBytes)
        guard let sealed = unsafe crypt(secret, keyIndex: 0, nonce: Array(nonce.bytes), place, &tag, isSealing: true)
        else {
            throw .draining("cannot seal a secret")
        }
        return unsafe [SealingKeys.format] + Array(nonce.bytes) + tag + sealed
    }

    /// The secret, and whether it should be sealed again because its key has been replaced.
    public func open(_ sealed: [UInt8], for place: String) throws(TLSError) -> (secret: [UInt8], isOutdated: Bool) {
        if sealed.count >= SealingKeys.headBytes && sealed[0] == SealingKeys.format {
            let nonce = Array(sealed[1...SealingKeys.nonceBytes])
            var tag = Array(sealed[(1 + SealingKeys.nonceBytes)..<SealingKeys.headBytes])
            let content = Array(sealed[SealingKeys.headBytes...])
            for index in 0..<keys.count / SealingKeys.keyBytes {
                if let secret = crypt(content, keyIndex: index, nonce: nonce, place, &tag, isSealing: false) {
                    return (secret, index > 0)
                }
            }
        }
        OpenSSLFailure.forget()
        throw TLSError(
            "cannot open the secret of \(place): it was sealed with another key, or changed; use the original key file")
    }

    /// Nil if the tag is wrong, or OpenSSL fails. The corresponding C functions are `EVP_CipherInit_ex` and so on.
    private func crypt(
        _ input: [UInt8], keyIndex: Int, nonce: [UInt8], _ place: String, _ tag: inout [UInt8], isSealing: Bool
    ) -> [UInt8]? {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let key = unsafe UnsafeRawBufferPointer(rebasing: keys.bytes.dropFirst(keyIndex * SealingKeys.keyBytes))
        let start = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
        let (associated, tagCount) = (Array(place.utf8), Int32(SealingKeys.tagBytes))
        var output = [UInt8](repeating: 0, count: input.count + SealingKeys.tagBytes)
        var last = [UInt8](repeating: 0, count: SealingKeys.tagBytes)
        var (count, lastCount, ignored) = (Int32(0), Int32(0), Int32(0))
        guard unsafe EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, start, nonce, isSealing ? 1 : 0) == 1,
            unsafe isSealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagCount, &tag) == 1,
            unsafe EVP_CipherUpdate(context, nil, &ignored, associated, Int32(associated.count)) == 1,
            unsafe EVP_CipherUpdate(context, &output, &count, input, Int32(input.count)) == 1,
            // GCM writes no bytes here; this checks the tag, or creates it.
            unsafe EVP_CipherFinal_ex(context, &last, &lastCount) == 1,
            unsafe !isSealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagCount, &tag) == 1
        else { return nil }
        output.removeSubrange(Int(count)...)
        return output
    }
}
