// Copies of certificates that are in service although their files cannot be used any more or are gone, so that a restart does not
// end TLS for their hosts. A copy is removed when the host has usable files again or is served no more. Certificates that are lost
// together, for example with their file system, are not all copied: tenants share the room for copies.

import Posix
import Synchronization
import TLS
import Tenancy

/// A folder of the state directory, with subfolders as in `config/hosts`.
final class KeptCertificates: Sendable {
    private let path: String
    /// What writing needs, if anything.
    private let lock: LateLock?
    private let tenant: @Sendable (CertificateFolder) -> TenantID
    private let pool = ChainPool()
    private let state: Mutex<State>

    private struct State {
        /// The folders with a copy.
        var room: FairShare<String>
        /// Where a folder is in the room, and the fingerprint of the copied certificate; empty for a copy of an earlier process.
        var copies: [String: (place: Int, print: [UInt8])] = [:]
        /// Folders whose certificate could not be copied.
        var failures: [String: SystemError] = [:]

        /// Returns the folders whose copy must go.
        mutating func put(_ name: String, _ print: [UInt8], of tenant: TenantID, _ byteCount: Int) -> [String] {
            _ = remove(name)
            let (place, lost) = room.insert(name, of: tenant, size: 1 + byteCount / KeptCertificates.unitBytes)
            for name in lost { copies[name] = nil }
            guard let place else { return lost + [name] }
            copies[name] = (place, print)
            return lost
        }

        mutating func remove(_ name: String) -> Bool {
            guard let known = copies.removeValue(forKey: name) else { return false }
            room.remove(at: known.place)
            return true
        }
    }

    /// What a copy counts at least; usual ones have 5 to 10 KB.
    private static let unitBytes = 16 * 1024

    /// - Parameters:
    ///   - roomMax: how many copies there may be, or how many times 16 KiB.
    ///   - tenant: whose a folder is.
    init(
        _ path: String, roomMax: Int, lock: LateLock? = nil, tenant: @escaping @Sendable (CertificateFolder) -> TenantID
    ) {
        (self.path, self.lock, self.tenant) = (path, lock, tenant)
        var found = State(room: FairShare(room: roomMax, losing: .newest))
        for name in ((try? Directory.entries(path)) ?? []).map(\.name).sorted() {
            let sizes = CertificateFiles.names.compactMap { try? File.status("\(path)/\(name)/\($0)").byteCount }
            let lost = found.put(name, [], of: tenant(CertificateFolder(name: name)), sizes.reduce(0) { $0 + Int($1) })
            for name in lost { KeptCertificates.delete(name, in: path, lock) }
        }
        state = Mutex(found)
    }

    /// Why a certificate could not be copied; nil if all could.
    var problem: SystemError? { state.withLock { $0.failures.values.first } }

    var names: [String] { state.withLock { Array($0.copies.keys) } }

    func has(_ folder: CertificateFolder) -> Bool { state.withLock { $0.copies[folder.name] != nil } }

    /// Nil also if the copy is damaged: then the host is as without one.
    func identity(of folder: CertificateFolder) -> ServerIdentity? {
        guard has(folder),
            case .identity(let identity) = CertificateFiles(folder, in: CertificateTree(path, links: .none)).load(
                pool: pool)
        else { return nil }
        return identity
    }

    /// Makes a copy, unless there is one of this certificate, or its tenant has more than its share. If that fails, the next survey of
    /// the folder tries again.
    func keep(_ identity: ServerIdentity, of folder: CertificateFolder) {
        let print = identity.facts.fingerprint
        let tenant = tenant(folder)
        let lost = state.withLock { state in
            state.copies[folder.name]?.print == print
                ? nil : state.put(folder.name, print, of: tenant, identity.fileByteCount)
        }
        guard let lost else { return }
        let place = "\(path)/\(folder.name)"
        // An older copy must not be served after a failure.
        for name in lost + [folder.name] { KeptCertificates.delete(name, in: path, lock) }
        if lost.contains(folder.name) { return }
        do throws(SystemError) {
            try lock?.claim()
            try Directory.create(place, permissions: 0o700)
            try identity.write(to: place)
            state.withLock { $0.failures[folder.name] = nil }
        } catch {
            KeptCertificates.delete(folder.name, in: path, lock)
            state.withLock { state in
                _ = state.remove(folder.name)
                state.failures[folder.name] = error
            }
        }
    }

    func remove(_ folder: CertificateFolder) {
        let hadCopy = state.withLock { state in
            state.failures[folder.name] = nil
            return state.remove(folder.name)
        }
        if hadCopy { KeptCertificates.delete(folder.name, in: path, lock) }
    }

    /// Removes the copies of all folders but these.
    func removeAll(except isNeeded: (String) -> Bool) {
        let names = state.withLock { Set($0.copies.keys).union($0.failures.keys) }
        for name in names where !isNeeded(name) { remove(CertificateFolder(name: name)) }
    }

    private static func delete(_ name: String, in path: String, _ lock: LateLock?) {
        if let lock, (try? lock.claim()) == nil { return }
        for file in CertificateFiles.names { File.remove("\(path)/\(name)/\(file)") }
        Directory.remove("\(path)/\(name)")
    }
}

extension ServerIdentity {
    /// About what its files take in PEM form.
    fileprivate var fileByteCount: Int {
        let chain = (0..<(chain?.count ?? 0)).reduce(0) { $0 + (self.chain?.certificate($1).byteCount ?? 0) }
        return (certificate.byteCount + chain) / 3 * 4 + 4_096
    }

    fileprivate func write(to folder: String) throws(SystemError) {
        var certificates = certificate.pem
        for index in 0..<(chain?.count ?? 0) { certificates += chain?.certificate(index).pem ?? [] }
        try unsafe certificates.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try unsafe FileDraft.write(CertificateFiles.names[0], in: folder, [bytes], permissions: 0o600).putInPlace()
        }
        let isWritten: Void? = try unsafe key.withPEM { (bytes) throws(SystemError) in
            try unsafe FileDraft.write(CertificateFiles.names[1], in: folder, [bytes], permissions: 0o600).putInPlace()
        }
        if isWritten == nil { throw .exhausted("PEM_write_bio_PrivateKey") }
    }
}
