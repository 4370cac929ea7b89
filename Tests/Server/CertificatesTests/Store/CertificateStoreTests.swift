// The folder that answers for a name, and paths that no name reaches.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateStoreTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `finds its own folder, then the nearest wildcard, then the default`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("_wildcard.eu.example.com", names: ["*.eu.example.com"])
        let store = bench.store()
        #expect(bench.answer(store, "shop.example.com") == "shop.example.com")
        #expect(bench.answer(store, "other.example.com") == "*.example.com")
        #expect(bench.answer(store, "a.b.example.com") == "*.example.com")
        #expect(bench.answer(store, "a.eu.example.com") == "*.eu.example.com")
        #expect(bench.answer(store, "example.com") == "none")
        #expect(bench.answer(store, "example.net") == "none")
        try bench.install("_default", names: ["fallback.example"])
        store.invalidateAll()
        #expect(bench.answer(store, "example.net") == "fallback.example")
        #expect(bench.answer(store, "../shop.example.com") == "fallback.example")
        #expect(bench.answer(store, "") == "fallback.example", "for clients without a name")
        #expect(bench.problems(store).isEmpty)
    }

    @Test func `the manager's certificates are for names without one in the configuration`() throws {
        let managed = try TemporaryFolder(permissions: 0o600)
        for (folder, name) in [("a.example.com", "a.example.com"), ("_wildcard.b.example.com", "*.b.example.com")] {
            try bench.authority.install(try bench.authority.issue([name]), folder, in: managed)
        }
        try bench.hosts.write("a.example.com/well-known/security.txt", "Contact: mailto:a@example.com")
        let store = bench.store(recheckMilliseconds: 0, managedPath: managed.path)
        #expect(bench.answer(store, "a.example.com") == "a.example.com")
        #expect(bench.answer(store, "x.b.example.com") == "*.b.example.com")
        #expect(bench.answer(store, "c.example.com") == "none")
        // The configuration wins, even if its files are broken.
        try bench.install("a.example.com", names: ["a.example.com", "own.example.com"])
        let facts = try bench.identity("a.example.com", in: store).facts
        #expect(facts.names == ["a.example.com", "own.example.com"])
        #expect(bench.problems(store).isEmpty)
        try managed.write("d.example.com/fullchain.pem", "no certificate")
        #expect(bench.answer(store, "d.example.com") == "broken")
        #expect(bench.problems(store).map(\.file) == ["\(managed.path)/d.example.com/privkey.pem"])
    }

    @Test func `skips a folder without a certificate`() throws {
        try bench.hosts.write("shop.example.com/well-known/security.txt", "Contact: mailto:a@example.com")
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        #expect(bench.answer(bench.store(), "shop.example.com") == "*.example.com")
    }

    @Test func `no name leads out of the folder`() throws {
        try bench.install("shop.example.com", names: ["shop.example.com"])
        let inner = CertificateStore(hostsPath: bench.hosts.path + "/shop.example.com")
        for name in ["..", ".", "", "../shop.example.com", "..\0", "_default", "/", "a/../..", "_wildcard.example.com"]
        {
            #expect(bench.answer(inner, name) == "none")
        }
    }

    @Test func `broken files do not fall back to another certificate, and are reported once`() throws {
        try bench.install("_default", names: ["fallback.example"])
        let (first, second) = (try bench.authority.issue(["a.example"]), try bench.authority.issue(["a.example"]))
        try bench.install(TestPair(certificate: first.certificate, key: second.key), "a.example")
        let store = bench.store(recheckMilliseconds: 0)
        for _ in 0..<5 { #expect(bench.answer(store, "a.example") == "broken") }
        #expect(bench.problems(store).map(\.kind) == [.keyMismatch])
        try bench.install(second, "a.example")
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.problems(store).isEmpty)
    }

    @Test func `treats a pair with one missing file as broken`() throws {
        try bench.install("a.example", names: ["a.example"])
        try bench.hosts.remove("a.example/privkey.pem")
        let store = bench.store()
        #expect(bench.answer(store, "a.example") == "broken")
        #expect(bench.problems(store).map(\.kind) == [.incompletePair])
    }

    /// Links both files of a host to another place.
    private func link(_ host: String, to place: String) throws {
        try bench.hosts.makeFolder(host)
        for name in ["fullchain.pem", "privkey.pem"] { try bench.hosts.link("\(host)/\(name)", to: "\(place)/\(name)") }
    }

    @Test func `follows links into link targets and inside the host's folder, as certbot and Kubernetes make them`()
        throws
    {
        let place = try TemporaryFolder(permissions: 0o600)
        let pair = try bench.authority.issue(["a.example", "b.example", "c.example"])
        try bench.authority.install(pair, "archive", in: place)
        try link("a.example", to: place.path + "/archive")
        try bench.install(pair, "b.example/..data")
        try link("b.example", to: "..data")
        try bench.hosts.link("c.example", to: place.path + "/archive")
        let store = CertificateStore(hostsPath: bench.hosts.path, links: LinkTargets([place.path]))
        for host in ["a.example", "b.example", "c.example"] { #expect(bench.answer(store, host) == "a.example") }
        #expect(bench.problems(store).isEmpty)
        #expect(store.identityCount == 3)
    }

    @Test(arguments: ["../b.example", "/b.example", "../../elsewhere"])
    func `refuses a link to the key of another tenant, and a folder that is a link`(target: String) throws {
        let pair = try bench.authority.issue(["a.example", "b.example"])
        let hosts = try TemporaryFolder(permissions: 0o600)
        for folder in ["hosts/b.example", "elsewhere"] { try bench.authority.install(pair, folder, in: hosts) }
        let place = target.hasPrefix("/") ? "\(hosts.path)/hosts\(target)" : target
        try hosts.makeFolder("hosts/a.example")
        for name in ["fullchain.pem", "privkey.pem"] {
            try hosts.link("hosts/a.example/\(name)", to: "\(place)/\(name)")
        }
        try hosts.link("hosts/c.example", to: target.hasPrefix("../../") ? "../elsewhere" : "b.example")
        let store = CertificateStore(hostsPath: "\(hosts.path)/hosts", serves: { _ in true })
        let signer = DocumentSigner(hostsPath: "\(hosts.path)/hosts")
        for (host, reason) in [
            ("a.example", "a place outside the host's own folder"), ("c.example", "is a link to another place"),
        ] {
            #expect(bench.answer(store, host) == "broken")
            let problems = bench.problems(store)
            #expect(problems.map(\.kind) == [.unreadableFile])
            #expect(problems.first?.message.contains(reason) == true, "\(problems)")
            #expect(problems.first?.fix.contains("`linkTargets` in server.json") == true)
            #expect(CertificateChecks.problems(folder: host, in: "\(hosts.path)/hosts") == problems)
            var found: [CertificateProblem] = []
            guard case .impossible = signer.sign([1], for: host, problems: &found) else {
                Issue.record("signed with another tenant's key")
                return
            }
            #expect(found == problems)
        }
        #expect(bench.answer(store, "b.example") == "a.example")
    }

    @Test func `serves the first pair of a folder with two, and reports the other until it is gone`() throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example" && bench.problems(store).isEmpty)
        try bench.install("a.example", names: ["rsa.example"], key: .rsa, suffix: ".rsa")
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.problems(store).map(\.kind) == [.unusedPair])
        #expect(try bench.identity("a.example", in: store).facts.key == .ecdsa(bits: 256))
        for file in ["fullchain", "privkey"] { try bench.hosts.remove("a.example/\(file).rsa.pem") }
        #expect(bench.answer(store, "a.example") == "a.example" && bench.problems(store).isEmpty)
    }

    @Test func `does not report a missing default certificate where it cannot look`() throws {
        try bench.install("a.test", names: ["a.test"])
        let store = bench.store(recheckMilliseconds: 0)
        _ = store.survey(["a.test"])
        let (hosts, moved) = (bench.hosts.path, bench.hosts.path + "-moved")
        try #require(rename(hosts, moved) == 0)
        // Reading a link to itself fails, for root too.
        try #require(symlink(hosts, hosts) == 0)
        defer {
            unlink(hosts)
            rename(moved, hosts)
        }
        for _ in 0..<3 { _ = store.survey(["a.test"]) }
        #expect(store.register.entry("_default") == nil)
        #expect(store.register.entry("a.test") != nil)
    }
}
