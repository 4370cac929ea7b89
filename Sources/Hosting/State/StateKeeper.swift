// What outlasts the process. A start takes up what the last one knew, and every round that changes something writes that
// down before it is published: what has been live is the last good version, whatever happens to the process or to the file
// in the next moment.

import Catalogue
import Posix

/// What is kept where, and what of it is still to be written.
struct StateKeeper {
    let folder: StateFolder
    /// What sites are rendered with.
    let rendering: String
    /// That of the base in the folder; nil while there is none of ours.
    private(set) var generation: UInt64?
    /// Why the last attempt to write failed; nil when it did not.
    private(set) var failure: SystemError?
    /// What differs from the base.
    private var changed = Changed()
    /// What did when a new base was begun; nil while none is made.
    private var frozen: Changed?
    /// Whether any of it came after the last writing.
    private(set) var isDirty = false
    /// When to try again to write a base, by the monotonic clock.
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

    /// What the last process has left.
    struct Start: Sendable {
        /// What could not be used.
        var notes: [String] = []
        /// All app files as they are now; nil when they are to be listed.
        var listing: AppTree.Listing?
        /// Hosts to be made although nothing about them has changed.
        var hosts: Set<String> = []
        /// Whether sites of the last process are served.
        var hasSites = false
        /// Whether nothing but the texts is of use, because another program made the rest.
        var isForeign = false
    }

    init(folder: StateFolder, rendering: String) { (self.folder, self.rendering) = (folder, rendering) }

    /// Takes up what was known when the last process ended, while another thread lists what there is now: each takes about
    /// as long as the other.
    mutating func begin(
        _ folders: HostFolders, _ owners: HostOwners, _ memory: inout TenantMemory, _ shelf: inout SiteShelf
    ) throws(ConfigurationError) -> Start {
        let listed = Listed()
        guard
            let tree = try? AppTree(
                configPath: folders.configPath, "apps", links: folders.linkTargets, limits: folders.limits),
            let thread = try? Thread(name: "lister", { listed.list(tree) })
        else { return try restore(owners, &memory, &shelf) }
        let restored = Result { () throws(ConfigurationError) in try restore(owners, &memory, &shelf) }
        thread.join()
        var start = try restored.get()
        start.listing = listed.listing
        return start
    }

    /// Written by one thread, read by another when that has ended.
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
        guard let base = try folder.load(StateFolder.baseName, rendering: rendering, &start.notes) else { return start }
        memory.restore(base.records)
        var layers = [base.layer]
        if let changes = try folder.load(StateFolder.changesName, rendering: rendering, &start.notes),
            changes.records.generation == base.records.generation
        {
            memory.restore(changes.records)
            changed = Changed(
                apps: Set(changes.records.apps.map(\.path)), folders: Set(changes.records.folders.map(\.host)))
            layers.insert(changes.layer, at: 0)
        }
        let revoked = memory.forgetGood { !owners.allows($1, at: $0) }
        if layers.contains(where: { $0 == nil }) {
            start.isForeign = true
            memory.keepOnlyTexts()
            start.hosts = Set(memory.ledger.hosts).union(memory.ledger.hostsElsewhere)
        } else {
            generation = base.records.generation
            start.hasSites = true
            start.hosts = Set(layers.flatMap { $0?.staleHosts ?? [] })
            shelf.restore(layers.compactMap { $0 })
            shelf.revoked = revoked
        }
        start.hosts.formUnion(revoked)
        return start
    }

    // What a round changes.

    /// Notes what a round has changed.
    mutating func note(_ scan: Scan, isAnything: Bool) {
        changed.apps.formUnion(scan.candidates.keys)
        changed.apps.formUnion(scan.forgotten)
        // New marks alone are found by every start, but a base that is being made must not take them back.
        if frozen != nil { changed.apps.formUnion(scan.unchanged.keys) }
        changed.folders.formUnion(scan.folders.keys)
        if isAnything || !scan.candidates.isEmpty { isDirty = true }
    }

    /// Writes what differs from the base. To be called before a round is published, so it does no more than that.
    mutating func save(_ memory: TenantMemory, _ shelf: SiteShelf, _ report: inout RoundReport) {
        guard isDirty, let generation else { return }
        var records = TenantRecords(memory, rendering: rendering, generation: generation)
        let all = changed.union(frozen)
        for path in all.apps.sorted() { records.apps.append((path, memory.ledger[path])) }
        for host in all.folders.sorted() { records.folders.append((host, memory.folders[host])) }
        do {
            try folder.write(StateFolder.changesName, records, shelf.allChanges ?? CatalogueBuilder().finish())
            noteSuccess()
        } catch {
            failure = error
            if error.isShortage { report.unsaved = error }
        }
    }

    private mutating func noteSuccess() { (failure, isDirty) = (nil, false) }

    // A new base.

    var wantsBase: Bool { generation == nil }

    /// A full disk is not filled further at every change.
    var mayTry: Bool { Clock.monotonicMilliseconds() >= retryMilliseconds }

    /// A base is begun, which has all that has changed.
    mutating func freeze() { (frozen, changed) = (changed, Changed()) }

    /// Puts a new base in the place of the old one, in the folder and in memory.
    mutating func finish(
        _ tidying: Tidying, _ memory: inout TenantMemory, _ shelf: inout SiteShelf, _ report: inout RoundReport
    ) {
        guard tidying.putInPlace() else {
            failure = tidying.failure ?? failure
            (changed, frozen) = (changed.union(frozen), nil)
            shelf.thaw()
            retryMilliseconds = Clock.monotonicMilliseconds() + StateKeeper.retryAfterMilliseconds
            return
        }
        noteSuccess()
        (frozen, generation) = (nil, tidying.generation)
        if var mapped = tidying.mapped {
            // What is mapped need not be in memory, but for what has changed since.
            for path in changed.apps { mapped.ledger.put(memory.ledger[path], at: path) }
            for host in changed.folders { mapped.folders[host] = memory.folders[host] }
            (memory.ledger, memory.folders) = (mapped.ledger, mapped.folders)
            shelf.settle(mapped.layer.staleHosts.isEmpty ? mapped.layer : tidying.base)
        } else {
            shelf.settle(tidying.base)
        }
        // What changed meanwhile belongs to the new base.
        isDirty = true
        save(memory, shelf, &report)
    }
}
