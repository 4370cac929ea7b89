// The files of issued certificates, which the server reads: `certificates/HOST/fullchain.pem` and `privkey.pem` in the state
// directory. The folder of a wildcard is `_wildcard.example.com`, as in `config/hosts`. The database is
// the original; files that are missing or different are written again, unless they are newer (`StoreRecovery`).

import Posix
import TLS

/// The folder of issued certificates.
struct IssuedFiles: Sendable {
    let path: String
    let revoked: RevokedCertificates

    init(_ places: ManagerPlaces) { (path, revoked) = (places.certificates, RevokedCertificates(places)) }

    private static let (key, chain) = ("privkey.pem", "fullchain.pem")
    /// A second pair that earlier versions wrote. It is removed.
    private static let formerNames = ["privkey.rsa.pem", "fullchain.rsa.pem"]
    private static let names = [key, chain] + formerNames

    private static let probe = ".probe"
    /// A folder that takes the place of a host's, with all files, in one step: the server never reads files of two certificates.
    private static let draft = ".new"

    /// Why certificates cannot be written, to be known before one is ordered: the disk may be full or read-only. Nil if they can.
    var problem: String? {
        defer { File.remove("\(path)/\(IssuedFiles.probe)") }
        do throws(SystemError) {
            try Directory.create(path, permissions: 0o700)
            try IssuedFiles.replace(
                IssuedFiles.probe, in: path, [UInt8](repeating: 0x20, count: IssuedFiles.probeBytes))
            return nil
        } catch {
            return "cannot write certificates to \(path): \(error.reason); "
                + "make it a folder with free space that the manager may write to"
        }
    }

    /// As much as a long chain and its key.
    private static let probeBytes = 16_384

    /// Opens the key of a certificate and writes both files, unless they are there. A certificate that is known to be revoked does not
    /// come back: it only stays where it is.
    /// - Returns: why that was not possible.
    func put(_ certificate: StoredCertificate, _ keys: SealingKeys) -> String? {
        if revoked.all.contains(certificate), !holds(certificate) { return nil }
        let host = certificate.name
        do {
            let place = StoredCertificate.sealingPlace(host, certificate.keyKind)
            let key = try keys.open(certificate.sealedKey, for: place).secret
            try put(
                [(IssuedFiles.key, key), (IssuedFiles.chain, Array(certificate.chain.utf8))], in: folder(of: host))
            return nil
        } catch {
            return "cannot write its certificate to \(path): \(error)"
        }
    }

    /// Makes these the files of a host's folder, unless they are.
    private func put(_ files: [(name: String, bytes: [UInt8])], in folder: String) throws(SystemError) {
        let isRight = files.allSatisfy { holds(folder, $0.name, $0.bytes) }
        if isRight, !IssuedFiles.formerNames.contains(where: { File.exists("\(folder)/\($0)") }) { return }
        try Directory.create(path, permissions: 0o700)
        try File.withTurn(in: path) { () throws(SystemError) in
            let draft = "\(path)/\(IssuedFiles.draft)"
            // A crash may have left it.
            IssuedFiles.clear(draft)
            defer { IssuedFiles.clear(draft) }
            try IssuedFiles.write(files, to: draft)
            if isOurs(folder), (try? Directory.exchange(draft, folder)) != nil { return }
            // Until both files are written, the server keeps the pair that it has.
            try IssuedFiles.write(files, to: folder)
            for name in IssuedFiles.formerNames { File.remove("\(folder)/\(name)") }
        }
    }

    /// Whether there is nothing that must not be replaced as a whole: a link, or other files.
    private func isOurs(_ folder: String) -> Bool {
        if !File.exists(folder) { return File.linkTarget(folder) == nil }
        guard File.linkTarget(folder) == nil, let entries = try? Directory.entries(folder) else { return false }
        return entries.allSatisfy { IssuedFiles.names.contains($0.name) }
    }

    private static func write(_ files: [(name: String, bytes: [UInt8])], to folder: String) throws(SystemError) {
        try Directory.create(folder, permissions: 0o700)
        for file in files { try replace(file.name, in: folder, file.bytes) }
    }

    private static func clear(_ folder: String) {
        for name in names { File.remove("\(folder)/\(name)") }
        Directory.remove(folder)
    }

    /// Writes a small file for the server.
    static func replace(_ name: String, in folder: String, _ bytes: [UInt8]) throws(SystemError) {
        try File.replaceDurably(name, in: folder, permissions: 0o600) { bytes }
    }

    /// Whether the certificate is in the folder of its host.
    func holds(_ certificate: StoredCertificate) -> Bool {
        holds(folder(of: certificate.name), IssuedFiles.chain, Array(certificate.chain.utf8))
    }

    /// The pair of a host, if clients accept it now.
    /// - Parameter now: seconds since 1970.
    func usablePair(of host: String, now: Int64) -> ClientArchive.Certificate? {
        let folder = folder(of: host)
        let pair = try? ClientArchive.Certificate(
            reading: "\(folder)/\(IssuedFiles.chain)", keyFile: "\(folder)/\(IssuedFiles.key)", now: now)
        return pair.flatMap { $0.chain.covers(host) ? $0 : nil }
    }

    /// Removes the certificate of a host. The folder stays if the operator has put other files into it.
    func remove(_ host: String) { IssuedFiles.clear(folder(of: host)) }

    /// Whether the host has both files, whatever is in them.
    func isThere(_ host: String) -> Bool {
        let folder = folder(of: host)
        return [IssuedFiles.key, IssuedFiles.chain].allSatisfy { File.exists("\(folder)/\($0)") }
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
        guard let bytes = try? File.read(file, bytesMax: CertificateLimits.chainBytesMax).bytes,
            let chain = try? IssuedChain(pem: bytes)
        else { return false }
        return chain.facts.notAfter < now
    }

    private func folder(of host: String) -> String { "\(path)/\(CertificateFolder(host: host).name)" }

    private func holds(_ folder: String, _ name: String, _ bytes: [UInt8]) -> Bool {
        (try? File.read("\(folder)/\(name)", bytesMax: bytes.count + 1))?.bytes == bytes
    }
}
