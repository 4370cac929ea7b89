// The folder in which a server keeps what it knows from one start to the next: a base with everything, and beside it a small
// file with what has changed since, so that a change costs what it changes. Both are replaced whole and never changed.
// What is not right about them is said, and then they are done without.

import Catalogue
import Posix
import TLS

struct StateFolder: Sendable {
    let path: String
    /// Under another key the files are somebody else's.
    private let key: String

    static let baseName = "tenants"
    static let changesName = "tenants-changes"

    init(_ path: String, configPath: String, environment: String?) {
        self.path = path
        // A digest, because paths may be longer than a key.
        let config = Digest.base64(Digest.sha256(Array(Directory.absolute(configPath).utf8)))
        key = "config \(config) environment \(environment ?? "none")"
    }

    /// What a file has.
    struct Loaded {
        var records: TenantRecords
        /// Nil when it cannot be used, though the texts can: another program made it, or this one with other settings.
        var layer: CatalogueLayer?
    }

    /// Reads a file that is there; nil when there is none, or none of use. Then everything is read anew. Throws when there
    /// is no descriptor or memory to read it with.
    func load(
        _ name: String, rendering: String, _ complaints: inout [String]
    ) throws(ConfigurationError) -> Loaded? {
        do throws(StateProblem) {
            let file = try StateFile("\(path)/\(name)", key: key)
            try file.verify(.records)
            try file.verify(.texts)
            let records = try TenantRecords(file)
            if records.rendering != rendering { return Loaded(records: records, layer: nil) }
            do throws(StateProblem) {
                try file.verify(.layer)
                return Loaded(records: records, layer: try CatalogueLayer(file))
            } catch {
                complaints.append("the sites in \(path)/\(name) are made again: \(error)")
                return Loaded(records: records, layer: nil)
            }
        } catch {
            // Left aside it would be written anew, without what it remembers.
            if let shortage = error.shortage { throw ConfigurationError("\(path)/\(name)", shortage) }
            if !error.isMissingFile { complaints.append("left \(path)/\(name) aside: \(error)") }
            return nil
        }
    }

    func write(_ name: String, _ records: TenantRecords, _ layer: CatalogueLayer) throws(SystemError) {
        try draft(of: name, records, layer).putInPlace()
    }

    /// Writes a file beside its place, where it may be mapped already.
    func draft(
        of name: String, _ records: TenantRecords, _ layer: CatalogueLayer
    ) throws(SystemError) -> FileDraft {
        try Directory.create(path, permissions: 0o700)
        let (bytes, texts) = records.encoded()
        var draft: FileDraft?
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe texts.withUnsafeBytes { texts in
                do throws(SystemError) {
                    draft = unsafe try StateFile.draft(
                        of: name, in: path, key: key, layer: layer, [(.records, [bytes]), (.texts, [texts])])
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        guard let draft = draft.take() else { preconditionFailure("a draft is made, or a failure is noted") }
        return draft
    }

    /// What was written a moment ago, mapped. It was made by this process, so only its form is looked at.
    func map(path: String) throws(StateProblem) -> Loaded {
        let file = try StateFile(path, key: key)
        return Loaded(records: try TenantRecords(file), layer: try CatalogueLayer(file))
    }
}
