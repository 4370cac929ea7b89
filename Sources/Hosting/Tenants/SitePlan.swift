// What a host is to be made of, as far as files and folders are concerned. Two plans that are equal give the same site, so a site
// is made again only when its plan is another one.

/// What becomes of one host in a round.
struct SitePlan: Hashable, Sendable {
    let host: String
    var outcome = Outcome.made
    /// The app files, in the order of their paths.
    var apps: [AppVersion] = []
    /// What the host has in folders of its own, and the wildcard above it whose folders it has beside them.
    var folder = FolderRecord()
    var wildcard: Folder?

    enum Outcome: Hashable, Sendable {
        case made
        /// There is nothing to serve.
        case absent
        /// Nothing is served, not even by a wildcard: the host belongs to another environment.
        case closed
    }

    struct Folder: Hashable, Sendable {
        let host: String
        let record: FolderRecord
    }

    /// The folders that it is made of; what a later one has wins.
    var folders: [Folder] { [wildcard, Folder(host: host, record: folder)].compactMap { $0 } }
}

extension Admission {
    /// What hosts are to be made of, as far as it is wanted.
    func plans(for hosts: some Collection<String>, where isWanted: (SitePlan) -> Bool) -> [SitePlan] {
        var elsewhere: [String: Int]?
        return hosts.compactMap { host in
            let plan = plan(for: host, &elsewhere)
            return isWanted(plan) ? plan : nil
        }
    }

    /// A host with files of its own needs no app; below a wildcard it has those files beside everything that the wildcard
    /// has, or a stray file would end the association of a host.
    private func plan(for host: String, _ elsewhere: inout [String: Int]?) -> SitePlan {
        var plan = SitePlan(host: host, folder: folder(of: host))
        var paths = namers(of: host)
        if paths.isEmpty {
            let changes = elsewhere ?? elsewhereChanges
            elsewhere = changes
            if memory.ledger.countNamingElsewhere(host) + (changes[host] ?? 0) > 0 {
                return SitePlan(host: host, outcome: .closed)
            }
            if plan.folder.wellKnown == nil { return SitePlan(host: host, outcome: .absent) }
            if let wildcard = HostNames.wildcards(over: host).first(where: { !namers(of: $0).isEmpty }) {
                paths = namers(of: wildcard)
                plan.wildcard = .init(host: wildcard, record: folder(of: wildcard))
            }
        }
        plan.apps = paths.map(version)
        return plan
    }

    /// How many files more, or less, name a host in another environment only.
    private var elsewhereChanges: [String: Int] {
        var changes: [String: Int] = [:]
        for (path, candidate) in scan.candidates where isAdmitted(path) {
            for host in memory.ledger[path]?.good?.otherHosts ?? [] { changes[host, default: 0] -= 1 }
            for host in candidate.otherHosts { changes[host, default: 0] += 1 }
        }
        return changes
    }
}

/// Which names cover a host: the order in which the catalogue looks for a site.
enum HostNames {
    /// The wildcards that cover a host, or another wildcard, the most specific first.
    static func wildcards(over host: String) -> [String] {
        let labels = host.split(separator: ".")
        return labels.indices.dropFirst().map { "*." + labels[$0...].joined(separator: ".") }.filter { $0 != host }
    }
}
