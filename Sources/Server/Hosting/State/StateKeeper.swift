// Saves and restores the state. A start restores what the previous process knew; a round that changes something saves it before
// it is published, so a version that was live is never lost.

import Catalogue
import Posix
import Settings

/// What has been saved, and what has not.
struct StateKeeper {
    let folder: StateFolder
    /// The file that nothing replaces: the server's user may not read it, and a start with the right permissions can use its last good
    /// versions, or it is of another configuration and cannot be set aside.
    private(set) var protected: (file: String, isOfOther: Bool)?
    /// Identifies the program and settings that sites are rendered with.
    let rendering: String
    /// The generation of the base on disk; nil if there is none that this process can extend.
    private(set) var generation: UInt64?
    /// Why the last attempt to save failed; nil if it succeeded.
    private(set) var failure: SystemError?
    /// What differs from the base.
    private var changed = Changed()
    /// What differed from the old base when the running compaction began.
    private var compacting: Changed?
    /// Whether anything has changed since the last save.
    private(set) var isDirty = false
    /// When a compaction may be tried again, by the monotonic clock.
    private var retryMilliseconds: Int64 = 0

    private static let retryAfterMilliseconds: Int64 = 60_000

    private struct Changed {
        var apps: Set<String> = []
        var folders: Set<String> = []

        func union(_ other: Changed?) -> Changed {
            guard let other else { return self }
            return Changed(apps: apps.union(other.apps), folders: folders.union(other.folders))
        }
    }

    /// What a start found in the state directory.
    struct Start: Sendable {
        /// Why a file could not be used.
        var notes: [String] = []
        /// A file that the server's user may not read.
        var refused: String?
        var found = Found.nothing
        /// All app files on disk; nil if they have not been listed.
        var listing: AppTree.Listing?
        /// Hosts to render although their files have not changed.
        var hosts: Set<String> = []
    }

    enum Found: Sendable {
        case nothing
        /// Sites of the previous process, which are served.
        case sites
        /// Another program version wrote it, so only the texts can be used.
        case texts
        /// It is of another configuration or environment, and not used.
        case other
    }

    init(folder: StateFolder, rendering: String) { (self.folder, self.rendering) = (folder, rendering) }

    /// Restores the state while another thread lists the app files; both take about equally long.
    mutating func begin(
        _ folders: HostFolders, _ owners: HostOwners, _ memory: inout TenantMemory, _ shelf: inout SiteShelf
    ) throws(ConfigurationError) -> Start {
        let listed = Listed()
        let before = (self, memory, shelf)
        guard let tree = try? AppTree(folders), let thread = try? Thread(name: "lister", { listed.list(tree) }) else {
            return try restore(owners, &memory, &shelf)
        }
        let restored = Result { () throws(ConfigurationError) in try restore(owners, &memory, &shelf) }
        thread.join()
        var start = try restored.get()
        start.listing = listed.listing
        if let listing = listed.listing, start.found != .other,
            StateFolder.isOfOther(memory.appFiles, listing, tree, owners)
        {
            (self, memory, shelf) = before
            start = Start(found: .other, listing: listing)
        }
        return start
    }

    /// Makes room for the state of this configuration.
    mutating func setAside() {
        do throws(SystemError) { try folder.setAside() } catch {
            (protected, failure) = (("\(folder.path)/\(StateFolder.baseName)", true), error)
        }
    }

    /// Written by one thread and read by another after the first has ended.
    private final class Listed: @unchecked Sendable {
        private(set) var listing: AppTree.Listing?

        func list(_ tree: AppTree) {
            var listing = AppTree.Listing()
            if (try? tree.list([""], into: &listing)) != nil { self.listing = listing }
        }
    }

    private mutating func restore(
        _ owners: HostOwners, _ memory: inout TenantMemory, _ shelf: inout SiteShelf
    ) throws(ConfigurationError) -> Start {
        var start = Start()
        defer { if let file = start.refused { (protected, failure) = ((file, false), .refused("open")) } }
        guard let base = try folder.load(StateFolder.baseName, rendering: rendering, &start) else { return start }
        memory.restore(base.records)
        var layers = [base.layer]
        if let changes = try folder.load(StateFolder.changesName, rendering: rendering, &start),
            changes.records.generation == base.records.generation
        {
            memory.restore(changes.records)
            changed = Changed(
                apps: Set(changes.records.apps.map(\.path)), folders: Set(changes.records.folders.map(\.host)))
            layers.insert(changes.layer, at: 0)
        }
        let revoked = memory.forgetGood { !owners.allows($1, at: $0) }
        if layers.contains(where: { $0 == nil }) {
            start.found = .texts
            memory.keepOnlyTexts()
            start.hosts = Set(memory.appFiles.hosts).union(memory.appFiles.hostsElsewhere)
        } else {
            generation = base.records.generation
            start.found = .sites
            start.hosts = Set(layers.flatMap { $0?.staleHosts ?? [] })
            shelf.restore(layers.compactMap { $0 })
            shelf.revoked = revoked
        }
        start.hosts.formUnion(revoked)
        return start
    }

    /// Notes what a round has changed.
    mutating func note(_ scan: Scan, isAnything: Bool) {
        changed.apps.formUnion(scan.candidates.keys)
        changed.apps.formUnion(scan.forgotten)
        // A start finds new marks by itself, but a compaction must not restore the old ones.
        if compacting != nil { changed.apps.formUnion(scan.unchanged.keys) }
        changed.folders.formUnion(scan.folders.keys)
        if isAnything || !scan.candidates.isEmpty { isDirty = true }
    }

    /// Saves what differs from the base. The round is published only after this.
    mutating func save(_ memory: TenantMemory, _ shelf: SiteShelf) {
        guard isDirty, protected == nil, let generation else { return }
        var records = TenantRecords(memory, rendering: rendering, generation: generation)
        let all = changed.union(compacting)
        for path in all.apps.sorted() { records.apps.append((path, memory.appFiles[path])) }
        for host in all.folders.sorted() { records.folders.append((host, memory.folders[host])) }
        do {
            let layer = shelf.allChanges ?? CatalogueBuilder().finish()
            try folder.draft(of: StateFolder.changesName, records, layer).putInPlace()
            (failure, isDirty) = (nil, false)
        } catch {
            failure = error
        }
    }

    var wantsBase: Bool { generation == nil }

    /// A full disk is not tried at every change.
    var mayTry: Bool { protected == nil && Clock.monotonicMilliseconds() >= retryMilliseconds }

    /// A compaction begins; it contains all changes so far.
    mutating func beginCompaction() { (compacting, changed) = (changed, Changed()) }

    /// Replaces the base with the new one, on disk and in memory.
    mutating func finishCompaction(
        _ compaction: Compaction, _ memory: inout TenantMemory, _ shelf: inout SiteShelf
    ) {
        guard compaction.putInPlace() else {
            failure = compaction.failure ?? failure
            (changed, compacting) = (changed.union(compacting), nil)
            shelf.abortCompaction()
            retryMilliseconds = Clock.monotonicMilliseconds() + StateKeeper.retryAfterMilliseconds
            return
        }
        (failure, compacting, generation) = (nil, nil, compaction.generation)
        if var mapped = compaction.mapped {
            // Texts that are mapped need not stay in memory, except those that have changed since.
            for path in changed.apps { mapped.appFiles.put(memory.appFiles[path], at: path) }
            for host in changed.folders { mapped.folders[host] = memory.folders[host] }
            (memory.appFiles, memory.folders) = (mapped.appFiles, mapped.folders)
            shelf.finishCompaction(mapped.layer.staleHosts.isEmpty ? mapped.layer : compaction.base)
        } else {
            shelf.finishCompaction(compaction.base)
        }
        // Changes during the compaction now belong to the new base.
        isDirty = true
        save(memory, shelf)
    }
}
