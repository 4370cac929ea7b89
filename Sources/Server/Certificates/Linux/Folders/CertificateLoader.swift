// The disk side of the store: compares a folder's files with their record, and reads them if they have changed. Unchanged files are
// read only once, even if they are broken.

import Posix
import TLS

/// Reads folders below `config/hosts`. It has no lock and no state.
struct CertificateLoader: Sendable {
    private let tree: CertificateTree
    private let pool = ChainPool()

    init(_ tree: CertificateTree) { self.tree = tree }

    /// Compares a folder's files with its record, and reads them if they have changed.
    func compare(_ folder: CertificateFolder, with known: CertificateRecord?) -> CertificateRecord.Comparison {
        let files = CertificateFiles(folder, in: tree)
        guard var stamp = files.stamp() else { return .gone }
        if let known, stamp == known.stamp, !known.content.isWorthAnotherReading { return .same }
        if let refused = known?.refused, refused.stamp == stamp, let content = refused.content,
            !content.isWorthAnotherReading
        {
            return .found(stamp: stamp, content)
        }
        var wasReplaced = false
        while true {
            switch files.load(pool: pool) {
            case .absent: return .gone
            case .identity(let identity): return .found(stamp: stamp, .identity(identity))
            case .failed(let problem):
                // The files may have been replaced while they were read. Only once, because a tenant may never stop.
                guard !wasReplaced, let later = files.stamp(), later != stamp else {
                    return .found(stamp: stamp, .broken(problem))
                }
                (stamp, wasReplaced) = (later, true)
            }
        }
    }

    /// The state of a folder's files; nil if there is no certificate.
    func stamp(of folder: CertificateFolder) -> Int? { CertificateFiles(folder, in: tree).stamp() }

    /// The directories in which folders with certificates may be.
    var roots: [String] { [tree.path] + [tree.managedPath].compactMap(\.self) }

    /// Whether a folder exists, or that cannot be determined.
    func mayExist(_ folder: CertificateFolder) -> Bool {
        roots.contains { (try? Directory.isThere("\($0)/\(folder.name)")) != false }
    }

    /// Whether a folder exists; false also when `config/hosts` cannot be read.
    func exists(_ folder: CertificateFolder) -> Bool { Directory.exists("\(tree.path)/\(folder.name)") }

    /// The path of a folder's certificate, for messages.
    func path(of folder: CertificateFolder) -> String { CertificateFiles(folder, in: tree).path(0) }

    /// The folders of `config/hosts` whose certificates take precedence over those of the manager.
    func overriding() -> [CertificateFolder] {
        guard let managed = tree.managedPath, let entries = try? Directory.entries(managed) else { return [] }
        return entries.map { CertificateFolder(name: $0.name) }.filter {
            CertificateFiles($0, in: tree).overridesManaged
        }
    }
}
