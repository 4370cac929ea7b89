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
            if changes.again || former[folder] != finding { round.findings.append(finding) }
        }
    }

    /// The files with a last good version in folders that cannot be looked into.
    var unreadFiles: [String] {
        if treeTroubles.isEmpty { return [] }
        return ledger.records.filter { path, record in
            record.good != nil && treeTroubles.keys.contains { isPath(path, below: $0) }
        }.map(\.key).sorted()
    }
}
