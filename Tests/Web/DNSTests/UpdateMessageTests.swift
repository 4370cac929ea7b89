// The bytes of updates, and every way in which an answer can be wrong.

import Testing

@testable import DNS
@testable import DNSSupport

struct UpdateMessageTests {
    private func check(_ packet: [UInt8]) -> UpdateFailure.Kind? {
        do throws(UpdateFailure.Kind) {
            try UpdateMessage.check(
                packet, id: SignedSample.id, key: SignedSample.key(), requestCode: SignedSample.request.code,
                now: SignedSample.now)
            return nil
        } catch {
            return error
        }
    }

    /// RFC 2136 §2.5.1 and §2.5.4.
    @Test(arguments: [
        (UpdateMessage.Change.add, "00010000003c"), (.remove, "00fe00000000"),
    ])
    func `adds a record or removes exactly this one`(change: UpdateMessage.Change, classAndLife: String) throws {
        let bytes = try #require(SignedSample.update(change).bytes(id: SignedSample.id))
        #expect(
            SignedSample.hex(bytes)
                == "123428000001000000010000076578616d706c6503636f6d0000060001"
                + "0f5f61636d652d6368616c6c656e67650473686f70076578616d706c6503636f6d000010\(classAndLife)000403616263")
    }

    @Test(arguments: [(255, true), (256, false)]) func `a text is one string`(count: Int, isEncodable: Bool) {
        let update = UpdateMessage(
            change: .add, text: [UInt8](repeating: 0x61, count: count), name: SignedSample.name, zone: SignedSample.zone
        )
        #expect((update.bytes(id: 1) != nil) == isEncodable)
    }

    struct Scene: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: UpdateFailure.Kind?
        var change: @Sendable (inout SignedSample.Answer) -> Void

        init(
            _ name: String, _ kind: UpdateFailure.Kind?,
            _ change: @escaping @Sendable (inout SignedSample.Answer) -> Void
        ) {
            (testDescription, self.kind, self.change) = (name, kind, change)
        }
    }

    private static let scenes = [
        Scene("success", nil) { _ in },
        Scene("BADKEY", .unknownKey) { ($0.flags, $0.error, $0.hasCode) = (0xA809, 17, false) },
        Scene("BADSIG", .otherSecret) { ($0.flags, $0.error, $0.hasCode) = (0xA809, 16, false) },
        Scene("BADTIME", .clock(differenceSeconds: 1_000)) {
            ($0.flags, $0.error, $0.other) = (0xA809, 18, [0, 0, 0x6B, 0x49, 0xD5, 0xE8])
        },
        Scene("BADTIME without a code", .forged) {
            ($0.flags, $0.error, $0.hasCode, $0.other) = (0xA809, 18, false, [0, 0, 0x6B, 0x49, 0xD5, 0xE8])
        },
        Scene("an error of a later standard", .code(22)) { ($0.flags, $0.error) = (0xA809, 22) },
        Scene("signed five minutes ago", nil) { $0.signedAt -= 300 },
        Scene("signed earlier", .clock(differenceSeconds: -301)) { $0.signedAt -= 301 },
        Scene("signed in five minutes", nil) { $0.signedAt += 300 },
        Scene("signed later", .clock(differenceSeconds: 301)) { $0.signedAt += 301 },
        Scene("not signed", .unsigned) { $0.isSigned = false },
        Scene("signed without a code", .forged) { $0.hasCode = false },
        Scene("a refusal that is not signed", .refused) { ($0.flags, $0.isSigned) = (0xA805, false) },
        Scene("REFUSED", .refused) { $0.flags = 0xA805 },
        Scene("NOTAUTH", .notPrimary) { $0.flags = 0xA809 },
        Scene("NOTZONE", .notPrimary) { $0.flags = 0xA80A },
        Scene("SERVFAIL", .code(2)) { $0.flags = 0xA802 },
        Scene("another secret", .forged) { $0.key = SignedSample.key(secret: "AAEC") },
        Scene("another key", .forged) { $0.key = SignedSample.key("other") },
        Scene("another algorithm", .forged) { $0.key = SignedSample.key("associated", .sha512) },
        Scene("an answer to another request", .forged) { $0.requestCode[0] ^= 1 },
        Scene("another id", .malformed("it answers another request")) { $0.id += 1 },
        Scene("an answer to a query", .malformed("it answers another request")) { $0.flags = 0x8000 },
        Scene("a request", .malformed("it answers another request")) { $0.flags = 0x2800 },
    ]

    @Test(arguments: scenes) func `distinguishes the answers`(scene: Scene) {
        var answer = SignedSample.Answer()
        scene.change(&answer)
        #expect(check(answer.bytes) == scene.kind)
    }

    @Test func `notices every changed byte, and every missing one`() {
        let packet = SignedSample.Answer().bytes
        #expect(check(packet) == nil)
        // The class and the time to live of a signature have one value, which is signed instead of them.
        let start = packet.count - 71
        for index in packet.indices where !(start + 2..<start + 8).contains(index) {
            var changed = packet
            changed[index] ^= 1
            #expect(check(changed) != nil, "byte \(index)")
        }
        for count in packet.indices { #expect(check(Array(packet[..<count])) != nil, "\(count) bytes") }
    }
}
