// Verifiers by their user agents, and their fetches on the way from a worker to the ledger.

import Posix
import Telemetry
import Testing

struct VerifierFetchTests {
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
        ("AASA-Bot/1.0.0 associated-check/1.0 x", .appleCDN), ("associated/0.1.0", .none),
        ("associated/0.1.0 (like AASA-Bot/1.0.0)", .none), ("associated/0.1.0 GoogleAssociationService", .none),
        ("AASA-Bot/1.0.0 associated/0.1.0", .appleCDN), ("associated", .none),
    ])
    func `recognizes verifiers by their user agents`(agent: String, expected: VerifierKind) {
        #expect(Array(agent.utf8).withUnsafeBytes { VerifierKind(userAgent: $0) } == expected)
    }

    private func fetch(_ host: String, _ tag: String = "\"t\"", seconds: Int64 = 1) -> VerifierFetch {
        Array(host.utf8).withUnsafeBytes { host in
            Array(tag.utf8).withUnsafeBytes { tag in
                VerifierFetch(.appleCDN, .appleAssociation, status: 200, host: host, entityTag: tag, seconds: seconds)
            }
        }
    }

    @Test func `a fetch keeps its result, and the host in lower case`() {
        let seen = fetch("Shop.Example", "\"abc\"", seconds: 1_700_000_000)
        #expect(seen.host == "shop.example")
        #expect(fetch("ABCDEFGHIJKLMNOPQRSTUVWXYZ@[").host == "abcdefghijklmnopqrstuvwxyz@[")
        #expect(seen.entityTag == "\"abc\"")
        #expect(seen.seconds == 1_700_000_000)
        #expect(seen.status == 200)
        #expect(seen.verifier == .appleCDN)
        #expect(seen.document == .appleAssociation)
        #expect(fetch("h", "").entityTag == nil)
        #expect(fetch(String(repeating: "h", count: 300)).host.count == 253)
        #expect(fetch("h", String(repeating: "t", count: 73)).entityTag == nil)
    }

    @Test func `fetches are read once and in order`() {
        let metrics = WorkerMetrics(workerCount: 2)
        for number in 0..<3 { metrics.recorder(0).note(fetch("a\(number)")) }
        metrics.recorder(1).note(fetch("b"))
        var hosts: [String] = []
        metrics.drainVerifierFetches { hosts.append($0.host) }
        #expect(hosts == ["a0", "a1", "a2", "b"])
        metrics.drainVerifierFetches { _ in Issue.record("taken twice") }
    }

    @Test func `drops and counts fetches that are not read`() {
        let metrics = WorkerMetrics(workerCount: 1)
        for number in 0..<1_030 { metrics.recorder(0).note(fetch("h\(number)")) }
        #expect(metrics.total(.droppedVerifierFetches) == 6)
        var hosts: [String] = []
        metrics.drainVerifierFetches { hosts.append($0.host) }
        #expect(hosts == (0..<1_024).map { "h\($0)" })
        metrics.recorder(0).note(fetch("again"))
        metrics.drainVerifierFetches { #expect($0.host == "again") }
    }

    @Test func `loses and splits no fetch between two threads`() throws {
        let metrics = WorkerMetrics(workerCount: 1)
        let count = 100_000
        let thread = try Thread(name: "sees") {
            let recorder = metrics.recorder(0)
            for number in 0..<count {
                let host = Array("host\(number).example".utf8)
                recorder.note(
                    host.withUnsafeBytes {
                        VerifierFetch(
                            .googlebot, .statementList, status: 304, host: $0,
                            entityTag: UnsafeRawBufferPointer(rebasing: $0[..<4]), seconds: Int64(number))
                    })
            }
        }
        var taken = 0
        var last: Int64 = -1
        while taken + Int(metrics.total(.droppedVerifierFetches)) < count {
            metrics.drainVerifierFetches { seen in
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
