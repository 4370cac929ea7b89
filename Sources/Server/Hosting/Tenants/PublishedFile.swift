// What has become of an app file that a tenant has published, for the manager, which tells the tenant.

public import Association
import TLS
import Tenancy

public struct PublishedFile: Sendable {
    /// Begins with the tenant's folder.
    public let path: String
    /// The SHA-256 digest of the version that was read last, in hexadecimal; nil if the file is gone or unreadable.
    public let digest: String?
    public let state: State
    /// Why that version is not served.
    public let findings: [Finding]
    /// Whether an older version is served meanwhile.
    public let servesOlder: Bool

    public enum State: String, Sendable {
        case served
        /// It removes what is live, and does not retire it.
        case held
        /// It has errors, or a host cannot be served with it.
        case broken
    }

    init(_ path: String, _ record: AppRecord, _ openFindings: OpenFindings) {
        self.path = path
        state =
            switch record.state {
            case .current: .served
            case .held, .gone: .held
            case .broken, .refused: .broken
            }
        digest =
            state == .served
            ? record.good.map { PublishedFile.digest($0.text.bytes) } : openFindings.publishedDigests[path]
        findings = openFindings.files[path] ?? []
        servesOlder = state != .served && record.good != nil
    }

    static func digest(_ bytes: [UInt8]) -> String { Digest.hexadecimal(Digest.sha256(bytes)) }
}

extension Tenants {
    /// The published files after a start, or those that a round has read, and nil for others, which may have been published before.
    /// - Parameter moved: the folders that were published before the round or are now.
    func publishedFiles(_ scan: Scan, moved: Set<String>, afterStart: Bool) -> [(path: String, file: PublishedFile?)] {
        if source.publishedPath == nil { return [] }
        let all = memory.appFiles.records
        func file(_ path: String) -> PublishedFile? {
            // A folder may have been removed with all of its files.
            guard let record = all[path], source.isPublished(path) || record.state == .gone else { return nil }
            return PublishedFile(path, record, memory.openFindings)
        }
        if afterStart { return all.keys.compactMap { path in file(path).map { (path, $0) } } }
        var paths = Set(scan.candidates.keys).union(scan.unchanged.keys).union(scan.forgotten)
        // Of a folder that has been moved, the files need not be read again.
        if !moved.isEmpty {
            paths.formUnion(all.keys.lazy.filter { TenantID.folder(ofApp: $0).map(moved.contains) == true })
        }
        return paths.map { ($0, file($0)) }
    }

    /// The findings because of which whole folders of app files are not read, by path.
    public var folderFindings: [(path: String, finding: Finding)] { memory.openFindings.appFolders.all }
}
