// The fetches of verifiers: what is recorded, what is removed, and that a file restores everything or nothing.

import Posix
import Telemetry
import Testing

@testable import Administration

struct VerifierLedgerTests {
    private static func fetch(
        _ verifier: VerifierKind, _ host: String, status: UInt16 = 200, tag: String = "\"t\"", at seconds: Int64,
        from remote: RemoteAddress = .unknown
    ) -> VerifierFetch {
        Array(host.utf8).withUnsafeBytes { host in
            Array(tag.utf8).withUnsafeBytes { tag in
                VerifierFetch(
                    verifier, .appleAssociation, status: status, host: host, entityTag: tag, seconds: seconds,
                    from: remote)
            }
        }
    }

    /// The client with an address.
    private static func client(_ address: String) throws -> RemoteAddress {
        RemoteAddress(try #require(SocketAddress(address.contains(":") ? "[\(address)]:1" : "\(address):1")))
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
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"1\"", at: 2_000))
        ledger.note(Self.fetch(.appleCDN, "A.Example", tag: "\"2\"", at: 3_000))
        ledger.note(Self.fetch(.appleCDN, "a.example", status: 404, tag: "", at: 2_500))
        ledger.note(Self.fetch(.googlebot, "a.example", at: 2_600))
        let records = ledger.records(of: "a.example")
        #expect(records.map(\.verifier) == [.appleCDN, .googlebot])
        let apple = try #require(records.first)
        #expect((apple.firstSeconds, apple.lastSeconds, apple.count) == (2_000, 3_000, 3))
        #expect((apple.status, apple.entityTag) == (200, "\"2\""))
        #expect(ledger.figures.fetches[.appleCDN] == [.success: 2, .clientError: 1])
        #expect(ledger.figures.lastSeconds == [.appleCDN: 3_000, .googlebot: 2_600])
    }

    @Test func `a clock that was set back by a year hides no fetch`() throws {
        let (ledger, year) = (ledger(), Int64(365 * 86_400))
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"1\"", at: 2 * year), nowSeconds: 2 * year)
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"2\"", at: year), nowSeconds: year)
        let record = try #require(ledger.records(of: "a.example").first)
        #expect((record.firstSeconds, record.lastSeconds, record.entityTag) == (year, year, "\"2\""))
        // What comes late is no reason to go back.
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"3\"", at: year - 1), nowSeconds: year)
        #expect(ledger.records(of: "a.example").first?.entityTag == "\"2\"")
    }

    /// Each row: the verifier, the client, whether the fetch is confirmed, and the network that is recorded.
    static let sources: [(VerifierKind, String, Bool, String)] = [
        (.appleCDN, "17.0.0.0", true, "17.0.0.0/24"), (.appleCDN, "17.255.255.255", true, "17.255.255.0/24"),
        (.appleCDN, "16.255.255.255", false, "16.255.255.0/24"), (.appleCDN, "18.0.0.0", false, "18.0.0.0/24"),
        (.appleCDN, "2620:149:af0::9", true, "2620:149:af0::/48"), (.appleCDN, "2620:14a::1", false, "2620:14a::/48"),
        (.appleCDN, "2403:300:a51:1::1", true, "2403:300:a51::/48"),
        (.appleCDN, "2a01:b740:a42::1", true, "2a01:b740:a42::/48"),
        (.appleCDN, "2001:db8:ffff:ff00:ffff::1", false, "2001:db8:ffff::/48"),
        (.appleCDN, "2001:db8:1:1:1::1", false, "2001:db8:1::/48"),
        (.appleCDN, "::ffff:17.1.2.3", true, "17.1.2.0/24"), (.appleCDN, "66.249.66.1", false, "66.249.66.0/24"),
        (.appleDevice, "17.58.96.7", true, "17.58.96.0/24"), (.appleDevice, "192.0.2.77", false, "192.0.2.0/24"),
        (.googlebot, "66.249.64.0", true, "66.249.64.0/24"), (.googlebot, "66.249.95.255", true, "66.249.95.0/24"),
        (.googlebot, "66.249.63.255", false, "66.249.63.0/24"), (.googlebot, "66.249.96.0", false, "66.249.96.0/24"),
        (.googleAssociation, "192.178.4.0", true, "192.178.4.0/24"),
        (.googleAssociation, "192.178.7.255", true, "192.178.7.0/24"),
        (.googleAssociation, "192.178.8.0", false, "192.178.8.0/24"),
        (.googleAssociation, "2001:4860:4801:10::5", true, "2001:4860:4801::/48"),
        (.googleAssociation, "2001:4860:4802::5", false, "2001:4860:4802::/48"),
        (.googleAssociation, "17.1.2.3", false, "17.1.2.0/24"),
        (.androidDevice, "66.249.66.1", false, "66.249.66.0/24"),
    ]

    @Test(arguments: sources)
    func `a fetch is confirmed by a published network of its verifier`(
        verifier: VerifierKind, address: String, isConfirmed: Bool, network: String
    ) throws {
        let ledger = ledger()
        let remote = try Self.client(address)
        ledger.note(Self.fetch(verifier, "a.example", at: 2_000, from: remote))
        let records = ledger.records(of: "a.example")
        #expect(records.map(\.isConfirmed) == [isConfirmed])
        #expect(records.map(\.network) == [network])
        #expect(ledger.figures.confirmed == (isConfirmed ? [verifier: 1] : [:]))
        #expect(ledger.figures.lastConfirmedSeconds == (isConfirmed ? [verifier: 2_000] : [:]))
    }

    @Test func `a client without an address confirms nothing`() {
        let ledger = ledger()
        ledger.note(Self.fetch(.appleCDN, "a.example", at: 2_000))
        let local = RemoteAddress(family: .local, high: 0, low: 0, port: 0)
        ledger.note(Self.fetch(.appleCDN, "a.example", at: 2_001, from: local))
        #expect(ledger.records(of: "a.example").map(\.network) == [nil])
        #expect(ledger.records(of: "a.example").map(\.isConfirmed) == [false])
    }

    @Test func `a claimed fetch does not replace a confirmed one`() throws {
        let ledger = ledger()
        let (apple, other) = (try Self.client("17.58.96.7"), try Self.client("192.0.2.7"))
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"old\"", at: 2_000, from: apple))
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"new\"", at: 3_000, from: other))
        ledger.note(Self.fetch(.appleCDN, "a.example", tag: "\"new\"", at: 3_001, from: other))
        let records = ledger.records(of: "a.example")
        #expect(records.map(\.isConfirmed) == [false, true])
        #expect(records.map(\.entityTag) == ["\"new\"", "\"old\""])
        #expect(records.map(\.count) == [2, 1])
        #expect(ledger.figures.fetches[.appleCDN] == [.success: 3])
        #expect(ledger.figures.confirmed == [.appleCDN: 1])
        #expect(ledger.figures.lastSeconds == [.appleCDN: 3_001])
        #expect(ledger.figures.lastConfirmedSeconds == [.appleCDN: 2_000])
        let fetches = HostList.Fetches(records, by: .appleCDN)
        #expect(fetches == HostList.Fetches(lastSeconds: 2_000, isConfirmed: true))
        ledger.noteSaved()
        #expect(LedgerFile(ledger.file.bytes)?.records["a.example"]?.map(\.isConfirmed) == [true, false])
        #expect(HostList.Fetches(records, by: .googlebot) == HostList.Fetches(lastSeconds: nil))
        let claimed = HostList.Fetches(records.filter { !$0.isConfirmed }, by: .appleCDN)
        #expect(claimed == HostList.Fetches(lastSeconds: 3_001))
    }

    @Test func `reads a file of an earlier version, whose fetches are all claimed`() throws {
        let line = "a.example\tapple\tapple_app_site_association\t1000\t2000\t200\t3\t\"t\"\n"
        let body = Array("associated verifiers 1 900\n\(line)".utf8)
        let file = try #require(LedgerFile(body + LedgerFile.end(of: body[...], lineCount: 1)))
        #expect(file.beganSeconds == 900)
        let record = try #require(file.records["a.example"]?.first)
        #expect((record.verifier, record.count, record.lastSeconds) == (.appleCDN, 3, 2_000))
        #expect(!record.isConfirmed && record.network == nil)
        // Each title has its own number of fields.
        let mixed = Array("associated verifiers 2 900\n\(line)".utf8)
        #expect(LedgerFile(mixed + LedgerFile.end(of: mixed[...], lineCount: 1)) == nil)
    }

    @Test func `records only served hosts, under their configured names`() {
        let ledger = ledger()
        for count in 0..<500 {
            ledger.note(Self.fetch(.appleCDN, "x\(count).wild.example", at: 2_000))
            ledger.note(Self.fetch(.appleCDN, "x\(count).gone.example", at: 2_000))
        }
        ledger.note(Self.fetch(.none, "a.example", at: 2_000))
        #expect(ledger.figures.hosts == 1)
        #expect(ledger.records(of: "*.wild.example").map(\.count) == [500])
    }

    @Test func `removes the hosts with the oldest fetches when it is full`() {
        let ledger = ledger(hostsMax: 32)
        for count in 0..<32 { ledger.note(Self.fetch(.appleCDN, "h\(count).example", at: 2_000 + Int64(count))) }
        #expect(ledger.figures.evicted == 0)
        ledger.note(Self.fetch(.googlebot, "h0.example", at: 9_000))
        ledger.note(Self.fetch(.appleCDN, "new.example", at: 9_001))
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
        ledger.note(Self.fetch(.appleCDN, "new.example", at: 9_001))
        #expect(ledger.records(of: "late.gone.example").isEmpty)
        #expect(ledger.figures.evicted == 1)
        #expect(ledger.beganSeconds == 1)
    }

    private static let file = LedgerFile(
        beganSeconds: 1_000,
        records: [
            "a.example": [
                Samples.record(
                    .appleCDN, .appleAssociation, 200, "\"b7e07d6d-gzip\"", ago: 10, confirmed: "17.1.2.0/24"),
                Samples.record(.appleCDN, .appleAssociation, 200, "\"b7e07d6d\"", ago: 9, from: "2001:db8::/48"),
                Samples.record(.androidDevice, .statementList, 404, nil, ago: 20),
            ],
            "*.wild.example": [Samples.record(.googleAssociation, .statementList, 304, "W/\"x\"", ago: 30)],
        ])

    @Test func `reads back a written file`() throws {
        let read = try #require(LedgerFile(Self.file.bytes))
        #expect(read == Self.file)
        #expect(
            LedgerFile(LedgerFile(beganSeconds: 5, records: [:]).bytes) == LedgerFile(beganSeconds: 5, records: [:]))
    }

    @Test func `refuses a file that was truncated or changed anywhere`() {
        let bytes = Self.file.bytes
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
        first.note(Self.fetch(.appleCDN, "a.example", at: 2_000))
        let written = first.file
        first.noteSaved()
        second.merge(written)
        first.note(Self.fetch(.appleCDN, "a.example", tag: "\"old\"", at: 2_100))
        second.note(Self.fetch(.appleCDN, "a.example", tag: "\"new\"", at: 2_200))
        second.note(Self.fetch(.googlebot, "a.example", at: 2_200))
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
