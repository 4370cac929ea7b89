// Last good certificates across a restart: a second store that has only the files sees what the first one has kept.

import Glibc
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct KeptCertificatesTests {
    private let bench: StoreBench
    private let state: TemporaryFolder

    init() throws {
        bench = try StoreBench()
        state = try TemporaryFolder()
    }

    private var path: String { "\(state.path)/kept" }

    private func store(serves: @escaping @Sendable (String) -> Bool = { _ in true }) -> CertificateStore {
        bench.store(recheckMilliseconds: 0, keptPath: path, serves: serves)
    }

    private func copies() throws -> [String] {
        try Directory.isThere(path) ? Directory.entries(path).map(\.name).sorted() : []
    }

    private func survey(_ store: CertificateStore, _ hosts: [String] = ["a.test"]) {
        // Broken files count at the second check.
        for _ in 0..<2 { _ = store.survey(hosts) }
    }

    /// Serves a certificate, and then breaks its files.
    private func breakFiles(_ store: CertificateStore) throws {
        try bench.install("a.test", names: ["a.test"])
        #expect(bench.answer(store, "a.test") == "a.test")
        survey(store)
        #expect(try copies().isEmpty, "good files need no copy")
        try bench.hosts.write("a.test/fullchain.pem", "half a certificate")
        survey(store)
    }

    @Test func `a restart keeps a certificate whose files have become unusable`() throws {
        let first = store()
        try breakFiles(first)
        let before = try bench.identity("a.test", in: first)
        for file in try Directory.entries("\(path)/a.test") {
            #expect(try File.access("\(path)/a.test/\(file.name)").permissions & 0o077 == 0, "\(file.name)")
        }
        for _ in 0..<2 {
            let next = store()
            let identity = try bench.identity("a.test", in: next)
            #expect(identity.facts == before.facts)
            #expect(identity.chain?.count == before.chain?.count)
            // It is a problem at once, as it was before.
            _ = next.survey(["a.test"])
            #expect(next.register.survey(now: 0).counts == [.lastGood: 1])
            #expect(next.register.drain().found.map(\.id) == ["CERT-003"])
        }
        // Even if the survey comes first.
        let last = store()
        _ = last.survey(["a.test"])
        #expect(last.register.survey(now: 0).counts == [.lastGood: 1])
    }

    @Test(arguments: ["a.test/fullchain.pem", "a.test"])
    func `a restart keeps a certificate whose files are gone`(removed: String) throws {
        let first = store()
        try breakFiles(first)
        try bench.hosts.remove(removed)
        survey(first)
        let next = store()
        #expect(bench.answer(next, "a.test") == "a.test")
        survey(next)
        #expect(next.register.survey(now: 0).counts == [.lastGood: 1])
        #expect(next.register.drain().found.map(\.id) == ["CERT-024"])
        #expect(try copies() == ["a.test"])
    }

    @Test func `a copy is replaced with the certificate`() throws {
        let first = store()
        try breakFiles(first)
        // Between two surveys, handshakes meet a newer certificate, whose files are then broken too.
        try bench.install("a.test", names: ["new.test", "a.test"])
        #expect(bench.answer(first, "a.test") == "new.test")
        try bench.hosts.write("a.test/fullchain.pem", "half a certificate")
        for _ in 0..<2 { _ = bench.answer(first, "a.test") }
        survey(first)
        #expect(bench.answer(store(), "a.test") == "new.test")
    }

    enum Event: CaseIterable { case repaired, moved, unserved, unservedAtStart }

    @Test(arguments: Event.allCases) func `a copy is removed`(after event: Event) throws {
        let first = store()
        try breakFiles(first)
        #expect(try copies() == ["a.test"])
        switch event {
        case .repaired:
            try bench.install("a.test", names: ["new.test", "a.test"])
            survey(store())
        case .moved:
            try bench.hosts.remove("a.test")
            try bench.install("_wildcard.test", names: ["*.test"])
            survey(store())
        case .unserved: _ = store { _ in false }.survey(only: ["a.test"]) { _ in false }
        case .unservedAtStart: survey(store { _ in false }, [])
        }
        #expect(try copies().isEmpty)
        // What is broken later does not bring the old certificate back.
        try bench.hosts.write("a.test/fullchain.pem", "half a certificate")
        #expect(bench.answer(store(), "a.test") == "broken")
    }

    @Test func `a tenant who loses all certificates leaves the copies of others their place`() throws {
        let hosts = (1...4).map { "\($0).a.test" } + ["1.b.test", "2.b.test"]
        for host in hosts { try bench.install(host, names: [host]) }
        var limits = StoreBench.limits(recheckMilliseconds: 0)
        limits.keptMax = 3
        func store() -> CertificateStore {
            CertificateStore(hostsPath: bench.hosts.path, keptPath: path, limits: limits, tenant: StoreBench.tenant)
        }
        let first = store()
        for host in hosts { #expect(bench.answer(first, host) == host) }
        for host in hosts.prefix(4) { try bench.hosts.write("\(host)/fullchain.pem", "half a certificate") }
        survey(first, hosts)
        #expect(try copies() == ["1.a.test", "2.a.test", "3.a.test"])
        for host in hosts { try bench.hosts.write("\(host)/fullchain.pem", "half a certificate") }
        survey(first, hosts)
        #expect(try copies() == ["1.a.test", "1.b.test", "2.a.test"])
        // A restart keeps what fits, even if there is room for less.
        let next = store()
        #expect(hosts.map { bench.answer(next, $0) } == [hosts[0], hosts[1], "broken", "broken", hosts[4], "broken"])
        limits.keptMax = 2
        _ = store()
        #expect(try copies() == ["1.a.test", "1.b.test"])
    }

    @Test func `a large certificate takes the place of several`() throws {
        let large = try bench.authority.issue(["a.test"] + (0..<1_000).map { "\($0).example" })
        var limits = StoreBench.limits(recheckMilliseconds: 0)
        for (keptMax, kept) in [(2, ["b.test"]), (4, ["a.test", "b.test"])] {
            limits.keptMax = keptMax
            try bench.install(large, "a.test")
            try bench.install("b.test", names: ["b.test"])
            let store = CertificateStore(hostsPath: bench.hosts.path, keptPath: path, limits: limits)
            for host in ["a.test", "b.test"] { #expect(bench.answer(store, host) == host) }
            for host in ["a.test", "b.test"] { try bench.hosts.write("\(host)/fullchain.pem", "half a certificate") }
            survey(store, ["a.test", "b.test"])
            #expect(try copies() == kept, "\(keptMax)")
        }
    }

    @Test func `an expired copy gives way to usable files, and is said to have expired while there are none`() throws {
        for isUsable in [false, true] {
            try bench.authority.install(bench.authority.issue(["a.test"], days: -1), "kept/a.test", in: state)
            try bench.install("a.test", names: ["a.test"])
            if !isUsable { try bench.hosts.write("a.test/fullchain.pem", "half a certificate") }
            let store = store()
            #expect(try (bench.identity("a.test", in: store).facts.notAfter > Clock.wallSeconds()) == isUsable)
            survey(store)
            store.register.updateExpiries(Clock.wallSeconds())
            #expect(store.register.drain().found.contains { $0.kind == .expired } != isUsable)
        }
    }

    @Test func `no copy is made without the lock of the state directory`() throws {
        let other = try FileLock.take("\(state.path)/lock")
        let first = bench.store(recheckMilliseconds: 0, keptPath: path, lock: LateLock("\(state.path)/lock"))
        try breakFiles(first)
        #expect(try first.keptProblem?.number == EWOULDBLOCK && copies().isEmpty)
        _ = consume other
        survey(first)
        #expect(try first.keptProblem == nil && copies() == ["a.test"])
    }

    @Test func `a damaged copy, or none for lack of a folder, leaves the files as they are`() throws {
        let other = bench.store(recheckMilliseconds: 0, keptPath: "/proc/nowhere")
        try breakFiles(other)
        #expect(bench.answer(other, "a.test") == "a.test")
        #expect(other.register.survey(now: 0).counts == [.lastGood: 1])
        #expect(other.keptProblem != nil)
        try bench.install("a.test", names: ["a.test"])
        survey(other)
        #expect(other.keptProblem == nil)

        let first = store()
        try breakFiles(first)
        try state.write("kept/a.test/privkey.pem", "")
        #expect(bench.answer(store(), "a.test") == "broken")
        #expect(bench.answer(first, "a.test") == "a.test")
    }
}
