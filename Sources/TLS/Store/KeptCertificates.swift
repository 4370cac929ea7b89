// Copies of certificates that are in service although their files cannot be used any more or are gone, so that a restart does not
// end TLS for their hosts. A copy is removed when the host has usable files again or is served no more.

import Posix
import Synchronization

/// A folder of the state directory, with subfolders as in `config/hosts`.
final class KeptCertificates: Sendable {
    private let path: String
    private let pool = ChainPool()
    private let state: Mutex<State>

    private struct State {
        /// The fingerprints of the copied certificates, by folder; empty for a copy of an earlier process.
        var copies: [String: [[UInt8]]]
        /// Folders whose certificate could not be copied.
        var failures: [String: SystemError] = [:]
    }

    /// Certificates that are lost together, for example with their file system, are not all copied.
    private static let countMax = 1_000

    init(_ path: String) {
        self.path = path
        let names = ((try? Directory.entries(path)) ?? []).map(\.name)
        state = Mutex(State(copies: Dictionary(uniqueKeysWithValues: names.map { ($0, []) })))
    }

    /// Why a certificate could not be copied; nil if all could.
    var problem: SystemError? { state.withLock { $0.failures.values.first } }

    func has(_ folder: CertificateFolder) -> Bool { state.withLock { $0.copies[folder.name] != nil } }

    /// Nil also if the copy is damaged: then the host is as without one.
    func identity(of folder: CertificateFolder) -> ServerIdentity? {
        guard has(folder),
            case .identity(let identity) = CertificateFiles(folder, in: CertificateTree(path, links: .none)).load(
                pool: pool)
        else { return nil }
        return identity
    }

    /// Makes a copy, unless there is one of this certificate. If that fails, the next survey of the folder tries again.
    func keep(_ identity: ServerIdentity, of folder: CertificateFolder) {
        let prints = identity.facts.map(\.fingerprint)
        let isThere = state.withLock { state in
            state.copies[folder.name].map { $0 == prints } ?? (state.copies.count >= KeptCertificates.countMax)
        }
        if isThere { return }
        let place = "\(path)/\(folder.name)"
        // An older copy must not be served after a failure.
        delete(folder.name)
        do throws(SystemError) {
            try Directory.create(place, permissions: 0o700)
            for (pair, index) in zip(identity.pairs, [0, 2]) {
                try pair.write(
                    to: place, certificateFile: CertificateFiles.names[index],
                    keyFile: CertificateFiles.names[index + 1])
            }
            state.withLock { ($0.copies[folder.name], $0.failures[folder.name]) = (prints, nil) }
        } catch {
            delete(folder.name)
            state.withLock { ($0.copies[folder.name], $0.failures[folder.name]) = (nil, error) }
        }
    }

    func remove(_ folder: CertificateFolder) {
        let hadCopy = state.withLock { state in
            state.failures[folder.name] = nil
            return state.copies.removeValue(forKey: folder.name) != nil
        }
        if hadCopy { delete(folder.name) }
    }

    /// Removes the copies of all folders but these.
    func removeAll(except isNeeded: (String) -> Bool) {
        let names = state.withLock { Set($0.copies.keys).union($0.failures.keys) }
        for name in names where !isNeeded(name) { remove(CertificateFolder(name: name)) }
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
        let isWritten: Void? = try unsafe key.withPEM { (bytes) throws(SystemError) in
            try unsafe FileDraft.write(keyFile, in: folder, [bytes], permissions: 0o600).putInPlace()
        }
        if isWritten == nil { throw .exhausted("PEM_write_bio_PrivateKey") }
    }
}
