// Names in, worker's numbers out, each name read once however many wait for it.

import Posix
import Synchronization
import Testing

@testable import TLS

struct LoadingQueueTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func isReady(_ store: CertificateStore, _ name: String) -> Bool {
        let bytes = Array(name.utf8)
        if case .found(_, due: nil) = store.recollect(bytes.span, isPatient: true) { return true }
        return false
    }

    /// Asks for a name as a handshake does, until it is in memory; how often it had to wait.
    private func ask(
        _ store: CertificateStore, _ queue: LoadingQueue, _ name: String, token: UInt64, _ ready: ReadyHandshakes
    ) -> Int {
        let bytes = Array(name.utf8)
        var pauses = 0
        while case .unread(let reading) = store.recollect(bytes.span, isPatient: pauses == 0) {
            pauses += 1
            queue.add(reading, (token, ready))
            queue.readAll()
            #expect(ready.take() == [token])
        }
        return pauses
    }

    @Test func `a name is in memory when each of its folders has been read`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let store = bench.store()
        let queue = try LoadingQueue(store)
        let ready = try ReadyHandshakes()
        #expect(ask(store, queue, "a.example.com", token: 1, ready) == 2)
        #expect(ask(store, queue, "a.example.com", token: 2, ready) == 0)
        #expect(ask(store, queue, "b.example.com", token: 3, ready) == 1, "the wildcard's folder is known")
        #expect(ask(store, queue, "", token: 4, ready) == 1)
        #expect(store.identityCount == 1)
    }

    @Test func `whoever waits for the same folder hears of it at the same time`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let queue = try LoadingQueue(bench.store())
        let (first, second) = (try ReadyHandshakes(), try ReadyHandshakes())
        let folder = CertificateReading.folder(.exact, Array("shop.example.com".utf8))
        queue.add(folder, (1, first))
        queue.add(folder)
        queue.add(folder, (2, second))
        queue.add(.folder(.exact, Array("none.example.com".utf8)), (3, first))
        queue.readAll()
        #expect(first.take() == [1, 3])
        #expect(second.take() == [2])
        #expect(first.take().isEmpty)
    }

    @Test func `what nobody has begun to read stays unread at the end`() throws {
        let store = bench.store()
        let queue = try LoadingQueue(store)
        queue.add(.folder(.exact, Array("shop.example.com".utf8)))
        queue.end(threads: 1)
        queue.run()
        #expect(!isReady(store, "shop.example.com"))
        #expect(store.absentNameCount == 0)
    }

    @Test func `a certificate in memory answers at once, and its files are looked at beside that`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "shop.example.com") == "shop.example.com")
        let shop = Array("shop.example.com".utf8)
        guard case .found(.identity, let due) = store.recollect(shop.span, isPatient: true) else {
            Issue.record("it was not in memory")
            return
        }
        #expect(due == .folder(.exact, shop))
    }

    @Test func `what was found broken is read again before it is refused again, and only once`() throws {
        try bench.hosts.write("shop.example.com/fullchain.pem", "no certificate")
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "shop.example.com") == "broken")
        let shop = Array("shop.example.com".utf8)
        guard case .unread = store.recollect(shop.span, isPatient: true),
            case .found(.broken, _) = store.recollect(shop.span, isPatient: false)
        else {
            Issue.record("a broken pair is waited for once")
            return
        }
    }

    @Test func `what is due for a look at the disk is not ready, and asking does not change that`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "shop.example.com") == "shop.example.com")
        #expect(!isReady(store, "shop.example.com"))
        #expect(!isReady(store, "shop.example.com"))
    }

    @Test func `with a development authority, what it made is ready`() throws {
        let folder = try TemporaryFolder()
        let store = CertificateStore(
            hostsPath: bench.hosts.path, development: try DevelopmentAuthority(directory: folder.path))
        #expect(!isReady(store, "shop.localhost"))
        #expect(bench.answer(store, "shop.localhost") == "shop.localhost")
        #expect(isReady(store, "shop.localhost"))
    }
}
