// Seals secrets that are stored outside this program's own files, such as private keys in a database: AES-256-GCM, with
// the place of the secret as associated data, so that a sealed secret cannot be read elsewhere or moved to another row.
// Whoever copies the database but not the key file has nothing. Nonces are random, which suits far more secrets than a
// fleet has (2^32 for each key).
//
// To replace the key: put the new one before the old one in the file, seal everything again, then remove the old one.

import COpenSSL
import Posix

/// One key, or two while one replaces the other.
public final class SealingKeys: Sendable {
    static let keyBytes = 32
    private static let nonceBytes = 12
    private static let tagBytes = 16
    /// The first byte of what is sealed, so that another way of sealing can follow.
    private static let format: UInt8 = 1
    private static let headBytes = 1 + nonceBytes + tagBytes

    /// The first one seals; all open.
    private let keys: SecretBytes

    /// The keys of a file: 32 or 64 bytes.
    public init(file: String) throws(TLSError) {
        do throws(FileError) {
            keys = try SecretBytes(reading: file, bytesMax: SealingKeys.keyBytes * 2 + 1)
        } catch {
            throw TLSError("cannot read the key file of the store: \(error)")
        }
        guard keys.count == SealingKeys.keyBytes || keys.count == SealingKeys.keyBytes * 2 else {
            throw TLSError(
                "the key file of the store, \(file), has \(keys.count) bytes instead of 32 for each of one or two keys; "
                    + "make one with openssl rand 32, and chmod 600")
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

    /// The secret, and whether it should be sealed again because the key of then has been replaced.
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
            "cannot open the secret of \(place): it was sealed with another key, or changed; use the key file of then")
    }

    /// Nil if the tag does not fit, or OpenSSL fails. The corresponding C functions are `EVP_CipherInit_ex` and its
    /// relatives.
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
            // GCM has nothing left to write here: this checks the tag, or makes it.
            unsafe EVP_CipherFinal_ex(context, &last, &lastCount) == 1,
            unsafe !isSealing || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagCount, &tag) == 1
        else { return nil }
        output.removeSubrange(Int(count)...)
        return output
    }
}
