// Certificates, keys and signed messages as files bring them: through the program's own reading, which is OpenSSL's and
// what stands around it. Anything may be refused; nothing may be believed that does not fit together.

import Glibc
import Posix

@testable import TLS

extension FuzzTarget {
    static let certificates = FuzzTarget(
        name: "certificates", summary: "chains, keys, ticket keys and signed messages, in PEM and DER"
    ) { bytes in
        var choices = Choices(bytes)
        switch choices.number(below: 4) {
        case 0: try CertificateInput.pair(&choices)
        case 1: try CertificateInput.pieces(Array(choices.rest))
        case 2:
            if let message = SignedDocument(der: Array(choices.rest)) {
                try demand(!message.isIntact || !message.signers.isEmpty, "intact, but without a signer")
            }
        default:
            let file = try ScratchFile("first", Array(choices.rest))
            let keys = try? TicketKeys(file: file.path)
            try demand(keys == nil || choices.rest.count >= 80, "ticket keys from too few bytes")
        }
    }
}

private enum CertificateInput {
    private static let pool = ChainPool()

    /// `fullchain.pem` and `privkey.pem`.
    static func pair(_ choices: inout Choices) throws(Complaint) {
        let certificate = try ScratchFile("first", choices.text())
        let key = try ScratchFile("second", Array(choices.rest))
        let identity: ServerIdentity
        do throws(CertificateProblem) {
            identity = try ServerIdentity(certificateFile: certificate.path, keyFile: key.path)
        } catch {
            return try demand(!error.message.isEmpty, "a refusal without a reason")
        }
        for host in ["a.example", "*.a.example", "192.0.2.1"] {
            for problem in CertificateChecks.problems(of: identity, host: host, now: 1_800_000_000) {
                try demand(!problem.message.isEmpty, "a problem without words")
            }
        }
    }

    /// Each on its own, which needs no luck to be reached.
    static func pieces(_ bytes: [UInt8]) throws(Complaint) {
        let found = bytes.first == 0x30 ? [bytes] : bytes.withUnsafeBytes { PEM.certificates(in: $0) }
        for der in found {
            guard let certificate = Certificate(der: der) else { continue }
            let facts = certificate.facts
            try demand(facts.fingerprint.count == 32, "a fingerprint of \(facts.fingerprint.count) bytes")
            _ = (certificate.hasWeakSignature, certificate.refusesServers, certificate.covers("a.example"))
            _ = certificate.isIssued(by: certificate)
            for name in facts.names { try demand(certificate.covers(name) || name.contains("*"), "not for \(name)") }
        }
        if let chain = pool.chain(of: found), let first = found.first, let own = Certificate(der: first) {
            let order = ChainOrder.sorted(own, chain)
            try demand(Set(order).count == order.count && order.count <= found.count, "an order of \(order)")
        }
        bytes.withUnsafeBytes { _ = try? PrivateKey($0, file: "f") }
    }
}
