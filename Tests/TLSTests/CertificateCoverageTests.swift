// Hosts that are answered by a certificate for others.

import Testing

@testable import TLS

struct CertificateCoverageTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `a wildcard covers one label, and the one for everybody else what it names`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("_default", names: ["c.example.org"])
        try bench.install("own.a.example.com", names: ["own.a.example.com"])
        var coverage = CertificateCoverage(hostsPath: bench.hosts.path, passphrase: nil)
        for host in ["a.example.com", "*.example.com", "own.a.example.com", "c.example.org"] {
            #expect(coverage.problem(for: host) == nil)
        }
        #expect(coverage.problem(for: "x.y.example.com")?.kind == .nameNotCovered)
        #expect(coverage.problem(for: "*.y.example.com")?.message.contains("*.example.com") == true)
        #expect(coverage.problem(for: "d.example.org")?.file.hasSuffix("_default/fullchain.pem") == true)
    }

    @Test func `the store says so once for a host that is served, and for no other`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let store = CertificateStore(
            hostsPath: bench.hosts.path, limits: StoreBench.limits(recheckMilliseconds: 0),
            serves: { $0.hasSuffix("y.example.com") })
        for host in ["x.y.example.com", "x.z.example.com", "a.example.com", "x.y.example.com"] {
            _ = store.read(Array(host.utf8), .quick)
        }
        let problems = store.drainProblems()
        #expect(problems.map(\.kind) == [.nameNotCovered])
        #expect(problems.first?.message.contains("x.y.example.com") == true)
    }

    @Test func `names that a client makes up are one problem of the certificate, not one each`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let store = CertificateStore(
            hostsPath: bench.hosts.path, limits: StoreBench.limits(recheckMilliseconds: 0), serves: { _ in true })
        for number in 0..<100 {
            _ = store.read(Array("g\(number).y.example.com".utf8), .quick)
            #expect(store.drainProblems().map(\.kind) == (number == 0 ? [.nameNotCovered] : []))
        }
        // Another certificate is another problem.
        try bench.install("_wildcard.example.com", names: ["*.example.com", "example.com"])
        for number in 0..<100 { _ = store.read(Array("h\(number).y.example.com".utf8), .quick) }
        #expect(store.drainProblems().map(\.kind) == [.nameNotCovered])
    }
}
