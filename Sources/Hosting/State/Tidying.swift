// Making one base of everything that has changed, beside the rounds: it takes a second or two when there are a hundred thousand
// hosts, and nobody who waits for a change shall wait for it. It works on what was known when it began; what rounds change
// meanwhile lies above both the old base and the new one, in memory and on disk.

import Catalogue
import Posix

/// A base on its way. Made and finished between rounds; run on any thread.
public final class Tidying: @unchecked Sendable {
    let generation: UInt64
    private let changes: CatalogueLayer?
    private let memory: TenantMemory
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
        var folders: [String: FolderRecord] = [:]
        var layer: CatalogueLayer
    }

    /// - Parameter changes: what is above the base.
    init(_ memory: TenantMemory, _ keeper: StateKeeper?, base: CatalogueLayer, changes: CatalogueLayer?) {
        // What was written for the old base says of everything that has changed what it is now, so it holds above the new
        // one too, and a process that ends between the two loses nothing. Unless it could not be written.
        let known = keeper?.isDirty == false ? keeper?.generation : nil
        generation = known ?? UInt64.random(in: .min ... .max)
        self.base = base
        self.changes = changes
        self.memory = memory
        folder = keeper?.folder
        isFirst = keeper?.wantsBase == true
        records = TenantRecords(memory, rendering: keeper?.rendering ?? "", generation: generation)
    }

    /// Does all that takes time.
    public func run() {
        if let changes { base = changes.merged(over: base) }
        guard let folder else { return }
        for (path, record) in memory.ledger.records { records.apps.append((path, record)) }
        for (host, record) in memory.folders { records.folders.append((host, record)) }
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
        for (host, record) in loaded.records.folders { mapped.folders[host] = record }
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
