// Making one base of everything that has changed, beside the rounds: it takes a second or two when there are a hundred thousand
// hosts, and nobody who waits for a change shall wait for it. It works on what was known when it began; what rounds change
// meanwhile lies above both the old base and the new one, in memory and on disk.

import Catalogue
import Posix

/// A base on its way. Made and finished between rounds; run on any thread.
public final class Tidying: @unchecked Sendable {
    let generation: UInt64
    private let changes: CatalogueLayer?
    private let ledger: Ledger
    private let folderRecords: [String: FolderRecord]
    private let folder: StateFolder?
    private var records = TenantRecords()

    /// What came of it.
    private(set) var base: CatalogueLayer
    private(set) var failure: SystemError?
    private(set) var mapped: Mapped?
    private var draft: FileDraft?
    /// No base is there that anything written later could belong to, so this one need not wait for a round's end, nor for
    /// a process that is about to.
    private let isFirst: Bool
    private var isInPlace = false

    /// What is known, read from the file: so that the same texts need not be in memory as well.
    struct Mapped {
        var ledger = Ledger()
        var folderRecords: [String: FolderRecord] = [:]
        var layer: CatalogueLayer
    }

    /// - Parameter changes: what is above the base.
    init(_ tenants: Tenants, base: CatalogueLayer, changes: CatalogueLayer?) {
        let keeping = tenants.keeping
        // What was written for the old base says of everything that has changed what it is now, so it holds above the new
        // one too, and a process that ends between the two loses nothing. Unless it could not be written.
        let known = keeping?.isDirty == false ? keeping?.generation : nil
        generation = known ?? UInt64.random(in: .min ... .max)
        self.base = base
        self.changes = changes
        ledger = tenants.ledger
        folderRecords = tenants.folderRecords
        folder = keeping?.folder
        isFirst = keeping?.generation == nil
        (records.rendering, records.generation) = (keeping?.rendering ?? "", generation)
        (records.stale, records.signed) = (tenants.troubledHosts, tenants.signed)
        records.hostLesser = tenants.hostLesser
    }

    /// Does all that takes time.
    public func run() {
        if let changes { base = changes.merged(over: base) }
        guard let folder else { return }
        for (path, record) in ledger.records { records.apps.append((path, record)) }
        for (host, record) in folderRecords { records.folders.append((host, record)) }
        do throws(SystemError) {
            let draft = try folder.draft(of: StateFolder.baseName, records, base)
            records = TenantRecords()
            map(draft.path, folder)
            self.draft = consume draft
        } catch {
            failure = error
        }
        if isFirst { _ = putInPlace() }
    }

    private func map(_ path: String, _ folder: StateFolder) {
        guard let loaded = try? folder.map(path: path), let layer = loaded.layer else { return }
        var mapped = Mapped(layer: layer)
        mapped.ledger.reserve(loaded.records.apps.count)
        for (path, record) in loaded.records.apps { mapped.ledger.put(record, at: path) }
        for (host, record) in loaded.records.folders { mapped.folderRecords[host] = record }
        self.mapped = mapped
    }

    /// Puts the file into service; false, with the failure set, when that cannot be done.
    func putInPlace() -> Bool {
        guard !isInPlace, let draft = draft.take() else { return isInPlace }
        do {
            try draft.putInPlace()
            isInPlace = true
        } catch {
            failure = error
        }
        return isInPlace
    }
}

extension Tenants {
    /// What is to be tidied up, when there is no base yet or the changes have become many. To be finished, by `finish`.
    public func tidying() -> Tidying? {
        guard !isTidying, let base = shelf.base, shelf.wantsMerging || wantsBase, mayTry else { return nil }
        isTidying = true
        let tidying = Tidying(self, base: base, changes: shelf.changes)
        shelf.freeze()
        keeping?.freeze()
        return tidying
    }

    /// Takes up what was made, and says what is to be said.
    public func finish(_ tidying: Tidying) -> RoundReport {
        isTidying = false
        var report = RoundReport()
        if keeping == nil { shelf.settle(tidying.base) } else { keep(tidying, &report) }
        report.catalogue = shelf.catalogue
        return report
    }

    /// All of it at once.
    public func tidy() -> RoundReport? {
        guard let tidying = tidying() else { return nil }
        tidying.run()
        return finish(tidying)
    }

    private var wantsBase: Bool { keeping.map { $0.generation == nil } ?? false }

    /// A full disk is not filled further at every change.
    private var mayTry: Bool { keeping.map { Clock.monotonicMilliseconds() >= $0.retryMilliseconds } ?? true }

    private func keep(_ tidying: Tidying, _ report: inout RoundReport) {
        guard tidying.putInPlace() else {
            if let failure = tidying.failure { noteFailure(failure, StateFolder.baseName, &report) }
            keeping?.thaw()
            shelf.thaw()
            keeping?.retryMilliseconds = Clock.monotonicMilliseconds() + Keeping.retryAfterMilliseconds
            return
        }
        noteSuccess(&report)
        keeping?.settle(tidying.generation)
        takeUp(tidying)
        keepChanges(&report)
    }

    /// Puts what is mapped in the place of the same in memory, but for what has changed since.
    private func takeUp(_ tidying: Tidying) {
        guard var mapped = tidying.mapped, let keeping else { return shelf.settle(tidying.base) }
        for path in keeping.changedApps { mapped.ledger.put(ledger[path], at: path) }
        for host in keeping.changedFolders { mapped.folderRecords[host] = folderRecords[host] }
        ledger = mapped.ledger
        folderRecords = mapped.folderRecords
        shelf.settle(mapped.layer.staleHosts.isEmpty ? mapped.layer : tidying.base)
    }
}
