// The fetches of verifiers: what is recorded, what is removed, and that a file restores everything or nothing.

import Foundation
import Posix
import Telemetry
import Testing

@testable import Administration

struct VerifierLedgerTests {
    private static func fetch(
        _ verifier: VerifierKind, _ host: String, status: UInt16 = 200, tag: String = "\"t\"", at seconds: Int64
    ) -> VerifierFetch {
        Array(host.utf8).withUnsafeBytes { host in
            Array(tag.utf8).withUnsafeBytes { tag in
                VerifierFetch(
                    verifier, .appleAssociation, status: status, host: host, entityTag: tag, seconds: seconds)
            }
        }
    }

    /// A ledger of a server with some hosts and a wildcard.
    private func ledger(hostsMax: Int = 100) -> VerifierLedger {
        VerifierLedger(nowSeconds: 1_000, hostsMax: hostsMax) { host in
            if host.hasSuffix(".wild.example") { return "*.wild.example" }
            return host.hasSuffix(".gone.example") || host == "unknown.example" ? nil : host
        }
    }

    @Test func `keeps the last fetch and the time of the first`() throws {
        let ledger = ledger()
        ledger.note(VerifierLedgerTests.fetch(.appleCDN, "a.example", tag: "\"1\"", at: 2_000))
        ledger.note(VerifierLedgerTests.fetch(.appleCDN, "A.Example", tag: "\"2\"", at: 3_000))
        ledger.note(VerifierLedgerTests.fetch(.appleCDN, "a.example", status: 404, tag: "", at: 2_500))
        ledger.note(VerifierLedgerTests.fetch(.googlebot, "a.example", at: 2_600))
        let records = ledger.records(of: "a.example")
        #expect(records.map(\.verifier) == [.appleCDN, .googlebot])
        let apple = try #require(records.first)
        #expect((apple.firstSeconds, apple.lastSeconds, apple.count) == (2_000, 3_000, 3))
        #expect((apple.status, apple.entityTag) == (200, "\"2\""))
        #expect(ledger.figures.fetches[.appleCDN] == [.success: 2, .clientError: 1])
        #expect(ledger.figures.lastSeconds == [.appleCDN: 3_000, .googlebot: 2_600])
    }

    @Test func `records only served hosts, under their configured names`() {
        let ledger = ledger()
        for count in 0..<500 {
            ledger.note(VerifierLedgerTests.fetch(.appleCDN, "x\(count).wild.example", at: 2_000))
            ledger.note(VerifierLedgerTests.fetch(.appleCDN, "x\(count).gone.example", at: 2_000))
        }
        ledger.note(VerifierLedgerTests.fetch(.none, "a.example", at: 2_000))
        #expect(ledger.figures.hosts == 1)
        #expect(ledger.records(of: "*.wild.example").map(\.count) == [500])
    }

    @Test func `removes the hosts with the oldest fetches when it is full`() {
        let ledger = ledger(hostsMax: 32)
        for count in 0..<32 {
            ledger.note(VerifierLedgerTests.fetch(.appleCDN, "h\(count).example", at: 2_000 + Int64(count)))
        }
        #expect(ledger.figures.evicted == 0)
        ledger.note(VerifierLedgerTests.fetch(.googlebot, "h0.example", at: 9_000))
        ledger.note(VerifierLedgerTests.fetch(.appleCDN, "new.example", at: 9_001))
        #expect(ledger.figures.evicted == 2)
        #expect(ledger.figures.hosts == 31)
        #expect(ledger.records(of: "h1.example").isEmpty)
        #expect(ledger.records(of: "h2.example").isEmpty)
        #expect(!ledger.records(of: "h0.example").isEmpty)
        #expect(!ledger.records(of: "h3.example").isEmpty)
    }

    @Test func `removes hosts first that are no longer served`() {
        let ledger = ledger(hostsMax: 16)
        var records: [String: [VerifierRecord]] = [:]
        for count in 0..<15 {
            records["h\(count).example"] = [Samples.record(.appleCDN, .appleAssociation, 200, nil, ago: 9_999)]
        }
        records["late.gone.example"] = [Samples.record(.appleCDN, .appleAssociation, 200, nil, ago: 0)]
        ledger.merge(LedgerFile(beganSeconds: 1, records: records))
        ledger.note(VerifierLedgerTests.fetch(.appleCDN, "new.example", at: 9_001))
        #expect(ledger.records(of: "late.gone.example").isEmpty)
        #expect(ledger.figures.evicted == 1)
        #expect(ledger.beganSeconds == 1)
    }

    private static let file = LedgerFile(
        beganSeconds: 1_000,
        records: [
            "a.example": [
                Samples.record(.appleCDN, .appleAssociation, 200, "\"b7e07d6d-gzip\"", ago: 10),
                Samples.record(.androidDevice, .statementList, 404, nil, ago: 20),
            ],
            "*.wild.example": [Samples.record(.googleAssociation, .statementList, 304, "W/\"x\"", ago: 30)],
        ])

    @Test func `reads back a written file`() throws {
        let read = try #require(LedgerFile(VerifierLedgerTests.file.bytes))
        #expect(read == VerifierLedgerTests.file)
        #expect(
            LedgerFile(LedgerFile(beganSeconds: 5, records: [:]).bytes) == LedgerFile(beganSeconds: 5, records: [:]))
    }

    @Test func `refuses a file that was truncated or changed anywhere`() {
        let bytes = VerifierLedgerTests.file.bytes
        for count in 0..<bytes.count { #expect(LedgerFile(Array(bytes[..<count])) == nil) }
        for index in bytes.indices {
            for change in [bytes[index] ^ 1, bytes[index] ^ 0x80, 0x0A, 0x00] where change != bytes[index] {
                var changed = bytes
                changed[index] = change
                // White space and the case of the checksum could be read in two ways, but are not.
                #expect(LedgerFile(changed) == nil)
            }
        }
        #expect(LedgerFile(bytes + bytes) == nil)
        #expect(LedgerFile(bytes + [0x0A]) == nil)
    }

    @Test func `two processes with one file keep each other's fetches`() throws {
        let (first, second) = (ledger(), ledger())
        first.note(VerifierLedgerTests.fetch(.appleCDN, "a.example", at: 2_000))
        let written = first.file
        first.noteSaved()
        second.merge(written)
        first.note(VerifierLedgerTests.fetch(.appleCDN, "a.example", tag: "\"old\"", at: 2_100))
        second.note(VerifierLedgerTests.fetch(.appleCDN, "a.example", tag: "\"new\"", at: 2_200))
        second.note(VerifierLedgerTests.fetch(.googlebot, "a.example", at: 2_200))
        // The second writes first; the first reads that before it writes.
        let later = second.file
        second.noteSaved()
        first.merge(later)
        let final = first.file
        first.noteSaved()
        second.merge(final)
        for ledger in [first, second] {
            let apple = try #require(ledger.records(of: "a.example").first { $0.verifier == .appleCDN })
            #expect(apple.count == 3)
            #expect(apple.entityTag == "\"new\"")
            #expect(apple.firstSeconds == 2_000)
            #expect(ledger.records(of: "a.example").count == 2)
        }
    }
}
