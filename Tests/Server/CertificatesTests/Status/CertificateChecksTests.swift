// The problems of a certificate, one at a time, and the days on which they begin.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateChecksTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
    private static let day: Int64 = 86_400

    private func identity(_ pair: TestPair, chain: String? = nil) throws -> ServerIdentity {
        try bench.hosts.write("fullchain.pem", pair.certificate + (chain ?? bench.authority.intermediate))
        try bench.hosts.write("privkey.pem", pair.key)
        return try bench.hosts.identity()
    }

    private func kinds(
        _ identity: ServerIdentity, host: String? = "a.example", days: Int64 = 0
    ) -> [CertificateProblem.Kind] {
        CertificateChecks.problems(of: identity, host: host, now: Self.now + days * Self.day).map(\.kind)
    }

    private func kinds(folder: String) -> [CertificateProblem.Kind] {
        CertificateChecks.problems(folder: folder, in: bench.hosts.path).map(\.kind)
    }

    @Test func `reports nothing about a good certificate`() throws {
        let identity = try identity(try bench.authority.issue(["a.example", "*.a.example"]))
        #expect(kinds(identity) == [])
        #expect(kinds(identity, host: "b.a.example") == [])
        #expect(kinds(identity, host: "*.a.example") == [])
        #expect(kinds(identity, host: nil) == [])
    }

    @Test func `a certificate gets findings as it ages`() throws {
        let identity = try identity(try bench.authority.issue(["a.example"]))
        for (days, expected) in [
            (70, [.lifeBelowQuarter]), (82, [.lifeBelowTenth]), (91, [.expired]), (-1, [.notYetValid]),
        ] as [(Int64, [CertificateProblem.Kind])] { #expect(kinds(identity, days: days) == expected) }
    }

    @Test func `judges the age of an intermediate certificate too`() throws {
        let pair = try bench.authority.issue(["a.example"], days: 3500)
        let problems = CertificateChecks.problems(
            of: try identity(pair), host: "a.example", now: Self.now + 3001 * Self.day)
        #expect(problems.map(\.kind) == [.expired])
        #expect(problems.first?.message.hasPrefix("the intermediate certificate CN=Test Intermediate expired") == true)
    }

    @Test func `names the hosts that the certificate is for`() throws {
        let pair = try bench.authority.issue((1...7).map { "h\($0).example" })
        let problem = CertificateChecks.problems(of: try identity(pair), host: "a.example", now: Self.now).first
        #expect(problem?.kind == .nameNotCovered)
        #expect(
            problem?.message
                == "the certificate is not for a.example but for h1.example, h2.example, h3.example, h4.example, h5.example "
                + "and 2 more")
    }

    @Test func `ignores the common name`() throws {
        #expect(kinds(try identity(try bench.authority.issue([])), host: "absent") == [.nameNotCovered])
    }

    @Test func `ignores alternative names that are not texts`() throws {
        let pair = try bench.authority.issue(
            [], extensions: ["subjectAltName=RID:1.2.3.4,otherName:1.2.3.4;UTF8:b.example,DNS:a.example,IP:192.0.2.1"])
        #expect(kinds(try identity(pair)).isEmpty)
        #expect(kinds(try identity(pair), host: "b.example") == [.nameNotCovered])
    }

    @Test func `reports a missing intermediate certificate, and a root in the chain`() throws {
        let pair = try bench.authority.issue(["a.example"])
        #expect(kinds(try identity(pair, chain: "")) == [.missingIntermediate])
        #expect(
            kinds(try identity(pair, chain: bench.authority.intermediate + bench.authority.root)) == [.rootIncluded])
    }

    @Test func `requires the root where it has signed the host's certificate itself`() throws {
        let pair = try bench.authority.issue(["a.example"], by: "root")
        #expect(kinds(try identity(pair, chain: "")) == [.missingIntermediate])
        #expect(kinds(try identity(pair, chain: bench.authority.root)) == [])
    }

    @Test func `reports a self-signed certificate`() throws {
        #expect(kinds(try identity(try bench.authority.issueSelfSigned(["a.example"]), chain: "")) == [.selfSigned])
    }

    @Test func `reports a certificate of a development CA as one that no phone trusts`() throws {
        let folder = bench.hosts.path
        let files = (certificate: "\(folder)/a.example/fullchain.pem", key: "\(folder)/a.example/privkey.pem")
        try DevelopmentAuthority(directory: "\(folder)/state").write(
            for: "a.example", certificateFile: files.certificate, keyFile: files.key)
        let problems = CertificateChecks.problems(folder: "a.example", in: folder)
        #expect(problems.map(\.kind) == [.selfSigned])
        #expect(problems.first?.message == "the certificate is from a development CA, so no phone trusts it")
    }

    @Test func `reports a certificate for another purpose`() throws {
        let pair = try bench.authority.issue(["a.example"], extensions: ["extendedKeyUsage=clientAuth"])
        #expect(kinds(try identity(pair)) == [.notForServers])
        let server = try bench.authority.issue(["a.example"], extensions: ["extendedKeyUsage=serverAuth"])
        #expect(kinds(try identity(server)) == [])
    }

    @Test func `reports a key type that phones do not support`() throws {
        #expect(kinds(try identity(try bench.authority.issue(["a.example"], key: .ed25519))) == [.unusualKey])
    }

    @Test func `reports a key that other users can read`() throws {
        let pair = try bench.authority.issue(["a.example"])
        try bench.install(pair, "a.example")
        try bench.hosts.write("a.example/privkey.pem", pair.key, permissions: 0o644)
        let problem = CertificateChecks.problems(folder: "a.example", in: bench.hosts.path).first
        #expect(problem?.kind == .keyReadableByOthers)
        #expect(problem?.message == "every user of this machine can read the private key (permissions 644)")
    }

    /// A group of this process, and one that it is not in.
    @Test(arguments: [
        (UInt32(0o600), true, nil), (0o640, true, nil), (0o660, true, nil), (0o600, false, nil),
        (0o640, false, "chmod g="), (0o620, false, "chmod g="), (0o604, true, "chmod o="), (0o644, false, "chmod o="),
    ])
    func `allows a group of the server's user to read a key, but not other users`(
        permissions: UInt32, isOwn: Bool, fix: String?
    ) {
        let access = FileAccess(permissions: permissions, group: isOwn ? getegid() : 54_321)
        let problem = CertificateChecks.permissions(access, of: "privkey.pem")
        #expect(problem?.kind == (fix == nil ? nil : .keyReadableByOthers))
        if let fix { #expect(problem?.fix.contains(fix) == true) }
    }

    @Test(arguments: [["", ".rsa"], [".rsa"]]) func `reports a second pair, which is not used`(suffixes: [String])
        throws
    {
        for suffix in suffixes { try bench.install("a.example", names: ["a.example"], suffix: suffix) }
        #expect(kinds(folder: "a.example") == [.unusedPair])
    }

    @Test func `does not use a pair that OpenSSL rejects`() throws {
        try bench.install("a.example", names: ["a.example"], key: .shortRSA)
        try bench.install(try bench.authority.issue(["b.example"], digest: "-sha1"), "b.example")
        #expect(kinds(folder: "a.example") == [.weakKey])
        #expect(kinds(folder: "b.example") == [.weakSignature])
        #expect(bench.answer(bench.store(), "a.example") == "broken")
    }

    @Test func `checks a folder against its name`() throws {
        try bench.install("a.example", names: ["b.example"])
        try bench.install("_wildcard.a.example", names: ["a.example"])
        try bench.install("_default", names: ["b.example"])
        for (folder, expected) in [
            ("a.example", [.nameNotCovered]), ("_wildcard.a.example", [.nameNotCovered]), ("_default", []),
        ] as [(String, [CertificateProblem.Kind])] { #expect(kinds(folder: folder) == expected) }
    }

    @Test(arguments: ["Shop.example.com", "*.example.com", "_wildcard.*.example.com", "_wildcard", "_other"])
    func `reports a folder whose name cannot be a host`(name: String) throws {
        try bench.install(name, names: ["shop.example.com"])
        #expect(kinds(folder: name).contains(.folderName))
    }

    @Test func `reports half a pair, but not a missing one`() throws {
        try bench.hosts.write("a.example/privkey.pem", "key")
        try bench.hosts.write("b.example/well-known/security.txt", "")
        #expect(kinds(folder: "a.example") == [.incompletePair])
        #expect(kinds(folder: "b.example") == [])
    }

    @Test(arguments: [TestAuthority.Key.longRSA, .rsaPSS, .unservedCurve, .explicitCurve])
    func `an unusable or very slow key never replaces a working one`(key: TestAuthority.Key) throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.install("a.example", names: ["new.example", "a.example"], key: key)
        for _ in 0..<3 { #expect(bench.answer(store, "a.example") == "a.example") }
        #expect(bench.problems(store).map(\.kind) == [.weakKey])
    }
}
