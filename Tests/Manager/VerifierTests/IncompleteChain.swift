// A certificate like that of a public authority, with an intermediate that the server does not send. The certificate names
// the URL of the intermediate, which browsers would fetch and verifiers do not.

import Foundation
import TestSupport

enum IncompleteChain {
    struct Failure: Error { var output: String }

    /// Writes the certificate and its key to `place`; returns the file with the trusted root.
    static func write(for host: String, to place: String, authority: String) throws -> String {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: authority, withIntermediateDirectories: true)
        let (root, middle) = ("\(authority)/root", "\(authority)/middle")
        try make(root, "Root", [])
        try make(middle, "Middle", ["-CA", "\(root).pem", "-CAkey", "\(root).key"])
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "60", "-subj",
            "/CN=\(host)", "-keyout", "\(place)/privkey.pem", "-out", "\(place)/fullchain.pem", "-CA", "\(middle).pem",
            "-CAkey", "\(middle).key", "-addext", "subjectAltName=DNS:\(host)", "-addext",
            "extendedKeyUsage=serverAuth", "-addext", "basicConstraints=critical,CA:FALSE", "-addext",
            "authorityInfoAccess=caIssuers;URI:http://authority.example/middle.der",
        ])
        return "\(root).pem"
    }

    private static func make(_ path: String, _ name: String, _ issuer: [String]) throws {
        try openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "60",
                "-subj",
                "/CN=\(name)", "-keyout", "\(path).key", "-out", "\(path).pem", "-addext", "keyUsage=keyCertSign",
            ] + issuer)
    }

    private static func openssl(_ arguments: [String]) throws {
        let result = try Command(["openssl"] + arguments).run()
        guard result.status == 0 else { throw Failure(output: result.text) }
    }
}
