// Each name is read once, however many handshakes wait for it.

import Posix
import TestSupport
import Testing

@testable import TLS

struct LoadingQueueTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func name(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The answer from memory: the first name of the certificate, `none`, `broken` or `pending`, and whether a check is due.
    private func state(_ store: CertificateStore, _ host: String) -> String {
        let bytes = name(host)
        guard let (lookup, isDue) = store.resolve(bytes.span) else { return "pending" }
        return (isDue ? "due " : "") + bench.answer(lookup)
    }

    @Test func `answers all handshakes that wait for a name together`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let queue = try LoadingQueue(bench.store())
        let (first, second) = (try ReadyHandshakes([]), try ReadyHandshakes([]))
        queue.add(name("shop.example.com"), (1, first))
        queue.add(name("shop.example.com"))
        queue.add(name("shop.example.com"), (2, second))
        queue.add(name("none.example.com"), (3, first))
        queue.readAll()
        let answers = first.take()
        #expect(answers.map(\.token) == [1, 3])
        #expect(answers.map { bench.answer($0.certificate) } == ["shop.example.com", "none"])
        #expect(second.take().map(\.token) == [2])
        #expect(first.take().isEmpty)
    }

    @Test func `reads names in the order of arrival`() throws {
        let queue = try LoadingQueue(bench.store())
        let ready = try ReadyHandshakes([])
        for round in 0..<3 {
            for index in 0..<50 { queue.add(name("h\(round)-\(index).test"), (UInt64(index), ready)) }
            queue.readAll()
            #expect(ready.take().map(\.token) == Array(0..<50))
        }
    }

    @Test func `limits waiting refreshes, but always accepts a handshake`() throws {
        let store = bench.store()
        let queue = try LoadingQueue(store)
        let ready = try ReadyHandshakes([])
        for index in 0..<2_000 { queue.add(name("h\(index).test")) }
        queue.add(name("waiting.test"), (1, ready))
        queue.readAll()
        #expect(ready.take().map(\.token) == [1])
        #expect(store.nameCount == 1_024 + 1)
    }

    @Test func `does not start reading after the end`() throws {
        let store = bench.store()
        let queue = try LoadingQueue(store)
        queue.add(name("shop.example.com"))
        queue.end()
        queue.run()
        #expect(state(store, "shop.example.com") == "pending")
        #expect(store.nameCount == 0)
    }

    @Test func `answers from memory at once, and checks refused names first`() throws {
        try bench.install("shop.test", names: ["shop.test"])
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.hosts.write("broken.test/fullchain.pem", "no certificate")
        let fresh = [
            "shop.test": "shop.test", "a.example.com": "*.example.com", "broken.test": "broken", "none.test": "none",
        ]
        let due = [
            "shop.test": "due shop.test", "a.example.com": "due *.example.com", "broken.test": "pending",
            "none.test": "pending",
        ]
        let store = bench.store()
        for name in fresh.keys {
            #expect(state(store, name) == "pending")
            _ = store.identity(for: name)
        }
        for (name, answer) in fresh { #expect(state(store, name) == answer) }
        store.invalidateAll()
        for _ in 0..<2 {
            for (name, answer) in due { #expect(state(store, name) == answer, "asking does not change it") }
        }
    }

    @Test func `remembers what the development authority has issued`() throws {
        let directory = "\(bench.hosts.path)/state"
        let store = CertificateStore(
            hostsPath: bench.hosts.path, development: try DevelopmentAuthority(directory: directory),
            serves: { $0 != "other.test" })
        #expect(state(store, "shop.localhost") == "pending")
        #expect(bench.answer(store, "shop.localhost") == "shop.localhost")
        #expect(state(store, "shop.localhost") == "shop.localhost")
        #expect(bench.answer(store, "") == "localhost")
        #expect(bench.answer(store, "other.test") == "none")
        #expect(state(store, "other.test") == "none")
    }
}
