// One key for session tickets, in the layout that nginx and others use for shared key files: 16 bytes of name, 32 bytes for
// HMAC-SHA-256, 32 bytes for AES-256 in CBC mode.

import COpenSSL

/// A ticket key; its bytes are cleared when its last user lets go of it.
final class TicketKey: Sendable {
    static let nameBytes = 16
    static let byteCount = 80

    private let secret: SecretBytes

    /// A new key that nobody else has.
    init() throws(TLSError) { secret = try SecretBytes.random(count: TicketKey.byteCount) }

    /// 80 bytes of a shared file.
    init(copying bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == TicketKey.byteCount, "a ticket key has 80 bytes")
        secret = SecretBytes(copying: bytes)
    }

    /// What a ticket names its key by.
    var name: UnsafeRawBufferPointer { part(0, TicketKey.nameBytes) }
    var authenticationKey: UnsafeRawBufferPointer { part(16, 32) }
    var encryptionKey: UnsafeRawBufferPointer { part(48, 32) }

    func isNamed(_ name: UnsafeRawPointer) -> Bool {
        CRYPTO_memcmp(self.name.baseAddress, name, TicketKey.nameBytes) == 0
    }

    private func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: secret.bytes[offset..<offset + count])
    }
}
