// Journals to text, and back.

import TLS
import Testing

@testable import ACME
@testable import ACMESupport

struct OrderJournalTests {
    private func journal() throws -> OrderJournal {
        try OrderJournal(
            for: ["www.shop.example", "shop.example", "shop.example"], at: address("https://ca.example/dir"),
            key: SigningKey(.p256), by: .dns, profile: "tlsserver", replaces: "aYhba4.AIdl",
            preferredIssuer: "A \"Root\" X1")
    }

    @Test func `reads what it writes`() throws {
        var journal = try journal()
        #expect(journal.hosts == ["shop.example", "www.shop.example"])
        #expect(OrderJournal(text: journal.text) == journal)
        journal.order = try address("https://ca.example/order/1")
        (journal.requestedAt, journal.waitingSince) = (1_800_000_000, 1_800_000_007)
        journal.replaces = nil
        journal.published = [
            OrderAnswer(kind: .dns, host: "*.shop.example", token: "a-token", keyAuthorization: "a-token.b")
        ]
        #expect(OrderJournal(text: journal.text) == journal)
        #expect(!journal.text.contains("\n"))
        let plain = try OrderJournal(for: ["a.example"], at: journal.directory, key: SigningKey(.p256))
        #expect(OrderJournal(text: plain.text) == plain)
    }

    @Test func `has the key and the signing request from the start`() throws {
        let key = try SigningKey(.p256)
        let journal = try OrderJournal(for: ["a.example"], at: address("https://ca.example/dir"), key: key)
        let read = try #require(OrderJournal(text: journal.text))
        #expect(try SigningKey(reading: read.key).publicNumbers == key.publicNumbers)
        #expect(try OrderRunner.issuer.get().issue(read.request) != nil)
    }

    @Test func `ignores unknown members`() throws {
        let journal = try journal()
        #expect(OrderJournal(text: journal.text.dropLast() + #", "later": [1]}"#) == journal)
    }

    @Test(arguments: ["version", "directory", "challenge", "key", "request", "waitingSince"])
    func `refuses a text without`(member: String) throws {
        let text = try journal().text
        #expect(OrderJournal(text: text.replacing("\"\(member)\":", with: "\"other\":")) == nil)
    }

    @Test func `refuses an order without the time of its request`() throws {
        var journal = try journal()
        journal.requestedAt = 1_800_000_000
        #expect(OrderJournal(text: journal.text) == journal)
        (journal.order, journal.requestedAt) = (try address("https://ca.example/order/1"), nil)
        #expect(OrderJournal(text: journal.text) == nil)
    }

    @Test(arguments: ["", "{}", "[]", "{\"version\":1"]) func `refuses other texts`(text: String) {
        #expect(OrderJournal(text: text) == nil)
    }

    @Test func `refuses another version, and members with invalid values`() throws {
        let text = try journal().text
        for (old, new) in [
            ("\"version\":1", "\"version\":2"), ("https://ca.example/dir", "http://ca.example/dir"),
            ("dns-01", "tls-alpn-01"), ("\"request\":\"M", "\"request\":\"!"),
        ] {
            let changed = text.replacing(old, with: new)
            #expect(changed != text && OrderJournal(text: changed) == nil)
        }
    }

    @Test(arguments: [[], ["Shop.example"], ["a.example,DNS:b.example"]])
    func `refuses invalid host lists`(hosts: [String]) throws {
        let (directory, key) = (try address("https://ca.example/dir"), try SigningKey(.p256))
        #expect(throws: TLSError.self) { try OrderJournal(for: hosts, at: directory, key: key) }
    }
}
