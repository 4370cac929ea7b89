// The limits of the store: identities, memory, and several threads at once.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateStoreLimitsTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `keeps no more identities than its limit`() throws {
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: StoreBench.limits(identitiesMax: 2))
        let pair = try bench.authority.issue(["*.example.com"])
        for index in 1...3 { try bench.install(pair, "h\(index).example.com") }
        for index in 1...2 { #expect(bench.answer(store, "h\(index).example.com") == "*.example.com") }
        #expect(store.identityCount == 2)
        #expect(bench.answer(store, "h3.example.com") == "*.example.com")
        #expect(store.identityCount == 2)
        #expect(bench.answer(store, "h1.example.com") == "*.example.com")
    }

    /// Mebibytes of the process and of its connections, then of certificates.
    @Test(arguments: [
        [256, 128, 64], [1_024, 512, 192], [16_384, 2_048, 192], [128, 64, 32],
        // Connections never leave less than a quarter for everything else.
        [256, 160, 32], [256, 192, 12], [256, 1_024, 12], [16, 8, 12],
    ])
    func `certificates have a quarter of the memory, and with connections three quarters`(row: [Int]) {
        let limits = CertificateLimits(memoryBytes: row[0] << 20, connectionBytes: row[1] << 20)
        #expect(limits.bytesMax >> 20 == row[2])
        #expect(limits.cachedBytesMax >> 20 == row[2] - 9, "readings in progress and others count")
    }

    @Test func `a tenant with many or large certificates takes no memory from one with few`() throws {
        try bench.install("1.b.test", names: ["1.b.test"])
        let large = try bench.authority.issue(["*.a.test"] + (0..<500).map { "\($0).test" })
        for index in 1...4 { try bench.install(large, "\(index).a.test") }
        // A large one takes several times as much as a usual one.
        let store = CertificateStore(
            hostsPath: bench.hosts.path, limits: StoreBench.limits(identitiesMax: 12), tenant: StoreBench.tenant)
        #expect(bench.answer(store, "1.b.test") == "1.b.test")
        for index in 1...4 { #expect(bench.answer(store, "\(index).a.test") == "*.a.test") }
        #expect((2...3).contains(store.identityCount))
        try bench.hosts.write("1.b.test/fullchain.pem", "half a certificate")
        #expect(bench.answer(store, "1.b.test") == "1.b.test", "it is still in memory")
    }

    @Test func `of a certificate for many hosts, a thousand names are kept`() throws {
        let names = ["*.a.test"] + (1..<1_002).map { "\($0).test" }
        let pair = try bench.authority.issue(names)
        for folder in ["_wildcard.a.test", "1001.test"] { try bench.install(pair, folder) }
        let store = bench.store()
        _ = store.survey(["*.a.test", "1001.test"])
        #expect(store.register.entry("_wildcard.a.test")?.names == Array(names.prefix(1_000)))
        #expect(bench.problems(store).isEmpty, "in its own folder, all names count")
    }

    @Test func `gives several threads the same answers while files change`() throws {
        let pair = try bench.authority.issue(["*.example.com"])
        for index in 0..<8 { try bench.install(pair, "h\(index).example.com") }
        let limits = StoreBench.limits(identitiesMax: 4, recheckMilliseconds: 0)
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: limits)
        let (wrong, finished) = (Shared(0), Shared(0))
        for worker in 0..<4 {
            Foundation.Thread.detachNewThread {
                for step in 0..<400 {
                    let known = bench.answer(store, "h\((step + worker) % 8).example.com")
                    let isRight = known == "*.example.com" && bench.answer(store, "h\(step).example.net") == "none"
                    if !isRight { wrong.change { $0 += 1 } }
                }
                finished.change { $0 += 1 }
            }
        }
        // Longer and shorter chains, so that one file alone is always good.
        let chains = [bench.authority.intermediate, bench.authority.intermediate + bench.authority.root]
        for step in 0..<50 {
            try bench.hosts.write("h\(step % 8).example.com/fullchain.pem", pair.certificate + chains[step % 2])
        }
        #expect(eventually { finished.value == 4 })
        #expect(wrong.value == 0)
        #expect(store.identityCount <= 4)
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil, "sanitizers keep what was freed"))
    func `memory does not grow over thousands of loads`() async {
        // In a separate process, because other tests use memory meanwhile.
        await #expect(processExitsWith: .success) {
            let bench = try StoreBench()
            try bench.install("a.example", names: ["a.example"])
            let files = CertificateFiles(
                CertificateFolder(name: "a.example"), in: CertificateTree(bench.hosts.path, links: .none))
            func load(_ times: Int) {
                for _ in 0..<times {
                    // A separate pool, so that chains come and go as well.
                    guard case .identity = files.load(pool: ChainPool()) else {
                        Issue.record("no identity")
                        return
                    }
                }
            }
            load(200)
            let before = residentKilobytes()
            load(800)
            // An identity is about 10 KB, so a leak of one each time would be 8 MB.
            #expect(residentKilobytes() - before < 2000)
        }
    }
}

/// The allocated memory of this process.
private func residentKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
}
