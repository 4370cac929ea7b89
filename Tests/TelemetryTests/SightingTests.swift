// Verifiers by their user agents, and their fetches on the way from a worker to the ledger.

import Posix
import Telemetry
import Testing

struct SightingTests {
    @Test(arguments: [
        ("AASA-Bot/1.0.0", VerifierKind.appleCDN),
        ("swcd (unknown version) CFNetwork/1410.0.3 Darwin/22.6.0", .appleDevice),
        ("Mozilla/5.0 CFNetwork/1.0", .appleDevice), ("App%20Store/1 CFNetwork/1 Darwin/1", .appleDevice),
        ("GoogleAssociationService", .googleAssociation),
        ("Mozilla/5.0 (compatible; GoogleAssociationService)", .googleAssociation),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", .googlebot),
        ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A)", .androidDevice),
        ("Mozilla/5.0 (X11; Linux x86_64) Dalvik/2", .none), ("curl/8.1", .none), ("", .none), ("Google", .none),
        ("G", .none), ("AASA-Bo", .none), ("AASA-Bot/1.0.0 associated-check/1.0", .none),
        ("Mozilla/5.0 swcd", .none), ("associated-check/1.0", .none),
        ("AASA-Bot/1.0.0 associated-check/1.0 x", .appleCDN),
    ])
    func `recognizes verifiers by their user agents`(agent: String, expected: VerifierKind) {
        #expect(Array(agent.utf8).withUnsafeBytes { VerifierKind(userAgent: $0) } == expected)
    }

    private func sighting(_ host: String, _ tag: String = "\"t\"", seconds: Int64 = 1) -> Sighting {
        Array(host.utf8).withUnsafeBytes { host in
            Array(tag.utf8).withUnsafeBytes { tag in
                Sighting(
                    .appleCDN, .appleAssociation, status: 200, host: host, entityTag: tag, seconds: seconds)
            }
        }
    }

    @Test func `a sighting keeps what was seen, and the host in lower case`() {
        let seen = sighting("Shop.Example", "\"abc\"", seconds: 1_700_000_000)
        #expect(seen.host == "shop.example")
        #expect(sighting("ABCDEFGHIJKLMNOPQRSTUVWXYZ@[").host == "abcdefghijklmnopqrstuvwxyz@[")
        #expect(seen.entityTag == "\"abc\"")
        #expect(seen.seconds == 1_700_000_000)
        #expect(seen.status == 200)
        #expect(seen.verifier == .appleCDN)
        #expect(seen.document == .appleAssociation)
        #expect(sighting("h", "").entityTag == nil)
        #expect(sighting(String(repeating: "h", count: 300)).host.count == 253)
        #expect(sighting("h", String(repeating: "t", count: 73)).entityTag == nil)
    }

    @Test func `sightings are taken once and in their order`() {
        let records = Records(workerCount: 2)
        for number in 0..<3 { records.recorder(0).note(sighting("a\(number)")) }
        records.recorder(1).note(sighting("b"))
        var hosts: [String] = []
        records.drainSightings { hosts.append($0.host) }
        #expect(hosts == ["a0", "a1", "a2", "b"])
        records.drainSightings { _ in Issue.record("taken twice") }
    }

    @Test func `what nobody takes is dropped and counted`() {
        let records = Records(workerCount: 1)
        for number in 0..<1_030 { records.recorder(0).note(sighting("h\(number)")) }
        #expect(records.total(.droppedSightings) == 6)
        var hosts: [String] = []
        records.drainSightings { hosts.append($0.host) }
        #expect(hosts == (0..<1_024).map { "h\($0)" })
        records.recorder(0).note(sighting("again"))
        records.drainSightings { #expect($0.host == "again") }
    }

    @Test func `none is lost or torn between two threads`() throws {
        let records = Records(workerCount: 1)
        let count = 100_000
        let thread = try Thread(name: "sees") {
            let recorder = records.recorder(0)
            for number in 0..<count {
                let host = Array("host\(number).example".utf8)
                recorder.note(
                    host.withUnsafeBytes {
                        Sighting(
                            .googlebot, .statementList, status: 304, host: $0,
                            entityTag: UnsafeRawBufferPointer(rebasing: $0[..<4]), seconds: Int64(number))
                    })
            }
        }
        var taken = 0
        var last: Int64 = -1
        while taken + Int(records.total(.droppedSightings)) < count {
            records.drainSightings { seen in
                taken += 1
                #expect(seen.seconds > last)
                #expect(seen.host == "host\(seen.seconds).example")
                last = seen.seconds
            }
        }
        thread.join()
        #expect(taken > 0)
    }
}
