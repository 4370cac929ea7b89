// Signatures against bytes that were computed with another implementation of HMAC, from the layout of RFC 8945 §4.2 and §4.3.

import Testing

@testable import DNS
@testable import DNSSupport

struct TransactionSignatureTests {
    private static let signed =
        "123428000001000000010001076578616d706c6503636f6d00000600010f5f61636d652d6368616c6c656e67650473686f70076578616d70"
        + "6c6503636f6d00001000010000003c0004036162630a6173736f6369617465640000fa00ff00000000003d0b686d61632d73686132353600"
        + "00006b49d200012c0020cb377145a23692232246d2365508752af60685f1a8bbe26ccfce586935c8b2dd123400000000"

    private static let answer =
        "1234a8000001000000000001076578616d706c6503636f6d00000600010a6173736f6369617465640000fa00ff00000000003d0b686d6163"
        + "2d7368613235360000006b49d200012c0020b864b55cc2212b800c116364daaa3a2dee4c8d9a95bfc0e846b565afd9e85a80123400000000"

    @Test func `a signed request has these bytes`() {
        #expect(SignedSample.hex(SignedSample.request.bytes) == TransactionSignatureTests.signed)
    }

    @Test func `the signature of an answer covers that of the request`() {
        #expect(SignedSample.hex(SignedSample.Answer().bytes) == TransactionSignatureTests.answer)
    }

    @Test(arguments: [
        (TransactionKey.Algorithm.sha256, "cb377145a23692232246d2365508752af60685f1a8bbe26ccfce586935c8b2dd"),
        (
            .sha384, "17494f4a712d4ee617c1b64b4ed00b02dc61da9e3d8a3c7d4befb86e89dc36f00ff60e395d256f365c2876c539c0ff73"
        ),
        (
            .sha512,
            "7202c9a971db5429b2ec19ea96a9192aa317a335708d45dbd57070d3307b03dbce6cf72c47dc5610cf1c462fbea7c01aa5b2ffe7024c5a6a"
                + "98c33b47fc6596e6"
        ),
    ])
    func `computes the code with each algorithm`(algorithm: TransactionKey.Algorithm, code: String) throws {
        let message = try #require(SignedSample.update(.add).bytes(id: SignedSample.id))
        let request = SignedSample.key("associated", algorithm).sign(message, now: SignedSample.now)
        #expect(SignedSample.hex(request.code) == code)
    }

    @Test func `splits a packet into message and signature`() throws {
        let message = try #require(SignedSample.update(.add).bytes(id: SignedSample.id))
        let parts = try #require(try TransactionSignature.split(SignedSample.request.bytes))
        #expect(parts.message == message && parts.signature.code == SignedSample.request.code)
        #expect(parts.signature.signedAt == SignedSample.now && parts.signature.toleranceSeconds == 300)
        #expect(parts.signature.keyName == DomainName("associated"))
        #expect(try TransactionSignature.split(message) == nil)
    }

    @Test func `the signature follows other records, and its name may point to another one`() throws {
        var message = SignedSample.update(.add)
        message = UpdateMessage(change: .add, text: message.text, name: message.name, zone: DomainName("associated")!)
        let plain = try #require(message.bytes(id: SignedSample.id))
        let signed = SignedSample.key().sign(plain, now: SignedSample.now).bytes
        // An option record, before the signature.
        let option: [UInt8] = [0, 0, 41, 4, 0, 0, 0, 0, 0, 0, 0]
        var packet = Array(signed[..<plain.count]) + option + DNSPacket.pointerToQuestion
        packet += signed[(plain.count + DNSPacket.name("associated").count)...]
        packet[11] = 2
        let parts = try #require(try TransactionSignature.split(packet))
        var expected = plain + option
        expected[11] = 1
        #expect(parts.message == expected && parts.signature.keyName == DomainName("associated"))
    }

    @Test func `a secret is in Base64`() {
        let name = DomainName("associated")!
        for secret in ["", "a", "not Base64!", "\"AAEC\""] {
            #expect(TransactionKey(name: name, secret: secret) == nil)
        }
        #expect(TransactionKey(name: name, secret: "AAEC") != nil)
    }
}
