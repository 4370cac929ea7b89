// What publishing does, behind the API and in the manager's loop. Each change is one transaction behind the lock of the feed, with its
// entry in the audit log; what takes long, reading and comparing files, is done before it, and what it was based on is checked again.

import Association
import AssociationLint
public import DNS
public import Database
import Posix
import Service
import SourceJSON
public import Store
import Synchronization
import TLS

/// Used by all threads of the API, and by the manager's loop.
public final class Publisher: Sendable {
    /// Its users take turns.
    private let store: Store
    /// Of the servers that read the releases.
    package let environment: String?
    private let webhooks: WebhookQueue
    private let textRecords: @Sendable (DomainName) -> DNSOutcome
    /// What Apple has of a host's file that is served since a time; nil if it is not watched.
    public typealias AppleCopy =
        @Sendable (_ host: String, _ since: Int64, borrowing Transaction) throws(DatabaseError) -> (
            state: String, detail: String
        )?
    /// Nil if no host is watched.
    let appleCopy: AppleCopy?
    let tokens = TokenTable()
    let turns = ComparisonTurns()
    private let memory = Mutex(Memory())
    private let changed: @Sendable () -> Void

    /// What is asked for often.
    private struct Memory {
        /// The digest of the last entry of the audit log when the rest was loaded.
        var digest: String?
        var owned: Set<String> = []
        var served: Set<String> = []
        var problem: String?
    }

    /// - Parameters:
    ///   - store: its connection is shared with other threads.
    ///   - textRecords: asks DNS.
    ///   - changed: called when there is something to do for the worker.
    public init(
        _ store: consuming Store, environment: String?, webhooks: WebhookQueue = WebhookQueue(),
        textRecords: @escaping @Sendable (DomainName) -> DNSOutcome, appleCopy: AppleCopy? = nil,
        changed: @escaping @Sendable () -> Void
    ) {
        self.store = store
        (self.webhooks, self.appleCopy) = (webhooks, appleCopy)
        (self.environment, self.textRecords, self.changed) = (environment, textRecords, changed)
    }

    func read<Result>(
        _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) throws(APIProblem) -> Result {
        var store = self.store.another()
        do throws(DatabaseError) { return try store.read(body) } catch { throw APIProblem(error) }
    }

    /// - Parameter body: returns a problem only if it has changed nothing.
    func write<Success>(
        _ body: (borrowing Transaction) throws(DatabaseError) -> Result<Success, APIProblem>
    ) throws(APIProblem) -> Success {
        var store = self.store.another()
        let result: Result<Success, APIProblem>
        do throws(DatabaseError) {
            result = try store.write { transaction throws(DatabaseError) in
                try Feed.lock(in: transaction)
                return try body(transaction)
            }
        } catch { throw APIProblem(error) }
        changed()
        return try result.get()
    }

    /// What somebody wants to publish.
    struct Proposal {
        var tenant: String
        /// The live release that it was made from; nil for whatever is live.
        var base: Int64?
        /// The new text of each file; nil to remove it.
        var changes: [String: [UInt8]?] = [:]
        /// The release whose files are to be live, instead of changes.
        var restores: Int64?
        var message = ""
        var source = ""
        var publishAt: Int64?
        var retires = false
    }

    /// A proposal that was checked, and what it was checked against.
    struct Draft {
        let proposal: Proposal
        let base: Int64
        let content: ReleaseContent
        let report: ReleaseReport
        let isChange: Bool
    }

    /// How old the time of a release may be: clocks differ, and a person takes a while to send a form.
    private static let pastMilliseconds: Int64 = 300_000

    /// Reads and compares; stores nothing.
    /// - Parameter waits: whether to wait for the tenant's turn.
    func draft(_ proposal: Proposal, waits: Bool = true) throws(APIProblem) -> Draft {
        let tenant = proposal.tenant
        try turns.begin(tenant, waits: waits)
        let began = Clock.monotonicMilliseconds()
        defer { turns.end(tenant, began: began) }
        let found = try read {
            transaction throws(DatabaseError) -> (now: Int64, live: Int64, contents: [ReleaseContent])? in
            guard let known = try PublishingTenant.load(tenant, in: transaction) else { return nil }
            let now = try transaction.now()
            let numbers = [
                // If it is not known what was live then, nothing is younger than a day.
                known.live, try Release.live(of: tenant, at: now - 86_400_000, in: transaction) ?? known.live,
                proposal.restores ?? 0,
            ]
            let contents = try numbers.map { number throws(DatabaseError) in
                try Release.content(of: tenant, number, in: transaction)
            }
            return (now, known.live, contents)
        }
        guard let (now, live, contents) = found else { throw APIProblem(.unknown, "there is no tenant \(tenant)") }
        if let base = proposal.base, base != live { throw APIProblem.base(live) }
        if let time = proposal.publishAt, time < now - Publisher.pastMilliseconds {
            throw APIProblem(.invalid, "publishAt is in the past; leave it out to publish now")
        }
        var content = proposal.restores == nil ? contents[0] : contents[2]
        for (name, bytes) in proposal.changes { content.files[name] = bytes }
        if content.files.count > ReleaseContent.filesMax {
            throw APIProblem(.tooLarge, "a tenant has at most \(ReleaseContent.filesMax) files")
        }
        if content.byteCount > ReleaseContent.bytesMax {
            throw APIProblem(.tooLarge, "a tenant's files have at most \(ReleaseContent.bytesMax >> 20) MiB together")
        }
        let report = ReleaseReport(
            of: content, replacing: contents[0], lastDay: contents[1], tenant: tenant, environment: environment)
        return Draft(
            proposal: proposal, base: live, content: content, report: report, isChange: content != contents[0])
    }

    /// Why a draft may not go live; nil if it may.
    func objection(to draft: Draft) throws(APIProblem) -> APIProblem? {
        let (report, tenant) = (draft.report, draft.proposal.tenant)
        if report.hasErrors { return APIProblem(.findings, "the files have errors", report.members) }
        let missing = try read { transaction throws(DatabaseError) in
            try HostOwnership.notOwned(report.hosts, by: tenant, in: transaction)
        }
        if !missing.isEmpty { return APIProblem.unclaimed(missing, of: tenant, report.members) }
        if report.difference?.isHeld == true, !draft.proposal.retires {
            return APIProblem(
                .removalGuard,
                "phones, Apple and Google rely on what the release removes; restore it, or repeat with `retire: true`"
                    + " (`associated publish --retire`)", report.members)
        }
        return nil
    }

    /// Stores a release, which is live at once if nothing has to be waited for.
    func publish(_ proposal: Proposal, by identity: Identity) throws(APIProblem) -> Release {
        let draft = try draft(proposal)
        if !draft.isChange { throw APIProblem(.state, "release \(draft.base), which is live, has the same files") }
        if let objection = try objection(to: draft) { throw objection }
        let tenant = proposal.tenant
        return try write { transaction throws(DatabaseError) in
            guard let known = try PublishingTenant.load(tenant, in: transaction), known.live == draft.base else {
                return .failure(APIProblem.base(try PublishingTenant.load(tenant, in: transaction)?.live ?? 0))
            }
            let missing = try HostOwnership.notOwned(draft.report.hosts, by: tenant, in: transaction)
            if !missing.isEmpty { return .failure(APIProblem.unclaimed(missing, of: tenant)) }
            let now = try transaction.now()
            let state = ReleaseState(
                needsApproval: known.needsApproval, isLater: proposal.publishAt.map { $0 > now } ?? false)
            if state.isOpen, try Release.isFull(tenant, in: transaction) {
                let bound = Release.keptBytes >> 20
                return .failure(
                    APIProblem(.tooLarge, "the releases that wait have more than \(bound) MiB; approve or reject some"))
            }
            var release = Release(
                tenant, known.last + 1, base: draft.base, state: state, author: identity.name, created: now)
            (release.message, release.source) = (proposal.message, proposal.source)
            (release.retires, release.publishAt) = (proposal.retires, proposal.publishAt)
            let report = draft.report.members + [("appleHosts", .strings(draft.report.appleHosts))]
            release.report = String(decoding: SourceWriter.minified(.object(report)), as: UTF8.self)
            if state == .live { release.liveAt = now }
            try release.insert(draft.content, in: transaction)
            try transaction.execute("update tenant set last = ? where name = ?", release.number, tenant)
            if state == .live { try release.replaceLive(in: transaction) }
            try note(
                "release", state.rawValue, .integer(Int(release.number)), of: tenant, by: identity.name,
                detail: proposal.message, in: transaction)
            try Release.removeOld(of: tenant, in: transaction)
            return .success(release)
        }
    }

    /// Moves a release to its next state.
    func move(
        _ number: Int64, of tenant: String, _ event: ReleaseState.Event, reason: String? = nil, by actor: String
    ) throws(APIProblem) -> Release {
        let release = try release(tenant, number)
        if event == .approved, AccessToken.areOfOne(release.author, actor) {
            throw APIProblem(.state, "a release is approved by another than its author and the tokens of its author")
        }
        var hosts: Set<String> = []
        // What goes live is checked by the rules of today, as if it were new.
        if event != .refused, release.state.isOpen {
            let draft = try draft(
                Proposal(tenant: tenant, base: release.base, restores: number, retires: release.retires),
                waits: event != .due)
            if let objection = try objection(to: draft) { throw objection }
            hosts = draft.report.hosts
        }
        return try write { transaction throws(DatabaseError) in
            guard var release = try Release.load(number, of: tenant, in: transaction) else {
                return .failure(APIProblem(.unknown, "\(tenant) has no release \(number)"))
            }
            let now = try transaction.now()
            guard let next = release.state.next(event, isLater: release.publishAt.map { $0 > now } ?? false) else {
                return .failure(APIProblem(.state, "release \(number) is \(release.state.rawValue)"))
            }
            let live = try PublishingTenant.load(tenant, in: transaction)?.live ?? 0
            if next == .live, live != release.base { return .failure(APIProblem.base(live)) }
            if event == .due, release.approver == nil,
                try PublishingTenant.load(tenant, in: transaction)?.needsApproval == true
            {
                return .failure(APIProblem(.state, "releases of \(tenant) need an approval since it was scheduled"))
            }
            let missing = try HostOwnership.notOwned(next == .live ? hosts : [], by: tenant, in: transaction)
            if !missing.isEmpty { return .failure(APIProblem.unclaimed(missing, of: tenant)) }
            try release.enter(
                next, approver: event == .approved ? actor : nil, reason: reason, in: transaction)
            try note(
                "release", next.rawValue, .integer(Int(number)), of: tenant, by: actor, detail: reason ?? "",
                in: transaction)
            return .success(release)
        }
    }

    func claim(
        _ host: String, for tenant: String, _ proof: HostOwnership.Proof, by identity: Identity
    ) throws(APIProblem) -> HostOwnership {
        try write { transaction throws(DatabaseError) in
            if try PublishingTenant.load(tenant, in: transaction) == nil {
                return .failure(APIProblem(.unknown, "there is no tenant \(tenant)"))
            }
            let now = try transaction.now()
            let known = try HostOwnership.load(host, of: tenant, in: transaction)
            var claim = known ?? HostOwnership(host, of: tenant, proof: proof, created: now)
            let count: Int64 = try transaction.query("select count(*) from claim where tenant = ?", tenant)[0][0]
            if count >= HostOwnership.claimsOfTenantMax {
                return .failure(
                    APIProblem(.tooLarge, "a tenant claims at most \(HostOwnership.claimsOfTenantMax) hosts"))
            }
            // The owner of a host below it may have come later.
            if claim.state != .owned, let rival = try claim.rival(in: transaction) {
                return .failure(APIProblem.owned(host, by: rival, identity))
            }
            if proof == .operator {
                (claim.proof, claim.state, claim.verified, claim.problem) = (.operator, .owned, now, "")
            }
            if let known, known.state == claim.state, known.proof == claim.proof { return .success(known) }
            try claim.save(in: transaction)
            try note(
                "host", claim.state.rawValue, .string(host), of: tenant, by: identity.name,
                detail: claim.proof.rawValue, in: transaction)
            return .success(claim)
        }
    }

    /// Looks for the record of a claim now.
    func check(_ host: String, of tenant: String, by actor: String) throws(APIProblem) -> HostOwnership {
        let stored = try read { transaction throws(DatabaseError) in
            try HostOwnership.load(host, of: tenant, in: transaction)
        }
        guard let stored else { throw APIProblem(.unknown, "\(tenant) does not claim \(host)") }
        if stored.proof == .operator { return stored }
        let (found, problem) = look(for: stored)
        return try write { transaction throws(DatabaseError) in
            guard var claim = try HostOwnership.load(host, of: tenant, in: transaction) else {
                return .failure(APIProblem(.unknown, "\(tenant) does not claim \(host)"))
            }
            let (now, before) = (try transaction.now(), claim.state)
            claim.state = claim.next(found: found, now: now)
            (claim.checked, claim.problem) = (now, problem)
            if claim.state == .owned, before != .owned, let rival = try claim.rival(in: transaction) {
                return .failure(APIProblem.owned(host, by: rival, nil))
            }
            if found == true { claim.verified = now }
            try claim.save(in: transaction)
            if claim.state != before {
                try note(
                    "host", claim.state.rawValue, .string(host), of: tenant, by: actor, detail: problem, in: transaction
                )
            }
            return .success(claim)
        }
    }

    /// Adds an entry to the audit log, and tells the receivers of messages.
    private func note(
        _ kind: String, _ state: String, _ object: SourceValue, of tenant: String, by actor: String, detail: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let (action, name) = ("\(kind).\(state)", object.asString ?? "\(object.asInt ?? 0)")
        try AuditLog.append(actor, action, name, tenant: tenant, detail: detail, in: transaction)
        if state == HostOwnership.State.pending.rawValue { return }
        let data = SourceValue.object([
            ("tenant", .string(tenant)), (kind, object), ("actor", .string(actor)), ("detail", .string(detail)),
        ])
        try webhooks.add(action, of: tenant, SourceWriter.minified(data), in: transaction)
    }

    /// Whether the record is there, and what is there instead; nil if the name servers do not answer.
    private func look(for claim: HostOwnership) -> (Bool?, String) {
        guard let name = DomainName(claim.recordName) else { return (false, "\(claim.recordName) is no name in DNS") }
        switch textRecords(name) {
        case .found(let records, _):
            let texts = records.compactMap { record -> String? in
                guard case .text(let text) = record else { return nil }
                return String(decoding: text, as: UTF8.self)
            }
            if texts.contains(claim.recordText) { return (true, "") }
            return (false, "\(claim.recordName) has another text: \(texts.joined(separator: ", ").prefix(200))")
        case .noSuchName, .noData: return (false, "\(claim.recordName) has no TXT record")
        case .failed(let failure): return (nil, "\(failure)")
        }
    }

    func giveUp(_ host: String, of tenant: String, by identity: Identity) throws(APIProblem) {
        try write { transaction throws(DatabaseError) -> Result<Void, APIProblem> in
            guard let claim = try HostOwnership.load(host, of: tenant, in: transaction) else {
                return .failure(APIProblem(.unknown, "\(tenant) does not claim \(host)"))
            }
            let live = try PublishingTenant.load(tenant, in: transaction)?.live ?? 0
            let apps = try Release.content(of: tenant, live, in: transaction)
                .apps(of: tenant, environment: environment)
            let hosts = Set(apps.flatMap { $0.hosts.map(\.text) })
            // Another claim, such as one of a wildcard, may cover them.
            try transaction.execute("delete from claim where host = ? and tenant = ?", host, tenant)
            if let missing = try HostOwnership.notOwned(hosts, by: tenant, in: transaction).first {
                try claim.save(in: transaction)
                return .failure(
                    APIProblem(.state, "release \(live), which is live, names \(missing); publish one without it first")
                )
            }
            try AuditLog.append(identity.name, "host.given-up", host, tenant: tenant, in: transaction)
            return .success(())
        }
    }

    /// Whether a host is served or owned here, from memory.
    func knows(_ host: String) -> Bool {
        memory.withLock { memory in
            ([host] + HostName.wildcards(over: host)).contains {
                memory.owned.contains($0) || memory.served.contains($0)
            }
        }
    }

    /// Why the releases cannot be written where the server reads them; nil if they can.
    public var problem: String? { memory.withLock { $0.problem } }

    func note(problem: String?) { memory.withLock { $0.problem = problem } }

    /// Takes the hosts that the server serves.
    public func note(served: [String]) { memory.withLock { $0.served = Set(served) } }

    /// Does what is due: publishes what was scheduled, looks for records of claims, and loads what is asked for often.
    /// - Parameter log: for what went wrong.
    func tick(log: (String) -> Void) throws(DatabaseError) {
        do throws(APIProblem) {
            try refresh()
            // For a second, because large files take long to compare, and one claim, because name servers may be slow: what goes live now
            // must not wait for either.
            let end = Clock.monotonicMilliseconds() + 1_000
            for release in try read(Release.due) where Clock.monotonicMilliseconds() < end { try goLive(release, log) }
            for claim in try read(HostOwnership.due).prefix(1) {
                do throws(APIProblem) {
                    let now = try check(claim.host, of: claim.tenant, by: "daily check")
                    if now.state != claim.state { log("\(claim.tenant) no longer proves that it owns \(claim.host)") }
                } catch  where error.kind == .unknown {
                    // It was given up meanwhile.
                }
            }
        } catch {
            throw error.database ?? DatabaseError(.statement, error.detail)
        }
    }

    /// Publishes what was scheduled, or rejects it with the reason. If other releases are being compared, it waits for a later tick.
    private func goLive(_ release: Release, _ log: (String) -> Void) throws(APIProblem) {
        do throws(APIProblem) {
            _ = try move(release.number, of: release.tenant, .due, by: "schedule")
        } catch  where error.kind == .tooMany {
            return
        } catch  where error.kind != .database {
            log("release \(release.number) of \(release.tenant) did not go live: \(error.detail)")
            _ = try move(release.number, of: release.tenant, .refused, reason: error.detail, by: "schedule")
        }
    }

    /// Loads tokens and hosts if anything has changed.
    func refresh() throws(APIProblem) {
        let digest = try read { transaction throws(DatabaseError) in try AuditLog.last(in: transaction).digest }
        let used = tokens.takeUsed()
        if !used.isEmpty {
            var store = self.store.another()
            do throws(DatabaseError) {
                try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                    let now = try transaction.now()
                    for id in used { try transaction.execute("update token set used = ? where id = ?", now, id) }
                }
            } catch { throw APIProblem(error) }
        }
        if memory.withLock({ $0.digest }) == digest { return }
        let (all, owned, now) = try read { transaction throws(DatabaseError) in
            let rows = try transaction.query("select host from claim where state = 'owned'")
            let hosts = try rows.map { row throws(DatabaseError) -> String in try row[0] }
            return (try AccessToken.all(in: transaction), hosts, try transaction.now())
        }
        tokens.take(all, now: now)
        memory.withLock { ($0.digest, $0.owned) = (digest, Set(owned)) }
    }
}

extension APIProblem {
    init(_ error: DatabaseError) {
        self.init(.database, "the database cannot be used: \(error)")
        database = error
    }

    static func base(_ live: Int64) -> APIProblem {
        APIProblem(
            .base, live == 0 ? "nothing is live; the base is 0" : "release \(live) is live",
            [("live", .integer(Int(live)))])
    }

    static func unclaimed(
        _ hosts: [String], of tenant: String, _ members: [(String, SourceValue)] = []
    ) -> APIProblem {
        APIProblem(
            .unclaimed,
            "\(tenant) does not own \(hosts.prefix(5).joined(separator: ", "))\(hosts.count > 5 ? " and \(hosts.count - 5) more" : ""); "
                + "claim each (`associated hosts claim HOST`) and create the record that it names",
            members + [("unclaimed", .array(hosts.map { .string($0) }))])
    }

    /// The owner is named to those who may see all tenants.
    static func owned(_ host: String, by rival: String, _ identity: Identity?) -> APIProblem {
        let owner = identity.map { $0.tenant == nil } == true ? rival : "another tenant"
        return APIProblem(.claimed, "\(owner) owns \(host), or a host that covers it or is below it")
    }
}
