// What a round did not do because the process had no descriptor or no memory left. Files that cannot be opened for that reason
// are not missing: what is served of them stays as it is, and they are looked at again before long, without anybody's change.

public import Posix

/// What is to be looked at again, and what the kernel said.
public struct Postponement: Sendable {
    public var changes = TreeChanges()
    /// The first of the reasons.
    public let reason: SystemError
}

extension Round {
    /// Leaves something to a later round. It need not know what else there is.
    mutating func postpone(_ reason: SystemError, _ note: (inout TreeChanges) -> Void) {
        var postponement = postponed ?? Postponement(reason: reason)
        note(&postponement.changes)
        postponed = postponement
    }

    /// Forgets that an app file was looked at.
    mutating func postponeCandidate(_ path: String, _ reason: SystemError) {
        postpone(reason) { $0.appFiles.insert(path) }
        guard let candidate = candidates.removeValue(forKey: path) else { return }
        for host in candidate.hosts { newNamers[host]?.removeAll { $0 == path } }
    }
}

extension Tenants {
    /// With more passes than that, nearly everything is short of something.
    private static let passesMax = 3

    /// Takes out of a round what could not be made whole. A live host stays as it is, with all the files that would have changed
    /// it: one is in service as a whole or not at all. A new one is served as far as it could be made. True when there is to be
    /// another pass.
    func postponeStarved(_ rendered: inout [String: RenderedSite], _ round: inout Round) -> Bool {
        guard let reason = rendered.values.lazy.compactMap(\.shortage).first else { return false }
        round.starvedPasses += 1
        let isOfAll = round.starvedPasses > Tenants.passesMax
        var isAgain = false
        for (host, site) in rendered where isOfAll || site.shortage != nil {
            let isSigned = site.isSigned || signed.contains(host)
            round.postpone(reason) { changes in
                changes.hosts.insert(host)
                changes.signatures = changes.signatures || isSigned
            }
            // As it was, so that whoever looks next sees a difference, in another process too.
            if let former = round.formerRecords[host] { folderRecords[host] = former.isEmpty ? nil : former }
            guard shelf.tags(of: host) != nil else { continue }
            isAgain = true
            round.postponedHosts.insert(host)
            let names = Set([host] + HostNames.wildcards(over: host))
            let blamed = round.candidates.filter { path, candidate in
                candidate.rejection == nil
                    && !(names.isDisjoint(with: candidate.hosts)
                        && names.isDisjoint(with: ledger[path]?.good?.hosts ?? []))
            }
            for path in blamed.keys { round.postponeCandidate(path, reason) }
        }
        if isAgain { rendered.removeAll() }
        return isAgain
    }
}
