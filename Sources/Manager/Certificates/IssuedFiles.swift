// The files of issued certificates, which the server reads: `certificates/HOST/fullchain.pem` and `privkey.pem` in the state
// directory. The folder of a wildcard is `_wildcard.example.com`, as in `config/hosts`. The database is the original; files that
// are missing or different are written again.

import Posix
import TLS

/// The folder of issued certificates.
struct IssuedFiles: Sendable {
    let path: String

    private static let chain = "fullchain.pem"
    private static let key = "privkey.pem"

    private static let probe = ".probe"

    /// Makes sure that a certificate can be written, before one is ordered: the disk may be full or read-only.
    func prepare() throws(SystemError) {
        try Directory.create(path, permissions: 0o700)
        defer { File.remove("\(path)/\(IssuedFiles.probe)") }
        try IssuedFiles.replace(IssuedFiles.probe, in: path, [UInt8](repeating: 0x20, count: IssuedFiles.probeBytes))
    }

    /// As much as a long chain and its key.
    private static let probeBytes = 16_384

    /// Writes the certificate and its key, unless they are there.
    /// - Returns: whether anything was written.
    func put(_ certificate: StoredCertificate, key: [UInt8]) throws(SystemError) -> Bool {
        let folder = folder(of: certificate.name)
        let chain = Array(certificate.chain.utf8)
        if holds(folder, IssuedFiles.key, key), holds(folder, IssuedFiles.chain, chain) { return false }
        try Directory.create(folder, permissions: 0o700)
        // The server waits for a pair that belongs together.
        try IssuedFiles.replace(IssuedFiles.key, in: folder, key)
        try IssuedFiles.replace(IssuedFiles.chain, in: folder, chain)
        return true
    }

    /// Writes a small file for the server.
    static func replace(_ name: String, in folder: String, _ bytes: [UInt8]) throws(SystemError) {
        try File.replaceDurably(name, in: folder, permissions: 0o600) { bytes }
    }

    /// Removes the certificate of a host. The folder stays if the operator has put other files into it.
    func remove(_ host: String) {
        let folder = folder(of: host)
        for name in [IssuedFiles.chain, IssuedFiles.key] { File.remove("\(folder)/\(name)") }
        Directory.remove(folder)
    }

    private func folder(of host: String) -> String { "\(path)/\(CertificateFolder(host: host).name)" }

    private func holds(_ folder: String, _ name: String, _ bytes: [UInt8]) -> Bool {
        (try? File.read("\(folder)/\(name)", bytesMax: bytes.count + 1))?.bytes == bytes
    }
}
