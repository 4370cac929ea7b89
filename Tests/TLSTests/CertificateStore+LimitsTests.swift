// The limits of the store: identities, unknown names, memory, and several threads at once.

import Foundation
import Posix
import TestSupport
import Testing

@testable import TLS

struct CertificateStoreLimitsTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `keeps no more identities than its limit`() throws {
        var limits = CertificateLimits()
        limits.identitiesMax = 2
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: limits)
        let pair = try bench.authority.issue(["*.example.com"])
        for index in 1...3 { try bench.install(pair, "h\(index).example.com") }
        for index in 1...2 { #expect(bench.answer(store, "h\(index).example.com") == "*.example.com") }
        #expect(store.identityCount == 2)
        #expect(bench.answer(store, "h3.example.com") == "*.example.com")
        #expect(store.identityCount == 2)
        #expect(bench.answer(store, "h1.example.com") == "*.example.com")
    }

    @Test func `a flood of unknown names stays within its memory and evicts no host`() throws {
        var limits = CertificateLimits()
        limits.namesMax = 100
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: limits)
        for index in 0..<100 { #expect(bench.answer(store, "x\(index).example.com") == "*.example.com") }
        #expect(store.nameCount <= 100)
        for index in 0..<5000 { #expect(bench.answer(store, "x\(index).example.net") == "none") }
        #expect(store.nameCount == 100)
        #expect(store.identityCount == 1)
    }

    @Test func `gives several threads the same answers while files change`() throws {
        let pair = try bench.authority.issue(["*.example.com"])
        for index in 0..<8 { try bench.install(pair, "h\(index).example.com") }
        var limits = StoreBench.limits(recheckMilliseconds: 0)
        limits.identitiesMax = 4
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
