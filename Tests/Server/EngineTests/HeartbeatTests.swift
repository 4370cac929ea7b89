// A running worker answers a heartbeat, and a stuck one does not.

import Catalogue
import Certificates
import Glibc
import Posix
import Synchronization
import TLS
import Testing

@testable import Engine

struct HeartbeatTests {
    @Test func `a beat after the question counts as an answer`() {
        let heartbeat = Heartbeat()
        let asked = Atomic<Int>(0)
        func look(_ now: Int64) -> Int64 { heartbeat.silentMilliseconds(now: now) { asked.add(1, ordering: .relaxed) } }
        heartbeat.beat()
        #expect(look(1_000) == 0)
        #expect(look(1_500) == 500)
        #expect(look(61_000) == 60_000)
        #expect(asked.load(ordering: .relaxed) == 1)
        heartbeat.beat()
        #expect(look(62_000) == 0)
        #expect(asked.load(ordering: .relaxed) == 2)
        #expect(look(62_100) == 100)
    }

    @Test func `idle workers answer at once`() throws {
        let engine = try TestEngine(workers: 3)
        for _ in 0..<5 {
            #expect(engine.engine.silentMilliseconds().count == 3)
            // They have been asked now; the next check finds an answer or comes before it.
            while engine.engine.silentMilliseconds().contains(where: { $0 > 0 }) {
                #expect(engine.engine.silentMilliseconds().allSatisfy { $0 < 10_000 })
            }
        }
    }

    @Test func `no question is lost when many ask at once`() throws {
        let bench = try TestEngine(workers: 2)
        let engine = bench.engine
        let asking = try (0..<3).map { number in
            try Asker(name: "asking \(number)") { for _ in 0..<20_000 { _ = engine.silentMilliseconds() } }
        }
        for asker in asking { asker.join() }
        // A worker that has missed a question would not answer for up to a minute.
        let end = Clock.monotonicMilliseconds() + 20_000
        var silentMilliseconds = engine.silentMilliseconds()
        while silentMilliseconds.contains(where: { $0 > 0 }), Clock.monotonicMilliseconds() < end {
            silentMilliseconds = engine.silentMilliseconds()
        }
        #expect(silentMilliseconds == [0, 0])
    }

    private final class Asker: @unchecked Sendable {
        private var thread: Posix.Thread?

        init(name: String, _ body: @escaping @Sendable () -> Void) throws {
            thread = try Posix.Thread(name: name, body)
        }

        func join() { if let thread = thread.take() { thread.join() } }
    }

    /// Blocks a worker in a question to the store until the test releases it.
    private final class Trap: Sendable {
        let isClosed = Atomic<Bool>(true)
        let holds = Atomic<Int>(0)

        func enter() {
            holds.add(1, ordering: .relaxed)
            while isClosed.load(ordering: .relaxed) { sched_yield() }
        }
    }

    @Test func `only a worker that hangs does not answer`() throws {
        let trap = Trap()
        let authority = try DevelopmentAuthority(directory: try TemporaryFolder().path)
        // For a page over plain HTTP a worker checks whether the host has a certificate.
        let store = CertificateStore(
            hostsPath: "/nonexistent", development: authority,
            serves: { _ in
                trap.enter()
                return true
            })
        var settings = try EngineSettings(plainAddresses: [SocketAddress("127.0.0.1:0")!], workerCount: 2)
        settings.limits = TestEngine.limits
        try settings.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: true)
        settings.secure = SecureSettings(certificates: store, tickets: try TicketKeys())
        settings.redirectsPages = true
        let engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(TestEngine.sites)))
        defer {
            trap.isClosed.store(false, ordering: .relaxed)
            engine.stop()
        }
        let client = try TestClient(engine.addresses[0])
        try client.send(get("/a%20b"))
        try #require(eventually { trap.holds.load(ordering: .relaxed) > 0 })
        var silentMilliseconds: [Int64] = []
        let isNoticed = eventually {
            silentMilliseconds = engine.silentMilliseconds()
            return silentMilliseconds.max() ?? 0 >= 50 && silentMilliseconds.min() == 0
        }
        #expect(isNoticed)
        #expect(silentMilliseconds.filter { $0 >= 50 }.count == 1)
        trap.isClosed.store(false, ordering: .relaxed)
        #expect(eventually { engine.silentMilliseconds().allSatisfy { $0 < 50 } })
    }
}
