// Renders the hosts that a round concerns. Each site goes into the new catalogue layer as soon as it is rendered: 100,000
// prepared sites would need many times the memory of the layer.

import Association
import Catalogue
import Posix
import TLS

/// The rendered sites of one round, and the outcome for each host.
final class RoundSites {
    /// How many app files are read, or hosts rendered, before their content is released.
    static let batchCount = 2_048
    /// How many hosts are rendered while the previous ones go into the layer.
    private static let atOnceCount = 256

    private let renderer: SiteRenderer
    private let folders: HostFolders
    /// What is served before the round.
    private let shelf: SiteShelf
    /// Whether nothing is known of any host yet.
    private let isStart: Bool
    private var builder = CatalogueBuilder()
    /// The hash of the plan that each host was rendered by. Hashes with the secret of the process, because there may be very
    /// many.
    private var plans: [String: Int] = [:]
    /// The hosts whose outcome matters for the report; few at a start.
    private(set) var outcomes: [String: HostOutcome] = [:]

    struct HostOutcome {
        /// Without its site.
        var rendered: RenderedSite
        var isServed: Bool
        let wasServed: Bool
        /// The change for the host; nil at a start, when everything would be new.
        var change: HostChange?
        /// Whether an answer that is live would disappear although there is a file for it.
        var losesLiveAnswer = false

        /// Whether the host is no longer served.
        var isLost: Bool { wasServed && !isServed && !rendered.isClosed }
    }

    init(_ renderer: SiteRenderer, _ folders: HostFolders, above shelf: SiteShelf, isStart: Bool) {
        (self.renderer, self.folders, self.shelf, self.isStart) = (renderer, folders, shelf, isStart)
    }

    var isEmpty: Bool { plans.isEmpty }

    /// Live hosts that would lose an answer, with the findings.
    var failures: [String: [Finding]] { outcomes.filter(\.value.losesLiveAnswer).mapValues(\.rendered.reasons) }

    /// Renders the hosts whose plan differs from the one they were rendered by. Throws if descriptors or memory run out.
    func render(_ hosts: some Collection<String>, by admission: Admission) throws(SystemError) {
        // Hosts of the same files are rendered together.
        let wanted = admission.plans(for: hosts) { plans[$0.host] != $0.hashValue }.sorted {
            ($0.apps.first?.path ?? "", $0.host) < ($1.apps.first?.path ?? "", $1.host)
        }
        for start in stride(from: 0, to: wanted.count, by: RoundSites.batchCount) {
            let batch = wanted[start..<min(wanted.count, start + RoundSites.batchCount)]
            let apps = apps(of: batch, admission)
            let jobs = batch.map { plan in
                var job = SiteJob(plan: plan, apps: plan.apps.compactMap { apps[$0] })
                job.known = admission.memory.knownFiles[plan.host] ?? .none
                if !job.known.isEmpty { job.known.answers = shelf.catalogue.keptAnswers(of: plan.host) }
                return job
            }
            let (renderer, folders, costs) = (renderer, folders, admission.source.costs)
            try Parallel.forEach(jobs, atOnce: RoundSites.atOnceCount) { job in
                let rendered = costs.measure(HostFolders.name(of: job.plan.host)) {
                    Result { () throws(SystemError) in try renderer.render(job, folders) }
                }
                return (job.plan, rendered)
            } take: { results throws(SystemError) in
                for (plan, result) in results { try add(result.get(), plan, admission) }
            }
        }
    }

    /// Drops rendered hosts that the round does not concern after all.
    func keepOnly(_ hosts: Set<String>) {
        for host in plans.keys where !hosts.contains(host) {
            builder.withdraw(host: host)
            (plans[host], outcomes[host]) = (nil, nil)
        }
    }

    /// The contents of app files, parsed from their texts if not in memory.
    private func apps(of plans: ArraySlice<SitePlan>, _ admission: Admission) -> [AppVersion: LoadedAppFile] {
        var apps: [AppVersion: LoadedAppFile] = [:]
        var texts: [AppVersion: AppRecord.GoodVersion] = [:]
        for version in plans.lazy.flatMap(\.apps) {
            if let known = admission.versions[version] {
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

    private func add(_ found: RenderedSite, _ plan: SitePlan, _ admission: Admission) throws(SystemError) {
        let host = plan.host
        var given = found
        given.findings = admission.source.lint.apply(to: found.findings, keepsErrors: true)
        plans[host] = plan.hashValue
        outcomes[host] = nil
        if let site = given.site { builder.put(site) } else { builder.withdraw(host: host) }
        if isStart, given.isPlain { return }
        let live = shelf.tags(of: host)
        var outcome = HostOutcome(rendered: given, isServed: given.site != nil, wasServed: live != nil)
        outcome.rendered.site = nil
        if !shelf.isEmpty { outcome.change = HostChange(host: host, from: shelf.servedTags(of: host), to: given.site) }
        if let live { outcome.losesLiveAnswer = try losesLiveAnswer(given, live, host, admission) }
        // At a start this would be too much to keep, and most hosts never change.
        if shelf.isEmpty { outcome.rendered.known = KnownFiles() }
        outcomes[host] = outcome
    }

    /// Whether a file of the host's own is live and missing from the new site. A generated document that was served in its place
    /// may change.
    private func losesLiveAnswer(
        _ site: RenderedSite, _ live: [String: String], _ host: String, _ admission: Admission
    ) throws(SystemError) -> Bool {
        if site.isRefused || !site.missing.isDisjoint(with: live.keys) { return true }
        let paths = live.keys.filter { site.blocked.contains($0) && site.tag(of: $0) != live[$0] }
        if paths.isEmpty { return false }
        let appFiles = admission.memory.appFiles
        let namers = ([host] + HostName.wildcards(over: host)).lazy.map { appFiles.paths(naming: $0) }
        let apps = (namers.first { !$0.isEmpty } ?? []).compactMap { path in
            appFiles[path]?.good.flatMap { admission.source.load($0, at: path) }
        }
        let generated = try renderer.render(SiteSource(host: host, apps: apps, folders: []))
        return paths.contains { site.tag(of: $0) == nil || generated.tag(of: $0) != live[$0] }
    }

    /// The new layer; nil if nothing has changed.
    /// - Parameter unrenderable: hosts that stay unchanged.
    func finish(keeping unrenderable: Set<String>) -> CatalogueLayer? {
        for host in unrenderable { builder.withdraw(host: host) }
        var hasChanges = plans.count > outcomes.count
        for (host, outcome) in outcomes where !unrenderable.contains(host) {
            if outcome.rendered.isClosed {
                builder.close(host: host)
            } else if !outcome.isServed {
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
