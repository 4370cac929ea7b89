// Hosts that get a certificate for other hosts.

import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateCoverageTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `a wildcard covers one label, and the default certificate the names in it`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("_default", names: ["c.example.org"])
        try bench.install("own.a.example.com", names: ["own.a.example.com"])
        var coverage = CertificateCoverage(hostsPath: bench.hosts.path)
        for host in ["a.example.com", "*.example.com", "own.a.example.com", "c.example.org"] {
            #expect(coverage.problem(for: host) == nil)
        }
        #expect(coverage.problem(for: "x.y.example.com")?.kind == .nameNotCovered)
        #expect(coverage.problem(for: "*.y.example.com")?.message.contains("*.example.com") == true)
        #expect(coverage.problem(for: "d.example.org")?.file.hasSuffix("_default/fullchain.pem") == true)
    }

    @Test func `reports a host without a certificate where TLS is on`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        for isTLSOn in [true, false] {
            var coverage = CertificateCoverage(hostsPath: bench.hosts.path, isTLSOn: isTLSOn)
            for (host, folder) in [("none.test", "none.test"), ("*.none.test", "_wildcard.none.test")] {
                let problem = coverage.problem(for: host)
                #expect(problem?.kind == (isTLSOn ? .missing : nil))
                if let problem { #expect(problem.file == "\(bench.hosts.path)/\(folder)/fullchain.pem") }
            }
            #expect(coverage.problem(for: "a.example.com") == nil)
        }
    }

    @Test func `says of a host without a certificate whether the manager orders one`() {
        var coverage = CertificateCoverage(
            hostsPath: bench.hosts.path, isTLSOn: true, isOrdered: { $0 == "new.test" })
        let ordered = coverage.problem(for: "new.test")
        #expect(ordered?.message == "there is no certificate for new.test yet, so all its TLS handshakes fail")
        #expect(
            ordered?.fix
                == "the manager is to order one, and `associated acme status new.test` says how far it is, or what prevents it"
        )
        #expect(ordered?.severity == .warning)
        let other = coverage.problem(for: "other.test")
        #expect(other?.severity == .error)
        #expect(other?.message == "there is no certificate for other.test, so all its TLS handshakes fail")
        #expect(other?.fix.hasPrefix("put fullchain.pem and privkey.pem there") == true)
    }

    @Test func `a survey says so too`() {
        let store = CertificateStore(
            hostsPath: bench.hosts.path, serves: { _ in true }, isOrdered: { $0 == "new.test" })
        _ = store.survey(["new.test", "other.test"])
        #expect(bench.problems(store).map { $0.fix.contains("the manager is to order one") } == [true, false])
    }
}
