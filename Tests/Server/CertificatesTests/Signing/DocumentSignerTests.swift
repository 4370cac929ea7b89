// The certificate that signs for a host, when a message is signed again, and why signing fails.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct DocumentSignerTests {
    private let bench: StoreBench
    private let document = Array("{\"applinks\":{\"details\":[]}}\n".utf8)

    init() throws { bench = try StoreBench() }

    private func signer() -> DocumentSigner { DocumentSigner(hostsPath: bench.hosts.path) }

    /// The message of a separate round; nil when there is none.
    private func sign(_ signer: DocumentSigner, _ host: String) -> [UInt8]? {
        var problems: [CertificateProblem] = []
        defer { signer.endRound() }
        guard case .signed(let message, _) = signer.sign(document, for: host, problems: &problems) else { return nil }
        return message
    }

    /// Why there is no message, and the problems.
    private func refusal(_ signer: DocumentSigner, _ host: String) -> (reason: String, problems: Set<String>)? {
        var problems: [CertificateProblem] = []
        defer { signer.endRound() }
        guard case .impossible(let reason) = signer.sign(document, for: host, problems: &problems) else { return nil }
        return (reason, Set(problems.map(\.id)))
    }

    private func name(_ message: [UInt8]?) -> String? {
        message.flatMap { SignedDocument(der: $0) }?.signers.first?.names.first
    }

    @Test(arguments: [("a.example", "a.example"), ("x.b.example", "*.b.example"), ("*.b.example", "*.b.example")])
    func `signs with the certificate that a handshake would use`(host: String, owner: String) throws {
        try bench.install("a.example", names: ["a.example"])
        try bench.install("_wildcard.b.example", names: ["*.b.example"])
        let message = try #require(sign(signer(), host))
        #expect(name(message) == owner)
        #expect(SignedDocument(der: message)?.isIntact == true)
        #expect(SignedDocument.content(of: message) == document)
    }

    @Test func `the same document and certificate give the same bytes, even with ECDSA`() throws {
        try bench.install("a.example", names: ["a.example"])
        let signer = signer()
        let first = try #require(sign(signer, "a.example"))
        #expect(sign(signer, "a.example") == first)
        #expect(sign(self.signer(), "a.example") != first)
        signer.endRound()
        #expect(sign(signer, "a.example") != first, "forgets a host that was not requested")
    }

    @Test func `a different certificate gives a different message`() throws {
        try bench.install("a.example", names: ["a.example"])
        let signer = signer()
        let first = try #require(sign(signer, "a.example"))
        try bench.install("a.example", names: ["a.example", "b.example"])
        let second = try #require(sign(signer, "a.example"))
        #expect(second != first)
        #expect(SignedDocument(der: second)?.signers.first?.names == ["a.example", "b.example"])
    }

    @Test func `signs with the manager's certificate until there is another one`() throws {
        let managed = try TemporaryFolder(permissions: 0o600)
        let signer = DocumentSigner(hostsPath: bench.hosts.path, managedPath: managed.path)
        #expect(sign(signer, "a.example") == nil)
        try bench.authority.install(try bench.authority.issue(["a.example"]), "a.example", in: managed)
        #expect(!signer.hasChanges() && signer.hasChanges(), "a change counts when it is the same twice")
        #expect(name(sign(signer, "a.example")) == "a.example")
        #expect(!signer.hasChanges() && !signer.hasChanges())
        try bench.install("a.example", names: ["own.example", "a.example"])
        #expect(!signer.hasChanges() && signer.hasChanges())
        #expect(name(sign(signer, "a.example")) == "own.example")
        #expect(!signer.hasChanges() && !signer.hasChanges())
    }

    @Test func `reads a certificate later that could not be read for lack of descriptors`() async {
        // In a separate process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let tests = try DocumentSignerTests()
            try tests.bench.install("a.example", names: ["a.example"])
            let signer = tests.signer()
            func attempt() -> DocumentSigner.Outcome {
                var problems: [CertificateProblem] = []
                let outcome = starved { signer.sign(tests.document, for: "a.example", problems: &problems) }
                signer.endRound()
                guard problems.isEmpty else { exit(2) }
                return outcome
            }
            guard case .shortage(let reason) = attempt(), reason.isShortage else { exit(3) }
            guard let first = tests.sign(signer, "a.example") else { exit(4) }
            // A different pair that could not be read: the last good one signs, and the files are checked again.
            try tests.bench.install("a.example", names: ["b.example", "a.example"])
            guard case .signed(first, _) = attempt() else { exit(5) }
            guard !signer.hasChanges(), signer.hasChanges() else { exit(6) }
            guard tests.name(tests.sign(signer, "a.example")) == "b.example" else { exit(7) }
            guard !signer.hasChanges(), !signer.hasChanges() else { exit(8) }
        }
    }

    @Test func `keeps signing with the last good certificate, and reports it each time`() throws {
        try bench.install("a.example", names: ["a.example"])
        let signer = signer()
        let first = try #require(sign(signer, "a.example"))
        try bench.hosts.write("a.example/privkey.pem", "rubbish")
        for _ in 0..<2 {
            var problems: [CertificateProblem] = []
            let outcome = signer.sign(document, for: "a.example", problems: &problems)
            signer.endRound()
            guard case .signed(first, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(problems.contains { $0.kind == .malformedKey })
        }
        try bench.install("a.example", names: ["other.example"])
        #expect(sign(signer, "a.example") == first, "a certificate for another name does not take over")
    }

    @Test func `notices a change once the files are complete, until the next signature`() throws {
        try bench.install("a.example", names: ["a.example"])
        let signer = signer()
        let first = try #require(sign(signer, "a.example"))
        #expect(!signer.hasChanges())
        try bench.hosts.write("a.example/privkey.pem", "rubbish")
        #expect(!signer.hasChanges(), "the other file may follow")
        try bench.install("a.example", names: ["a.example"])
        #expect(!signer.hasChanges(), "it has changed again")
        #expect(signer.hasChanges())
        #expect(sign(signer, "a.example") != first)
        #expect(!signer.hasChanges())
        try bench.hosts.write("a.example/privkey.pem", "rubbish")
        _ = sign(signer, "a.example")
        #expect(!signer.hasChanges(), "broken files are not checked again")
    }

    @Test func `notices a new certificate that takes precedence over the signing one`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let signer = signer()
        let first = try #require(sign(signer, "a.example.com"))
        #expect(!signer.hasChanges())
        try bench.install("a.example.com", names: ["a.example.com"])
        #expect(!signer.hasChanges(), "the other file may follow")
        #expect(signer.hasChanges())
        #expect(sign(signer, "a.example.com") != first)
    }

    @Test func `signs nothing without a certificate`() throws {
        let refused = try #require(refusal(signer(), "a.example"))
        #expect(refused.reason == "there is no certificate for this host below \(bench.hosts.path)")
    }

    @Test func `does not sign with a certificate that a phone would reject`() throws {
        try bench.install("a.example", names: ["b.example"])
        let other = try #require(refusal(signer(), "a.example"))
        #expect(other.reason.contains("the certificate is not for a.example but for b.example"))
        #expect(other.problems.contains("CERT-011"))
        try bench.hosts.write("a.example/fullchain.pem", "rubbish")
        #expect(try #require(refusal(signer(), "a.example")).problems == ["CERT-003"])
    }

    @Test func `reports a key that cannot sign`() throws {
        let pair = try bench.authority.issue(["a.example"], key: .ed25519)
        try bench.install(pair, "a.example")
        #expect(try #require(refusal(signer(), "a.example")).reason.contains("its key is Ed25519"))
    }

    @Test func `signs for every host with a configured pair`() throws {
        try bench.install("signer", names: ["signer.example"])
        let folder = "\(bench.hosts.path)/signer"
        let signer = DocumentSigner(
            hostsPath: "/nowhere",
            named: .init(certificateFile: "\(folder)/fullchain.pem", keyFile: "\(folder)/privkey.pem"))
        #expect(name(sign(signer, "a.example")) == "signer.example")
        let missing = DocumentSigner(hostsPath: "", named: .init(certificateFile: "/no/file", keyFile: "/no/key"))
        #expect(try #require(refusal(missing, "a.example")).reason == "/no/file does not exist")
    }

    @Test func `signs with the development authority where there is no certificate`() throws {
        let authority = try DevelopmentAuthority(directory: bench.hosts.path + "/state")
        let signer = DocumentSigner(hostsPath: bench.hosts.path, development: authority)
        #expect(name(sign(signer, "a.localhost")) == "a.localhost")
        #expect(name(sign(signer, "*.a.localhost")) == "*.a.localhost")
    }

    @Test func `reports a problem that hosts share once in a round`() throws {
        let pair = try bench.authority.issue(["*.example"])
        try bench.install(pair, "_wildcard.example")
        try bench.hosts.write("_wildcard.example/privkey.pem", pair.key, permissions: 0o644)
        let signer = signer()
        var problems: [CertificateProblem] = []
        for host in ["a.example", "b.example"] { _ = signer.sign(document, for: host, problems: &problems) }
        #expect(problems.count { $0.kind == .keyReadableByOthers } == 1)
        signer.endRound()
        _ = signer.sign(document, for: "a.example", problems: &problems)
        #expect(problems.count { $0.kind == .keyReadableByOthers } == 2)
    }
}
