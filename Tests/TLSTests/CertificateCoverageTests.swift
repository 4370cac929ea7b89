// Hosts that get a certificate for other hosts.

import Testing

@testable import TLS

struct CertificateCoverageTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `a wildcard covers one label, and the default certificate the names in it`() throws {
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

    @Test func `reports a host without a certificate where TLS is on`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        for isTLSOn in [true, false] {
            var coverage = CertificateCoverage(hostsPath: bench.hosts.path, passphrase: nil, isTLSOn: isTLSOn)
            for (host, folder) in [("none.test", "none.test"), ("*.none.test", "_wildcard.none.test")] {
                let problem = coverage.problem(for: host)
                #expect(problem?.kind == (isTLSOn ? .missing : nil))
                if let problem { #expect(problem.file == "\(bench.hosts.path)/\(folder)/fullchain.pem") }
            }
            #expect(coverage.problem(for: "a.example.com") == nil)
        }
    }
}
