// What outlasts the process. A start takes up what the last one knew, and every round that changes something writes that
// down before it is published: what has been live is the last good version, whatever happens to the process or to the file
// in the next moment.

import Catalogue
import Posix

extension Tenants {
    /// What is kept where, and what of it is still to be written.
    struct Keeping {
        var folder: StateFolder
        static let retryAfterMilliseconds: Int64 = 60_000

        /// What sites are rendered with.
        var rendering: String
        /// That of the base in the folder; nil while there is none of ours.
        var generation: UInt64?
        /// What differs from the base.
        var changedApps: Set<String> = []
        var changedFolders: Set<String> = []
        /// What did when a new base was begun.
        private var frozenApps: Set<String> = []
        private var frozenFolders: Set<String> = []
        /// Whether any of it came after the last writing.
        var isDirty = false
        /// Why the last attempt to write failed, which has been said; nil when it did not.
        var failure: SystemError?
        /// When to try again to write a base, by the monotonic clock.
        var retryMilliseconds: Int64 = 0

        init(folder: StateFolder, rendering: String) {
            self.folder = folder
            self.rendering = rendering
        }

        /// What differs from the base in the folder.
        var allChangedApps: Set<String> { changedApps.union(frozenApps) }
        var allChangedFolders: Set<String> { changedFolders.union(frozenFolders) }

        /// A base is begun, which has all that has changed.
        mutating func freeze() {
            (frozenApps, changedApps) = (changedApps, [])
            (frozenFolders, changedFolders) = (changedFolders, [])
        }

        /// It came to nothing.
        mutating func thaw() {
            (changedApps, frozenApps) = (allChangedApps, [])
            (changedFolders, frozenFolders) = (allChangedFolders, [])
        }

        /// It is in the folder, and what changed meanwhile is to be written anew.
        mutating func settle(_ generation: UInt64) {
            (frozenApps, frozenFolders) = ([], [])
            self.generation = generation
            isDirty = true
        }
    }

    /// Takes up what was known when the last process ended, while another thread lists what there is now: each takes about
    /// as long as the other. Says what could not be used.
    func start() throws(ConfigurationError) -> (complaints: [String], listing: AppTree.Listing?) {
        let listed = Listed()
        guard keeping != nil,
            let tree = try? AppTree(
                configPath: configPath, "apps", links: folders.linkTargets, limits: folders.limits),
            let thread = try? Thread(name: "lister", { _ = tree.list([""], into: &listed.listing) })
        else { return (try restore(), nil) }
        let restored = Result { () throws(ConfigurationError) in try restore() }
        thread.join()
        return (try restored.get(), listed.listing)
    }

    /// Written by one thread, read by another when that has ended.
    private final class Listed: @unchecked Sendable {
        var listing = AppTree.Listing()
    }

    private func restore() throws(ConfigurationError) -> [String] {
        guard let keeping else { return [] }
        var complaints: [String] = []
        let rendering = keeping.rendering
        guard let base = try keeping.folder.load(StateFolder.baseName, rendering: rendering, &complaints) else {
            return complaints
        }
        var layers = [base.layer].compactMap { $0 }
        var former = base.isFormer ? [base.file] : []
        take(base.records)
        if let changes = try keeping.folder.load(StateFolder.changesName, rendering: rendering, &complaints),
            changes.records.generation == base.records.generation
        {
            take(changes.records)
            self.keeping?.changedApps = Set(changes.records.apps.map(\.path))
            self.keeping?.changedFolders = Set(changes.records.folders.map(\.host))
            if let layer = changes.layer { layers.insert(layer, at: 0) } else { layers = [] }
            if changes.isFormer { former.insert(changes.file, at: 0) } else { former = [] }
        }
        if layers.isEmpty || base.layer == nil {
            // The texts are of use without the sites, which are all made again.
            unrendered = Set(ledger.hosts).union(folderRecords.keys).union(ledger.hostsElsewhere)
            if !former.isEmpty { self.former = FormerSites(former, hosts: unrendered) }
        } else {
            self.keeping?.generation = base.records.generation
            unrendered = Set(layers.flatMap(\.staleHosts))
            shelf.restore(layers)
        }
        return complaints
    }

    func take(_ records: TenantRecords) {
        ledger.reserve(records.apps.count)
        knowsFolders = true
        for (path, record) in records.apps { ledger.put(record, at: path) }
        for (host, record) in records.folders { folderRecords[host] = record }
        stale = records.stale
        signed = records.signed
        hostLesser = records.hostLesser
    }

    /// Writes what the round has changed; the base where there is none. To be called before the round is published, so it
    /// does no more than that.
    func keepChanges(_ report: inout RoundReport) {
        guard let keeping, keeping.isDirty, keeping.generation != nil else { return }
        let layer = shelf.allChanges ?? CatalogueBuilder().finish()
        var records = TenantRecords()
        records.generation = keeping.generation ?? 0
        for path in keeping.allChangedApps.sorted() { records.apps.append((path, ledger[path])) }
        for host in keeping.allChangedFolders.sorted() { records.folders.append((host, folderRecords[host])) }
        write(StateFolder.changesName, records, layer, &report)
    }

    private func write(
        _ name: String, _ given: TenantRecords, _ layer: CatalogueLayer, _ report: inout RoundReport
    ) {
        guard let keeping else { return }
        var records = given
        (records.rendering, records.stale, records.signed) = (keeping.rendering, troubledHosts, signed)
        records.hostLesser = hostLesser
        do {
            try keeping.folder.write(name, records, layer)
            noteSuccess(&report)
        } catch {
            noteFailure(error, name, &report)
            if error.isShortage {
                var postponement = report.postponed ?? Postponement(reason: error)
                postponement.changes.records = true
                report.postponed = postponement
            }
        }
    }

    func noteSuccess(_ report: inout RoundReport) {
        guard let keeping else { return }
        if keeping.failure != nil { report.notes.append("writes to \(keeping.folder.path) again") }
        self.keeping?.failure = nil
        self.keeping?.isDirty = false
    }

    /// Says so once.
    func noteFailure(_ error: SystemError, _ name: String, _ report: inout RoundReport) {
        guard let keeping else { return }
        if keeping.failure == nil {
            report.notes.append(
                "cannot write \(keeping.folder.path)/\(name): \(error.reason); what was good is remembered until this "
                    + "process ends, and no longer")
        }
        self.keeping?.failure = error
    }
}
