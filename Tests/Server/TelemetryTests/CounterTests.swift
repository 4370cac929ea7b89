// Counters: every one has its own place, and one thread reads what another adds.

import HTTP
import Posix
import Telemetry
import Testing

struct CounterTests {
    @Test func `every counter has its own place`() { #expect(Counter.all.map(\.index) == Array(0..<Counter.count)) }

    @Test func `adding to one counter changes no other`() {
        let metrics = WorkerMetrics(workerCount: 2)
        for (amount, counter) in Counter.all.enumerated() {
            metrics.recorder(amount % 2).counters.add(amount + 1, to: counter)
        }
        for (amount, counter) in Counter.all.enumerated() { #expect(metrics.total(counter) == UInt64(amount + 1)) }
        #expect(metrics.latency.count == 0)
        #expect(metrics.rounds(0).count == 0)
    }

    @Test(arguments: [
        (UInt16(200), StatusClass.success), (206, .success), (304, .redirection), (308, .redirection),
        (400, .clientError), (421, .clientError), (431, .clientError), (500, .serverError), (501, .notSupported),
        (503, .serverError), (505, .notSupported),
    ])
    func `classifies a status by its hundred, except those that clients cause at will`(
        status: UInt16, expected: StatusClass
    ) { #expect(StatusClass(status) == expected) }

    @Test(arguments: [
        ("/.well-known/apple-app-site-association", RequestedDocument.appleAssociation),
        ("/apple-app-site-association", .appleAssociation), ("/.well-known/assetlinks.json", .statementList),
        ("/assetlinks.json", .none), ("/.well-known/security.txt", .none), ("/", .none), ("", .none),
    ])
    func `recognizes an association file by its path`(path: String, expected: RequestedDocument) {
        #expect(RequestedDocument(naming: Array(path.utf8).span) == expected)
    }

    @Test func `counts accepted connections that are not closed as open`() {
        let metrics = WorkerMetrics(workerCount: 2)
        metrics.recorder(0).counters.add(5, to: .connectionsAccepted)
        metrics.recorder(1).counters.add(2, to: .connectionsAccepted)
        metrics.recorder(0).counters.add(to: .connectionsClosed(.idle))
        metrics.recorder(1).counters.add(to: .connectionsClosed(.client))
        #expect(metrics.openConnections == 5)
    }

    @Test func `a reader sees every number grow while a worker counts`() throws {
        let metrics = WorkerMetrics(workerCount: 1)
        let rounds = 1_000_000
        let thread = try Thread(name: "counts") {
            let counters = metrics.recorder(0).counters
            for _ in 0..<rounds { counters.add(3, to: .bytesReceived) }
        }
        var last: UInt64 = 0
        while last < UInt64(rounds * 3) {
            let next = metrics.total(.bytesReceived)
            #expect(next >= last && next % 3 == 0)
            last = next
        }
        thread.join()
        #expect(metrics.total(.bytesReceived) == UInt64(rounds * 3))
    }
}
