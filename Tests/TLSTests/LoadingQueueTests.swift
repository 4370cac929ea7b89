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
        return store.isReady(for: bytes.span)
    }

    @Test func `everybody who waits for a name hears of it, and it is in memory then`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let store = bench.store()
        let queue = try LoadingQueue(store)
        let (first, second) = (try ReadyHandshakes(), try ReadyHandshakes())
        let shop = Array("shop.example.com".utf8)
        let (none, nobody) = (Array("none.example.com".utf8), [UInt8]())
        #expect(!isReady(store, "shop.example.com"))
        queue.add(shop.span, token: 1, ready: first)
        queue.add(shop.span, token: 2, ready: second)
        queue.add(none.span, token: 3, ready: first)
        queue.add(nobody.span, token: 4, ready: second)
        // All that was asked for before the end is still read.
        queue.end(threads: 1)
        queue.run()
        #expect(first.take() == [1, 3])
        #expect(second.take() == [2, 4])
        #expect(first.take().isEmpty)
        #expect(isReady(store, "shop.example.com"))
        #expect(isReady(store, "none.example.com"))
        #expect(isReady(store, ""))
        #expect(store.identityCount == 1)
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
