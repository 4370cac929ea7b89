// Merges the base and all changes into a new base, on another thread than the rounds: with 100,000 hosts it takes a second or
// two, and no change should wait for it. It works on the state of its beginning; later changes are layered above both the old and
// the new base, in memory and on disk.

import Catalogue
import Posix

/// A new base that is being made. Created and finished between rounds; runs on any thread.
public final class Compaction: @unchecked Sendable {
    let generation: UInt64
    private let changes: CatalogueLayer?
    private let memory: TenantMemory
    private let folder: StateFolder?
    private var records = TenantRecords()

    private(set) var base: CatalogueLayer
    private(set) var failure: SystemError?
    private(set) var mapped: Mapped?
    private var draft: FileDraft?
    /// Whether there is no base yet. The first one is put in place at once, even if the process is about to exit.
    private let isFirst: Bool
    private var isInPlace = false

    /// The state as read from the new file, so that the texts need not stay in memory.
    struct Mapped {
        var appFiles: AppFileIndex
        var folders: [String: FolderRecord]
        let layer: CatalogueLayer
    }

    /// - Parameter changes: the layer above the base.
    init(_ memory: TenantMemory, _ keeper: StateKeeper?, base: CatalogueLayer, changes: CatalogueLayer?) {
        // The changes file on disk has the present value of everything that has changed, so it is valid above the new base too,
        // and a process that exits between writing the two loses nothing. If the last save failed, the file gets a new generation
        // instead.
        let known = keeper?.isDirty == false ? keeper?.generation : nil
        generation = known ?? UInt64.random(in: .min ... .max)
        (self.base, self.changes, self.memory) = (base, changes, memory)
        folder = keeper?.folder
        isFirst = keeper?.wantsBase == true
        records = TenantRecords(memory, rendering: keeper?.rendering ?? "", generation: generation)
    }

    /// The slow part.
    public func run() {
        if let changes { base = changes.merged(over: base) }
        guard let folder else { return }
        for (path, record) in memory.appFiles.records { records.apps.append((path, record)) }
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
        var memory = TenantMemory()
        memory.restore(loaded.records)
        mapped = Mapped(appFiles: memory.appFiles, folders: memory.folders, layer: layer)
    }

    /// Moves the file into place; returns false and sets `failure` if that fails.
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
