// The files of a server's state: a base with everything, and a small file with what has changed since, so that saving a change is
// cheap. Both are replaced as a whole. A file that cannot be used is reported and ignored. Those of another configuration are set
// aside: they are all that is left of its last good versions.

import Association
import Catalogue
import Posix
import Settings
import Tenancy

struct StateFolder: Sendable {
    let path: String
    /// Files of another environment are not used. What they belong to otherwise is a question of their content (`isOfOther`), because
    /// the path of a configuration may change, and `config/` may be read-only.
    private let key: String
    /// What writing needs, if anything.
    private let lock: LateLock?

    static let baseName = "tenants"
    static let changesName = "tenants-changes"

    init(_ path: String, environment: String?, lock: LateLock? = nil) {
        (self.path, self.lock, key) = (path, lock, "environment \(environment ?? "none")")
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
            let file = try open(name)
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
            } else if case .otherKey = error {
                start.found = .other
            } else if !error.isMissingFile {
                start.notes.append("ignoring \(path)/\(name): \(error)")
            }
            return nil
        }
    }

    private func open(_ name: String, ofAny: Bool = false) throws(StateProblem) -> StateFile {
        do throws(StateProblem) { return try StateFile("\(path)/\(name)", key: key) } catch {
            // Earlier releases wrote the path of the configuration in front of it.
            guard case .otherKey(let known) = error, ofAny || known.hasSuffix(" \(key)") else { throw error }
            return try StateFile("\(path)/\(name)", key: known)
        }
    }

    /// Whether the state is that of another configuration: no app file on disk is known to it, and none names a host of its owner that
    /// it knows. If none names such a host, or a file that it knows may be in a folder that cannot be listed, it is this one's: that is
    /// what last good versions are for. A file that cannot be read says nothing, because any tenant can make one.
    /// Nor do published files, which are kept beside the state.
    static func isOfOther(
        _ known: AppFileIndex, _ listing: AppTree.Listing, _ tree: AppTree, _ owners: HostOwners
    ) -> Bool {
        func isPublished(_ path: String) -> Bool {
            !listing.published.isEmpty && TenantID.folder(ofApp: path).map(listing.published.contains) == true
        }
        let own = known.records.keys.lazy.filter { !isPublished($0) }
        if own.contains(where: { path in
            listing.files[path] != nil || listing.problems[path] != nil
                || listing.unlisted.contains { AppTree.isPath(path, below: $0) }
        }) {
            return false
        }
        var namesAny = false
        if own.isEmpty { return false }
        for path in listing.files.keys where !isPublished(path) {
            guard case .contents(let contents) = tree.read(path) else { continue }
            let reading = AppFile.read(AppFile.parse(contents.bytes), file: path, environment: nil)
            for host in (reading.hosts + reading.otherHosts).map(\.text) where owners.allows(host, at: path) {
                if !known.paths(naming: host).isEmpty || known.countNamingElsewhere(host) > 0 { return false }
                namesAny = true
            }
        }
        return namesAny
    }

    private static let namesWithState = [changesName, baseName]

    private static func asideName(_ number: Int) -> String { "other-\(number)." }

    /// The numbers of what was set aside, the latest last.
    private var asideNumbers: [Int] {
        let names = ((try? Directory.entries(path)) ?? []).map(\.name)
        return Set(names.filter { $0.hasPrefix("other-") }.compactMap { Int($0.dropFirst(6).prefix { $0 != "." }) })
            .sorted()
    }

    /// Gives the files other names. The base comes last: without it, the changes mean nothing.
    func setAside() throws(SystemError) {
        try lock?.claim()
        let number = (asideNumbers.last ?? 0) + 1
        for name in StateFolder.namesWithState where File.exists("\(path)/\(name)") {
            try Directory.exchange("\(path)/\(name)", "\(path)/\(StateFolder.asideName(number))\(name)")
        }
    }

    /// What was set aside, until the operator deletes it.
    /// - Parameters:
    ///   - isServed: whether a host is served now.
    ///   - knows: whether an app file, by its path, is one of this configuration.
    func others(isServed: (String) -> Bool, knows: (String) -> Bool) -> [OtherState] {
        asideNumbers.map(StateFolder.asideName).filter { File.exists("\(path)/\($0)\(StateFolder.baseName)") }.map {
            prefix in
            var index = AppFileIndex()
            for name in [StateFolder.baseName, StateFolder.changesName] {
                guard let file = try? open(prefix + name, ofAny: true), (try? file.verify(.records)) != nil,
                    let records = try? TenantRecords(file)
                else { continue }
                for (path, record) in records.apps { index.put(record, at: path) }
            }
            return OtherState(
                path: "\(path)/\(prefix)\(StateFolder.baseName)", hostCount: index.hosts.count,
                lostHosts: index.hosts.filter { !isServed($0) }.sorted(), lastGoodCount: index.notInService.count,
                isOwn: (try? open(prefix + StateFolder.baseName)) != nil && index.records.keys.contains(where: knows))
        }
    }

    /// Writes a file next to its final path, where the old one may be mapped.
    func draft(of name: String, _ records: TenantRecords, _ layer: CatalogueLayer) throws(SystemError) -> FileDraft {
        try Directory.createPrivate(path)
        try lock?.claim()
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

/// The state of another configuration or environment that a start has set aside.
public struct OtherState: Sendable, Equatable {
    /// Of its base.
    public let path: String
    let hostCount: Int
    /// Those that are not served now.
    public let lostHosts: [String]
    /// How many of its app files had a last good version in service instead of that on disk.
    let lastGoodCount: Int
    /// Whether it is of this configuration and environment, which is served again.
    let isOwn: Bool

    /// How many hosts are named.
    public static let namedMax = 5

    public init(path: String, hostCount: Int, lostHosts: [String], lastGoodCount: Int, isOwn: Bool = false) {
        (self.path, self.hostCount, self.lostHosts) = (path, hostCount, lostHosts)
        (self.lastGoodCount, self.isOwn) = (lastGoodCount, isOwn)
    }

    public var text: String {
        let more = lostHosts.count - OtherState.namedMax
        let named = lostHosts.prefix(OtherState.namedMax).joined(separator: ", ")
        let lost = lostHosts.isEmpty ? "" : ", of which \(lostHosts.count) are not served: \(named)"
        let rest = more > 0 ? " and \(more) more" : ""
        let content = "\(lastGoodCount) last good versions and the guarded entries of \(hostCount) hosts\(lost)\(rest)"
        let files = path.split(separator: "/").last?.replacing(StateFolder.baseName, with: "*") ?? ""
        if isOwn {
            return
                "\(path) is the state of this configuration, set aside by a start with another one: \(content); to use it, "
                + "stop the server, delete tenants and tenants-changes, rename \(files) to these names and start it, else delete "
                + "\(files)"
        }
        return
            "\(path) was set aside, because it is the state of another configuration or environment: \(content); if --config, "
            + "--environment or --state was wrong, stop the server, rename \(files) back and start it with the right one, else "
            + "delete \(files)"
    }
}
