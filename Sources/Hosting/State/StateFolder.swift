// The files of a server's state: a base with everything, and a small file with what has changed since, so that saving a change is
// cheap. Both are replaced as a whole. A file that cannot be used is reported and ignored.

import Catalogue
import Posix
import TLS

struct StateFolder: Sendable {
    let path: String
    /// Identifies the configuration; files with another key are not used.
    private let key: String

    static let baseName = "tenants"
    static let changesName = "tenants-changes"

    init(_ path: String, configPath: String, environment: String?) {
        self.path = path
        // A digest, because a path may be longer than a key.
        let config = Digest.base64(Digest.sha256(Array(Directory.absolute(configPath).utf8)))
        key = "config \(config) environment \(environment ?? "none")"
    }

    /// The content of a file.
    struct Loaded {
        var records: TenantRecords
        /// Nil if only the texts can be used, because another program or other settings wrote the file.
        var layer: CatalogueLayer?
    }

    /// Loads a file; nil if it does not exist or cannot be used, in which case everything is read from `config/`. Throws if
    /// descriptors or memory run out.
    func load(_ name: String, rendering: String, _ start: inout StateKeeper.Start) throws(ConfigurationError) -> Loaded?
    {
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
                start.notes.append("rendering the sites in \(path)/\(name) again: \(error)")
                return Loaded(records: records, layer: nil)
            }
        } catch {
            // If it were ignored, it would be overwritten without the versions it remembers.
            if let shortage = error.shortage { throw ConfigurationError("\(path)/\(name)", shortage) }
            if case .unreadable(let error) = error, error.isRefused {
                start.refused = "\(path)/\(name)"
            } else if !error.isMissingFile {
                start.notes.append("ignoring \(path)/\(name): \(error)")
            }
            return nil
        }
    }

    /// Writes a file next to its final path, where the old one may be mapped.
    func draft(of name: String, _ records: TenantRecords, _ layer: CatalogueLayer) throws(SystemError) -> FileDraft {
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

    /// Maps a file that this process has just written, so it is not verified.
    func map(path: String) throws(StateProblem) -> Loaded {
        let file = try StateFile(path, key: key)
        return Loaded(records: try TenantRecords(file), layer: try CatalogueLayer(file))
    }
}
