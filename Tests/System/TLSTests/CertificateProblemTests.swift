// The problems of certificates and their table in the documents.

import Foundation
import Testing

@testable import TLS

struct CertificateProblemTests {
    @Test func `docs/certificates.md lists each kind with its severity`() throws {
        let path = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/certificates.md")
        let lines = try String(contentsOf: path.standardizedFileURL, encoding: .utf8).split(separator: "\n")
        let listed = lines.filter { $0.hasPrefix("| CERT-") }.map { line in
            line.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(listed == CertificateProblem.Kind.allCases.map { [$0.rawValue, $0.severity.rawValue] })
    }

    @Test func `is formatted like a compiler's message`() {
        let problem = CertificateProblem(
            .expired, file: "config/hosts/a/fullchain.pem", "the certificate expired 3 days ago", fix: "renew it now")
        #expect(
            problem.description
                == "config/hosts/a/fullchain.pem: error[CERT-009]: the certificate expired 3 days ago; renew it now")
    }
}
