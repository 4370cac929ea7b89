// Which files and folders a host is rendered from. Equal plans give equal sites, so a host is rendered again only if its plan has
// changed.

import TLS

/// What to do with one host in a round.
struct SitePlan: Hashable, Sendable {
    let host: String
    var outcome = Outcome.rendered
    /// The app files, sorted by path.
    var apps: [AppVersion] = []
    /// The host's own folders, and the wildcard whose site it has in addition.
    var folder = FolderRecord()
    var wildcard: Folder?

    enum Outcome: Hashable, Sendable {
        case rendered
        /// There is nothing to serve.
        case absent
        /// Nothing is served, not even by a wildcard: the host belongs to another environment.
        case closed
    }

    struct Folder: Hashable, Sendable {
        let host: String
        let record: FolderRecord
    }

    /// The folders to render from; files in later ones win.
    var folders: [Folder] { [wildcard, Folder(host: host, record: folder)].compactMap { $0 } }
}

extension Admission {
    /// The plans of these hosts that pass a filter.
    func plans(for hosts: some Collection<String>, where isWanted: (SitePlan) -> Bool) -> [SitePlan] {
        var elsewhere: [String: Int]?
        return hosts.compactMap { host in
            let plan = plan(for: host, &elsewhere)
            return isWanted(plan) ? plan : nil
        }
    }

    /// A host with files of its own needs no app. Below a wildcard it is served these files in addition to the wildcard's site;
    /// otherwise a stray file would remove the host's association.
    private func plan(for host: String, _ elsewhere: inout [String: Int]?) -> SitePlan {
        var plan = SitePlan(host: host, folder: folder(of: host))
        var paths = paths(naming: host)
        if paths.isEmpty {
            let changes = elsewhere ?? elsewhereChanges
            elsewhere = changes
            if memory.appFiles.countNamingElsewhere(host) + (changes[host] ?? 0) > 0 {
                return SitePlan(host: host, outcome: .closed)
            }
            if plan.folder.wellKnown == nil { return SitePlan(host: host, outcome: .absent) }
            if let wildcard = HostName.wildcards(over: host).first(where: { !self.paths(naming: $0).isEmpty }) {
                paths = self.paths(naming: wildcard)
                plan.wildcard = .init(host: wildcard, record: folder(of: wildcard))
            }
        }
        plan.apps = paths.map(version)
        return plan
    }

    /// By host, how many more or fewer files name it only in other environments.
    private var elsewhereChanges: [String: Int] {
        var changes: [String: Int] = [:]
        for (path, candidate) in scan.candidates where isAdmitted(path) {
            for host in memory.appFiles[path]?.good?.otherHosts ?? [] { changes[host, default: 0] -= 1 }
            for host in candidate.otherHosts { changes[host, default: 0] += 1 }
        }
        return changes
    }
}
