// What a host's addresses answer, in words for the operator.

import Posix
import Testing
import Verifier

@testable import Delivery

struct OutsideCheckTests {
    private static func digest(_ text: String) -> [UInt8] { DocumentDigest.ofDocument(Array(text.utf8)) }

    private static let record = DeliveryRecord(
        name: "shop.example.com", verifier: .apple, tag: "", digest: digest("{\"v\":2}"), registered: 0, published: 0,
        fetched: nil, equalAt: nil, wasEqual: true,
        versions: [
            DeliveryVersion(digest: digest("{\"v\":2}"), at: 86_400_000),
            DeliveryVersion(digest: digest("{\"v\":1}"), at: 0),
        ])

    private static func address(_ number: UInt64) -> RemoteAddress {
        RemoteAddress(family: .ipv4, high: 0, low: number, port: 0)
    }

    private static func file(_ text: String) -> OutsideCheck.Answer { .file(Array(text.utf8)) }

    /// Each row: the answers of 9.9.9.1, 9.9.9.2 and so on, and the finding.
    @Test(
        arguments: [
            ([], nil), ([file("{ \"v\": 2 }")], "the host answers with the current file now"),
            ([file("{\"v\":1}")], "9.9.9.1 answers with your version of 1970-01-01"),
            (
                [file("{\"v\":2}"), file("{}")],
                "9.9.9.2 answers with another file; something in front of the server answers instead: a proxy, a CDN or another server"
            ), ([.other("answers 403"), file("{\"v\":2}")], "9.9.9.1 answers 403"),
        ] as [([OutsideCheck.Answer], String?)])
    func `says what each address answers`(answers: [OutsideCheck.Answer], finding: String?) {
        let pairs = answers.enumerated().map { (Self.address(0x0909_0901 + UInt64($0.offset)), $0.element) }
        #expect(OutsideCheck.finding(pairs, Self.record) == finding)
    }

    /// Each row: an address, and whether the host may lead a request there.
    @Test(
        arguments: [
            (0x0808_0808, true), (0x7F00_0001, false), (0x0A00_0001, false), (0xC0A8_0001, false), (0xA9FE_A9FE, false),
            (0x6440_0001, false), (0xE000_0001, false),
        ] as [(UInt64, Bool)])
    func `connects to public addresses only`(number: UInt64, isAsked: Bool) throws {
        let check = OutsideCheck(
            lookUp: { _ in .found([Self.address(number)]) }, fetch: { _, _, _, _ in .other("was asked") })
        let finding = try #require(check.finding(Self.record))
        #expect(finding.hasSuffix("was asked") == isAsked)
    }

    @Test func `asks a few addresses, and tells no lookup from no address`() {
        let many = (0..<40).map { Self.address(0x0909_0900 + $0) }
        let check = OutsideCheck(lookUp: { _ in .found(many) }, fetch: { _, _, _, _ in .other("answers 403") })
        #expect(check.finding(Self.record)?.split(separator: ";").count == OutsideCheck.addressesMax)
        let none = OutsideCheck(lookUp: { _ in .none }, fetch: { _, _, _, _ in .other("") })
        #expect(none.finding(Self.record) == "its name has no address in the public DNS")
        let failed = OutsideCheck(lookUp: { _ in .failed }, fetch: { _, _, _, _ in .other("") })
        #expect(failed.finding(Self.record) == nil)
    }
}
