// What the removal guard of a server will say about a change, by the rule that the server uses. Only the server knows how long an
// entry has been live and whether it was fetched, so it may release what is held here.

import Association

/// An app file whose change removes entries that are live.
struct HeldRemoval {
    var file: String
    /// The removed entries in a few words.
    var summary: String
    /// Whether the file is held, so that nothing of its change is published. Otherwise there is only a warning.
    var isHeld: Bool
    /// What releases the file.
    var remedy: String

    static func all(from before: PublishedHosts, to after: PublishedHosts) -> [HeldRemoval] {
        var served = after.appFiles
        var naming: [String: Set<String>] = [:]
        for (file, app) in Array(before.appFiles) + Array(after.appFiles) {
            for host in app.hosts { naming[host.text, default: []].insert(file) }
        }
        let files = before.appFiles.keys.sorted()
        var found: [String: HeldRemoval] = [:]
        var isSettled = false
        // A held file stays as it was, which can only increase what is held.
        while !isSettled {
            isSettled = true
            for file in files where found[file]?.isHeld != true {
                let (old, new) = (before.appFiles[file], after.appFiles[file])
                var removed = LiveIdentity.removed(from: old, to: new)
                if removed.isEmpty || new == nil && after.retiredFiles.contains(file) { continue }
                for other in Set(removed.flatMap { naming[$0.host] ?? [] }) where other != file {
                    if let app = served[other] { removed.subtract(keptOrRetiredBy: app) }
                }
                removed.subtract(after.retiredEntries)
                guard !removed.isEmpty else { continue }
                let isHeld = (new ?? old)?.removalGuard == .block
                let retirement = LiveIdentity.retirement(of: removed, keeping: Set(new?.hosts.map(\.text) ?? []))
                found[file] = HeldRemoval(
                    file: file, summary: LiveIdentity.summary(removed), isHeld: isHeld,
                    remedy: new == nil ? "run `associated retire \(file)`" : "add `\(retirement)` to the file")
                if isHeld { (served[file], isSettled) = (old, false) }
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
