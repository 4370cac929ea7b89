// Folders below `config/apps` that cannot be looked into. That is no file's fault and does not outlast its cause, so it is kept
// beside what is known of files, and only while the process lives: a start finds it out by itself.

import Association

extension Tenants {
    /// Notes which folders could not be looked into. What is in them stays as it is.
    func noteFolders(
        of listing: AppTree.Listing, below roots: some Collection<String>, _ changes: TreeChanges, _ round: inout Round
    ) {
        let former = treeTroubles
        treeTroubles = former.filter { folder, _ in !roots.contains { $0 == folder || isPath(folder, below: $0) } }
        for (folder, finding) in listing.folderProblems.sorted(by: { $0.key < $1.key }) {
            treeTroubles[folder] = finding
            if changes.again || former[folder] != finding { round.appFindings.append(finding, at: folder) }
        }
    }

    /// Whether a path is in a folder that has more than its share, so that nothing of it takes effect.
    func isOverShare(_ path: String) -> Bool {
        if treeTroubles.isEmpty { return false }
        return [AppTree.topFolder(of: path) ?? "", ""].contains { treeTroubles[$0]?.rule == "CFG-010" }
    }

    /// The folders to be listed: beside those that may have changed, those where an app file has come, because it may be one too
    /// many, and those that have too many, because there may be fewer.
    func foldersToList(_ changes: TreeChanges) -> Set<String> {
        let arrived = changes.appFiles.filter { ledger[$0] == nil || isOverShare($0) }
        return changes.appFolders.union(arrived.compactMap(AppTree.topFolder))
    }

    /// The files with a last good version in folders that cannot be looked into.
    var unreadFiles: [String] {
        if treeTroubles.isEmpty { return [] }
        return ledger.records.filter { path, record in
            record.good != nil && AppTree.isPath(path) { treeTroubles[$0] != nil }
        }.map(\.key).sorted()
    }
}
