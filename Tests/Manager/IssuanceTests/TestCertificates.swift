// Certificates of an authority that no client knows, made by the TLS module.

@testable import TLS

/// An intermediate certificate, and what it has issued.
final class TestCertificates: Sendable {
    /// The intermediate certificate in PEM.
    let intermediate: String
    private let issuer: ServerIdentity

    init() throws {
        let rootKey = try PrivateKey.generate()
        let root = ServerIdentity(
            certificate: try TestCertificates.authority("Root").certificate(for: rootKey), chain: nil, key: rootKey,
            problems: [], certificateFile: "")
        let key = try PrivateKey.generate()
        let certificate = try TestCertificates.authority("Intermediate").certificate(for: key, by: root)
        intermediate = String(decoding: certificate.pem, as: UTF8.self)
        issuer = ServerIdentity(
            certificate: certificate, chain: nil, key: key, problems: [], certificateFile: "")
    }

    private static func authority(_ name: String) -> CertificateDraft {
        CertificateDraft(commonName: name, alternativeNames: nil, isAuthority: true, days: 3_650)
    }

    /// A certificate without its chain, in PEM.
    func leaf(_ names: [String], _ key: SigningKey, days: Int = 90) throws -> String {
        let certificate = try draft(names, days).certificate(for: key.key, by: issuer)
        return String(decoding: certificate.pem, as: UTF8.self)
    }

    /// A certificate with its chain, in PEM.
    func chain(_ names: [String], _ key: SigningKey, days: Int = 90) throws -> String {
        try leaf(names, key, days: days) + intermediate
    }

    func selfSigned(_ names: [String], _ key: SigningKey) throws -> String {
        String(decoding: try draft(names, 90).certificate(for: key.key).pem, as: UTF8.self)
    }

    private func draft(_ names: [String], _ days: Int) -> CertificateDraft {
        let alternatives = names.map { "DNS:\($0)" }.joined(separator: ",")
        return CertificateDraft(commonName: "host", alternativeNames: alternatives, isAuthority: false, days: days)
    }
}
