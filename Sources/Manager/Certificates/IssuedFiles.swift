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
    /// A folder that takes the place of a host's, with both files, in one step: the server never reads files of two certificates.
    private static let draft = ".new"

    /// Makes sure that a certificate can be written, before one is ordered: the disk may be full or read-only.
    func prepare() throws(SystemError) {
        try Directory.create(path, permissions: 0o700)
        defer { File.remove("\(path)/\(IssuedFiles.probe)") }
        try IssuedFiles.replace(IssuedFiles.probe, in: path, [UInt8](repeating: 0x20, count: IssuedFiles.probeBytes))
    }

    /// As much as a long chain and its key.
    private static let probeBytes = 16_384
    /// As the server reads.
    private static let chainBytesMax = 256 * 1_024

    /// Opens the key of a certificate and writes both, unless they are there.
    /// - Returns: why that was not possible.
    func put(_ certificate: StoredCertificate, _ keys: SealingKeys) -> String? {
        do {
            let place = StoredCertificate.sealingPlace(certificate.name, certificate.keyKind)
            _ = try put(certificate, key: try keys.open(certificate.sealedKey, for: place).secret)
            return nil
        } catch {
            return "cannot write its certificate to \(path): \(error)"
        }
    }

    /// Writes the certificate and its key, unless they are there.
    /// - Returns: whether anything was written.
    func put(_ certificate: StoredCertificate, key: [UInt8]) throws(SystemError) -> Bool {
        let folder = folder(of: certificate.name)
        let chain = Array(certificate.chain.utf8)
        if holds(folder, IssuedFiles.key, key), holds(folder, IssuedFiles.chain, chain) { return false }
        try Directory.create(path, permissions: 0o700)
        try File.withTurn(in: path) { () throws(SystemError) in
            let draft = "\(path)/\(IssuedFiles.draft)"
            // A crash may have left it.
            IssuedFiles.clear(draft)
            defer { IssuedFiles.clear(draft) }
            try IssuedFiles.write(key, chain, to: draft)
            if isOurs(folder), (try? Directory.exchange(draft, folder)) != nil { return }
            // Until both are written, the server keeps the pair that it has.
            try IssuedFiles.write(key, chain, to: folder)
        }
        return true
    }

    /// Whether there is nothing that must not be replaced as a whole: a link, or other files.
    private func isOurs(_ folder: String) -> Bool {
        if !File.exists(folder) { return File.linkTarget(folder) == nil }
        guard File.linkTarget(folder) == nil, let entries = try? Directory.entries(folder) else { return false }
        return entries.allSatisfy { [IssuedFiles.key, IssuedFiles.chain].contains($0.name) }
    }

    private static func write(_ key: [UInt8], _ chain: [UInt8], to folder: String) throws(SystemError) {
        try Directory.create(folder, permissions: 0o700)
        try replace(IssuedFiles.key, in: folder, key)
        try replace(IssuedFiles.chain, in: folder, chain)
    }

    private static func clear(_ folder: String) {
        for name in [chain, key] { File.remove("\(folder)/\(name)") }
        Directory.remove(folder)
    }

    /// Writes a small file for the server.
    static func replace(_ name: String, in folder: String, _ bytes: [UInt8]) throws(SystemError) {
        try File.replaceDurably(name, in: folder, permissions: 0o600) { bytes }
    }

    /// Removes the certificate of a host. The folder stays if the operator has put other files into it.
    func remove(_ host: String) { IssuedFiles.clear(folder(of: host)) }

    /// Whether the host has both files, whatever is in them.
    func isThere(_ host: String) -> Bool {
        let folder = folder(of: host)
        return [IssuedFiles.chain, IssuedFiles.key].allSatisfy { File.exists("\(folder)/\($0)") }
    }

    /// The hosts that have a folder.
    func hosts() throws(SystemError) -> [String] {
        guard try Directory.isThere(path) else { return [] }
        let folders = try Directory.entries(path).filter { $0.kind == .directory }
        return folders.compactMap { CertificateFolder(name: $0.name).host }
    }

    /// Whether the certificate of a host has expired; false if it cannot be read.
    /// - Parameter now: seconds since 1970.
    func isExpired(_ host: String, now: Int64) -> Bool {
        let file = "\(folder(of: host))/\(IssuedFiles.chain)"
        guard let bytes = try? File.read(file, bytesMax: IssuedFiles.chainBytesMax).bytes,
            let chain = try? IssuedChain(pem: bytes)
        else { return false }
        return chain.facts.notAfter < now
    }

    private func folder(of host: String) -> String { "\(path)/\(CertificateFolder(host: host).name)" }

    private func holds(_ folder: String, _ name: String, _ bytes: [UInt8]) -> Bool {
        (try? File.read("\(folder)/\(name)", bytesMax: bytes.count + 1))?.bytes == bytes
    }
}
