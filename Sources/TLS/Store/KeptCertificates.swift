// Copies of certificates that are in service although their files cannot be used any more, so that a restart does not end TLS for
// their hosts. A copy is removed when the host has usable files again, or none, and never made of a key that a passphrase protects.

import Posix
import Synchronization

/// A folder of the state directory, with subfolders as in `config/hosts`.
final class KeptCertificates: Sendable {
    private let path: String
    private let pool = ChainPool()
    /// The folders that have a copy.
    private let names: Mutex<Set<String>>

    init(_ path: String) {
        self.path = path
        names = Mutex(Set(((try? Directory.entries(path)) ?? []).map(\.name)))
    }

    func has(_ folder: CertificateFolder) -> Bool { names.withLock { $0.contains(folder.name) } }

    /// Nil also if the copy is damaged: then the host is as without one.
    func identity(of folder: CertificateFolder) -> ServerIdentity? {
        guard has(folder),
            case .identity(let identity) = CertificateFiles(folder, in: CertificateTree(path, links: .none))
                .load(passphrase: nil, pool: pool, .slow)
        else { return nil }
        return identity
    }

    /// Makes a copy, unless there is one. Without room on the disk there is none until it is tried again.
    func keep(_ identity: ServerIdentity, of folder: CertificateFolder) {
        if has(folder) { return }
        let place = "\(path)/\(folder.name)"
        do throws(SystemError) {
            try Directory.create(place, permissions: 0o700)
            for (pair, index) in zip(identity.pairs, [0, 2]) {
                try pair.write(
                    to: place, certificateFile: CertificateFiles.names[index],
                    keyFile: CertificateFiles.names[index + 1])
            }
            names.withLock { _ = $0.insert(folder.name) }
        } catch {
            delete(folder.name)
        }
    }

    func remove(_ folder: CertificateFolder) {
        if names.withLock({ $0.remove(folder.name) }) != nil { delete(folder.name) }
    }

    /// Removes the copies of all folders but these.
    func removeAll(except isNeeded: (String) -> Bool) {
        for name in names.withLock({ $0 }) where !isNeeded(name) { remove(CertificateFolder(name: name)) }
    }

    private func delete(_ name: String) {
        for file in CertificateFiles.names { File.remove("\(path)/\(name)/\(file)") }
        Directory.remove("\(path)/\(name)")
    }
}

extension Credentials {
    fileprivate func write(
        to folder: String, certificateFile: String, keyFile: String
    ) throws(SystemError) {
        var certificates = certificate.pem
        for index in 0..<(chain?.count ?? 0) { certificates += chain?.certificate(index).pem ?? [] }
        try unsafe certificates.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try unsafe FileDraft.write(certificateFile, in: folder, [bytes], permissions: 0o600).putInPlace()
        }
        try unsafe key.withPEM { (bytes) throws(SystemError) in
            try unsafe FileDraft.write(keyFile, in: folder, [bytes], permissions: 0o600).putInPlace()
        }
    }
}
