// A root, an intermediate and certificates of hosts, created by the openssl command once for all tests.

import Foundation
import TestSupport
import Testing

@testable import TLS

/// A pair of PEM texts.
struct TestPair: Sendable {
    var certificate: String
    var key: String
}

extension TemporaryFolder {
    /// Reads a pair of files.
    func identity(
        _ certificate: String = "fullchain.pem", _ key: String = "privkey.pem"
    ) throws -> ServerIdentity {
        try ServerIdentity(certificateFile: "\(path)/\(certificate)", keyFile: "\(path)/\(key)")
    }
}

final class TestAuthority: Sendable {
    /// The key types of hosts, as `openssl req` names them.
    enum Key: Sendable {
        case ecdsa
        case rsa
        case shortRSA
        case ed25519
        case largeRSA
        case longRSA
        case rsaPSS
        case unservedCurve
        case explicitCurve

        var arguments: [String] {
            switch self {
            case .ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa: ["-newkey", "rsa:2048"]
            case .shortRSA: ["-newkey", "rsa:1024"]
            case .ed25519: ["-newkey", "ed25519"]
            case .largeRSA: ["-newkey", "rsa:3072"]
            case .longRSA: ["-newkey", "rsa:4104"]
            case .rsaPSS: ["-newkey", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .unservedCurve: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-521"]
            case .explicitCurve:
                ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"]
            }
        }
    }

    private static let made = Result { try TestAuthority() }
    static var shared: TestAuthority { get throws { try made.get() } }

    let folder: TemporaryFolder
    let root: String
    let intermediate: String

    private init() throws {
        folder = try TemporaryFolder(permissions: 0o600)
        let authority = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"]
        try TestAuthority.request(
            "root", ["-x509", "-days", "3650", "-subj", "/CN=Test Root"] + Key.ecdsa.arguments + authority, folder)
        try TestAuthority.request(
            "intermediate", ["-subj", "/CN=Test Intermediate"] + Key.ecdsa.arguments + authority, folder)
        try TestAuthority.sign("intermediate", by: "root", days: 3000, [], folder)
        root = try folder.read("root.pem")
        intermediate = try folder.read("intermediate.pem")
    }

    /// A certificate for these names, issued by the intermediate.
    func issue(
        _ names: [String], key: Key = .ecdsa, days: Int = 90, by issuer: String = "intermediate",
        digest: String = "-sha256", extensions: [String] = []
    ) throws -> TestPair {
        let name = UUID().uuidString
        let more = (names.isEmpty ? [] : [TestAuthority.alternatives(names)]) + extensions
        try TestAuthority.request(
            name,
            ["-subj", "/O=Test/CN=\(names.first ?? "no name")"] + key.arguments + more.flatMap { ["-addext", $0] },
            folder)
        try TestAuthority.sign(name, by: issuer, days: days, [digest], folder)
        return try pair(name)
    }

    /// A self-signed certificate.
    func issueSelfSigned(_ names: [String], subject: String = "/CN=self") throws -> TestPair {
        let name = UUID().uuidString
        let arguments = [
            "-x509", "-utf8", "-days", "90", "-subj", subject, "-addext", TestAuthority.alternatives(names),
        ]
        try TestAuthority.request(name, arguments + Key.ecdsa.arguments, folder)
        return try pair(name)
    }

    private static func alternatives(_ names: [String]) -> String {
        "subjectAltName=" + names.map { "DNS:\($0)" }.joined(separator: ",")
    }

    /// Writes a host's folder as certbot does.
    func install(_ pair: TestPair, _ host: String, in hosts: TemporaryFolder, suffix: String = "") throws {
        try hosts.write("\(host)/privkey\(suffix).pem", pair.key)
        try hosts.write("\(host)/fullchain\(suffix).pem", pair.certificate + intermediate)
    }

    private func pair(_ name: String) throws -> TestPair {
        TestPair(certificate: try folder.read("\(name).pem"), key: try folder.read("\(name).key"))
    }

    private static func request(_ name: String, _ arguments: [String], _ folder: TemporaryFolder) throws {
        try OpenSSLCommand.run(
            ["req", "-new", "-nodes", "-keyout", "\(name).key", "-out", "\(name).pem"] + arguments, in: folder)
    }

    private static func sign(
        _ name: String, by issuer: String, days: Int, _ arguments: [String], _ folder: TemporaryFolder
    ) throws {
        try FileManager.default.moveItem(atPath: "\(folder.path)/\(name).pem", toPath: "\(folder.path)/\(name).csr")
        try OpenSSLCommand.run(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key",
                "-copy_extensions", "copy", "-days", "\(days)", "-out", "\(name).pem",
            ] + arguments, in: folder)
    }
}
