// The second part of a round: which of the new readings take the place of the last good versions. What is live is not
// dropped in silence: phones have cached it and cannot be told.

import Association
import Posix

extension Tenants {
    /// Rejects readings that drop what is live. What another file has taken over is not dropped, so a rejection, which
    /// brings back what was there, may lead to another one, and never to fewer.
    func settle(_ round: inout Round) {
        let paths = round.candidates.keys.filter { ledger[$0]?.good != nil }.sorted()
        if paths.isEmpty { return }
        var isSettled = false
        while !isSettled {
            isSettled = true
            for path in paths {
                guard let candidate = round.candidates[path], candidate.rejection == nil, !candidate.isBroken else {
                    continue
                }
                guard let (finding, lost) = objection(to: candidate, at: path, &round) else {
                    // Nobody could tell; what it is now stays, and others may have relied on the new one.
                    if round.candidates[path] == nil { isSettled = false }
                    continue
                }
                if finding.severity != .error {
                    if !candidate.findings.contains(finding) { round.candidates[path]?.findings.append(finding) }
                    continue
                }
                round.candidates[path]?.findings.append(finding)
                round.candidates[path]?.guardedCount = lost.count
                round.candidates[path]?.awaited = Set(lost.map(\.host))
                round.candidates[path]?.rejection = candidate.isGone ? .gone : .held
                isSettled = false
            }
        }
    }

    /// What there is to say against a reading, and the live facts that it drops.
    private func objection(
        to candidate: Round.Candidate, at path: String, _ round: inout Round
    ) -> (Finding, lost: Set<LiveIdentity>)? {
        let old = lastGood(path, &round)
        let mode = (candidate.accepted?.appFile ?? old?.appFile)?.removalGuard ?? .block
        if mode == .off { return nil }
        var lost = old.map { LiveIdentity.all(of: $0.appFile) } ?? liveHosts(of: path)
        if let app = candidate.accepted?.appFile {
            lost.subtract(LiveIdentity.all(of: app))
            lost = lost.filter { !$0.isRetired(by: app.retired) }
        }
        let now = Clock.wallSeconds()
        lost = lost.filter { identity in
            !recent.mayDrop(identity, from: path, at: now) { wasFetched?($0, $1) ?? true }
        }
        if lost.isEmpty { return nil }
        for other in Set(lost.map(\.host)).flatMap({ namers(of: $0, round) }) where other != path {
            guard let app = effective(other, &round) else { continue }
            lost.subtract(LiveIdentity.all(of: app.appFile))
            // Whoever has the host now may say as well that something on it is gone on purpose.
            let hosts = Set(app.appFile.hosts.map(\.text))
            lost = lost.filter { !hosts.contains($0.host) || !$0.isRetired(by: app.appFile.retired) }
        }
        if lost.isEmpty { return nil }
        let retired = retired(&round)
        if candidate.isGone, retired.paths.contains(path) { return nil }
        lost.subtract(retired.identities)
        if lost.isEmpty { return nil }
        if let shortage = retired.shortage {
            round.postpone(shortage) { $0.retired = true }
            round.postponeCandidate(path, shortage)
            return nil
        }
        return (finding(about: lost, mode: mode, at: path, candidate), lost)
    }

    /// All that is known of what a last good version makes live that cannot be read any more.
    private func liveHosts(of path: String) -> Set<LiveIdentity> {
        let hosts = (ledger[path]?.good?.hosts ?? []).filter { liveTags(of: $0) != nil }
        return Set(hosts.map { LiveIdentity(host: $0, kind: .host, text: "") })
    }

    private func finding(
        about lost: Set<LiveIdentity>, mode: RemovalGuard, at path: String, _ candidate: Round.Candidate
    ) -> Finding {
        let file = "\(configPath)/apps/\(path)"
        let subject =
            candidate.isGone ? "the app file was removed while it is live" : "this version drops what is live"
        let outcome =
            mode == .block
            ? "none of the change is published, and the last good version is still served"
            : "phones may use what they have cached for a week"
        let fix =
            candidate.isGone
            ? "restore it, or run `associated retire \(file)`"
            : "restore it, or add `\(LiveIdentity.retirement(of: lost, keeping: Set(candidate.hosts)))` to the file"
        return Finding(
            rule: "APP-042", severity: mode == .block ? .error : .warning, file: file, range: nil,
            message: "\(subject) (\(LiveIdentity.summary(lost))); \(outcome)", fix: mode == .block ? fix : nil)
    }

    /// The app file that decides what is served, at this point of the round.
    func effective(_ path: String, _ round: inout Round) -> LoadedAppFile? {
        if let candidate = round.candidates[path], candidate.rejection == nil { return candidate.accepted }
        return lastGood(path, &round)
    }

    /// The last good version of a file, read again from its text; nil where this program cannot read what another one
    /// could.
    func lastGood(_ path: String, _ round: inout Round) -> LoadedAppFile? {
        if let known = round.lastGood[path] { return known }
        guard let good = ledger[path]?.good, !round.unreadable.contains(path) else { return nil }
        guard let app = loaded(good, at: path).app else {
            round.unreadable.insert(path)
            return nil
        }
        round.lastGood[path] = app
        return app
    }

    /// What a last good version says, or what is wrong with it by now.
    func loaded(_ good: AppRecord.GoodVersion, at path: String) -> (app: LoadedAppFile?, findings: [Finding]) {
        let reading = AppFile.read(good.text.bytes, file: "\(configPath)/apps/\(path)", environment: environment)
        return (reading.appFile.map { LoadedAppFile($0, modified: good.modified) }, reading.findings)
    }

    /// The entity tags by path of what a host has answered until now; nil where it was not served.
    func liveTags(of host: String) -> [String: String]? {
        shelf.isEmpty ? former?.tags(of: host) : shelf.tags(of: host)
    }

    /// The files that name a host at this point of the round, in the order of their paths.
    func namers(of host: String, _ round: Round) -> [String] {
        var paths = ledger.paths(naming: host).filter { path in
            guard let candidate = round.candidates[path], candidate.rejection == nil else { return true }
            return candidate.hosts.contains(host)
        }
        guard let new = round.newNamers[host] else { return paths }
        for path in new where !paths.contains(path) && round.candidates[path]?.rejection == nil { paths.append(path) }
        return paths.count > 1 ? paths.sorted() : paths
    }

    private func retired(_ round: inout Round) -> RetiredFiles {
        if let known = round.retired { return known }
        var retired = RetiredFiles()
        do throws(SystemError) {
            let tree = try AppTree(
                configPath: configPath, "retired", links: folders.linkTargets, limits: folders.limits)
            var listing = AppTree.Listing()
            _ = tree.list([""], into: &listing)
            retired.paths = Set(listing.files.keys)
            retired.shortage = listing.shortage
            for path in listing.files.keys.sorted() {
                switch tree.read(path) {
                case .contents(let contents):
                    let reading = AppFile.read(contents.bytes, file: "\(tree.label)/\(path)", environment: environment)
                    if let app = reading.appFile { retired.identities.formUnion(LiveIdentity.all(of: app)) }
                case .starved(let reason): retired.shortage = reason
                case .gone, .changing, .unreadable: continue
                }
            }
        } catch {
            if error.isShortage { retired.shortage = error }
        }
        round.retired = retired
        return retired
    }
}

extension Round.Candidate {
    var isGone: Bool {
        if case .gone = reading { return true }
        return false
    }

    var isBroken: Bool {
        if case .broken = reading { return true }
        return false
    }

    /// The hosts that the new reading names.
    var hosts: [String] {
        guard case .good(_, let good) = reading else { return [] }
        return good.hosts
    }

    /// The hosts that it names in other environments only.
    var otherHosts: [String] {
        guard case .good(_, let good) = reading else { return [] }
        return good.otherHosts
    }
}
