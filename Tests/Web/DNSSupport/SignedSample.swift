// A signed update and its answer, with the key of all tests.

@testable import DNS

enum SignedSample {
    /// The bytes 0 to 31.
    static let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    static let id: UInt16 = 0x1234
    static let now: Int64 = 1_800_000_000
    static let zone = DomainName("example.com")!
    static let name = DomainName("_acme-challenge.shop.example.com")!
    static let text = Array("abc".utf8)

    static func key(
        _ name: String = "associated.", _ algorithm: TransactionKey.Algorithm = .sha256, secret: String = secret
    ) -> TransactionKey {
        TransactionKey(name: DomainName(name)!, algorithm: algorithm, secret: secret)!
    }

    static func update(_ change: UpdateMessage.Change) -> UpdateMessage {
        UpdateMessage(change: change, text: text, name: name, zone: zone)
    }

    /// The request that adds the record.
    static let request = key().sign(update(.add).bytes(id: id)!, now: now)

    /// How a server signs its answer.
    struct Answer {
        var id = SignedSample.id
        /// An answer to an update.
        var flags: UInt16 = 0xA800
        var key = SignedSample.key()
        var signedAt = SignedSample.now
        var error: UInt16 = 0
        var other: [UInt8] = []
        /// The code of the request that it answers.
        var requestCode = SignedSample.request.code
        var isSigned = true
        /// Whether the signature has a code.
        var hasCode = true

        var bytes: [UInt8] {
            var message = ResolverState.bytes(id) + ResolverState.bytes(flags) + [0, 1, 0, 0, 0, 0, 0, 0]
            message += DNSPacket.name("example.com") + [0, 6, 0, 1]
            if !isSigned { return message }
            let empty = TransactionSignature(by: key, signedAt: signedAt, id: id, error: error, other: other)
            let signature = hasCode ? empty.completed(for: message, by: key, answering: requestCode) : empty
            return signature.appended(to: message)
        }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
