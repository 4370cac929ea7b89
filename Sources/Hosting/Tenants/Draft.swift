// The hosts that a round concerns, made again. Sites go into the new layer as soon as they are made: prepared, a hundred thousand
// of them would take many times the memory of the layer.

import Association
import Catalogue
import Posix

/// The sites of a round on their way into the catalogue, and what came of each.
final class Draft {
    /// App files that are read, and hosts that are made, before anything of them is forgotten.
    static let batchCount = 2_048
    /// Hosts that are made while those before them go into the layer.
    private static let atOnceCount = 256

    private let renderer: SiteRenderer
    private let folders: HostFolders
    /// What is served until now.
    private let shelf: SiteShelf
    /// Whether nothing is known of any host.
    private let isStart: Bool
    private var builder = CatalogueBuilder()
    /// What each host was made of, as a hash with the secret of the process: there may be very many.
    private var plans: [String: Int] = [:]
    /// What came of the hosts of which there is anything to say. At a start that is few of them.
    private(set) var made: [String: Made] = [:]
    /// There was no descriptor or no memory for one of them.
    private(set) var shortage: SystemError?

    struct Made {
        /// Without the site.
        var outcome: RenderedSite
        var isServed: Bool
        let wasServed: Bool
        /// What changes for the host; nil at the start, when all would be new.
        var change: HostChange?
        /// Whether something that is live would not be there any more, although there is a file for it.
        var dropsLive = false

        /// Whether there is nothing to serve any more.
        var isLost: Bool { wasServed && !isServed && !outcome.isClosed }
    }

    init(_ renderer: SiteRenderer, _ folders: HostFolders, above shelf: SiteShelf, isStart: Bool) {
        (self.renderer, self.folders, self.shelf, self.isStart) = (renderer, folders, shelf, isStart)
    }

    var isEmpty: Bool { plans.isEmpty }

    /// Live hosts that would not stay whole, with what is wrong.
    var failures: [String: [Finding]] { made.filter(\.value.dropsLive).mapValues(\.outcome.reasons) }

    /// Makes hosts that have not been made by the same plan.
    func make(_ hosts: some Collection<String>, by admission: Admission) {
        // Those with the same files are beside each other.
        let wanted = admission.plans(for: hosts) { plans[$0.host] != $0.hashValue }.sorted {
            ($0.apps.first?.path ?? "", $0.host) < ($1.apps.first?.path ?? "", $1.host)
        }
        for start in stride(from: 0, to: wanted.count, by: Draft.batchCount) {
            let batch = wanted[start..<min(wanted.count, start + Draft.batchCount)]
            let apps = apps(of: batch, admission)
            let jobs = batch.map { plan in
                var job = SiteJob(plan: plan, apps: plan.apps.compactMap { apps[$0] })
                job.known = admission.memory.knownFiles[plan.host] ?? .none
                if !job.known.isEmpty { job.known.answers = shelf.catalogue.keptAnswers(of: plan.host) }
                return job
            }
            let (renderer, folders, costs) = (renderer, folders, admission.source.costs)
            Parallel.forEach(jobs, atOnce: Draft.atOnceCount) { job in
                let rendered = costs.measure(HostFolders.name(of: job.plan.host)) {
                    Result { () throws(SystemError) in try renderer.render(job, folders) }
                }
                return (job.plan, rendered)
            } take: { results in
                for (plan, result) in results {
                    do throws(SystemError) {
                        try add(result.get(), plan, admission)
                    } catch {
                        shortage = error
                    }
                }
            }
        }
    }

    /// Forgets what was made of hosts that are not concerned after all.
    func keepOnly(_ hosts: Set<String>) {
        for host in plans.keys where !hosts.contains(host) {
            builder.withdraw(host: host)
            (plans[host], made[host]) = (nil, nil)
        }
    }

    /// What app files say, read from their texts where it is not in memory.
    private func apps(of plans: ArraySlice<SitePlan>, _ admission: Admission) -> [AppVersion: LoadedAppFile] {
        var apps: [AppVersion: LoadedAppFile] = [:]
        var texts: [AppVersion: AppRecord.GoodVersion] = [:]
        for version in plans.lazy.flatMap(\.apps) {
            if let known = admission.scan.versions[version] {
                apps[version] = known
            } else {
                texts[version] = admission.good(version)
            }
        }
        let source = admission.source
        let loaded = Parallel.map(Array(texts)) { version, good in (version, source.load(good, at: version.path)) }
        for (version, app) in loaded { apps[version] = app }
        return apps
    }

    private func add(_ given: RenderedSite, _ plan: SitePlan, _ admission: Admission) throws(SystemError) {
        let host = plan.host
        plans[host] = plan.hashValue
        made[host] = nil
        if let site = given.site { builder.put(site) } else { builder.withdraw(host: host) }
        if isStart, given.isPlain { return }
        let live = shelf.tags(of: host)
        var made = Made(outcome: given, isServed: given.site != nil, wasServed: live != nil)
        made.outcome.site = nil
        if !shelf.isEmpty { made.change = HostChange(host: host, from: live, to: given.site) }
        if let live { made.dropsLive = try dropsLive(given, live, host, admission) }
        // The first time all of them would be too much to remember, and most are never made again.
        if shelf.isEmpty { made.outcome.known = KnownFiles() }
        self.made[host] = made
    }

    /// Whether a file of the host's own is live and is not in what was made. What stands in for one that was never live, a
    /// generated document as a rule, may be there and may change.
    private func dropsLive(
        _ site: RenderedSite, _ live: [String: String], _ host: String, _ admission: Admission
    ) throws(SystemError) -> Bool {
        if site.isRefused || !site.missing.isDisjoint(with: live.keys) { return true }
        let paths = live.keys.filter { site.withheld.contains($0) && site.tag(of: $0) != live[$0] }
        if paths.isEmpty { return false }
        let ledger = admission.memory.ledger
        let namers = ([host] + HostNames.wildcards(over: host)).lazy.map { ledger.paths(naming: $0) }
        let apps = (namers.first { !$0.isEmpty } ?? []).compactMap { path in
            ledger[path]?.good.flatMap { admission.source.load($0, at: path) }
        }
        let former = try renderer.render(SiteSource(host: host, apps: apps, folders: []))
        return paths.contains { site.tag(of: $0) == nil || former.tag(of: $0) != live[$0] }
    }

    /// The new layer; nil when nothing is to be put above what is there.
    /// - Parameter stale: hosts that stay as they are.
    func finish(keeping stale: Set<String>) -> CatalogueLayer? {
        for host in stale { builder.withdraw(host: host) }
        var hasChanges = plans.count > made.count
        for (host, made) in made where !stale.contains(host) {
            if made.outcome.isClosed {
                builder.close(host: host)
            } else if !made.isServed {
                guard shelf.hasEntry(for: host) else { continue }
                builder.remove(host: host)
            }
            hasChanges = true
        }
        var finished = CatalogueBuilder()
        swap(&finished, &builder)
        return hasChanges ? finished.finish() : nil
    }
}
