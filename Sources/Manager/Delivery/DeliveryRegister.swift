// Keeps the store up to date with what the server serves. A pass goes through all hosts in the order of their names, one answer
// after the other, so its memory does not depend on their number. One node at a time does so. It has a thread of its own: a service
// that answers slowly must not delay what is served.

import DNS
import Database
import Posix
public import Store
import Verifier

/// The passes over the served hosts. Used by one thread.
public struct DeliveryRegister: ~Copyable {
    private let number: Int
    private let node: String
    private let source: any DeliverySource
    private let status: DeliveryStatus
    private let control: WorkControl
    private var store: Store
    /// Of the last complete pass.
    private var digest: String?
    private var pass: Pass?
    /// By the clock of the caller, which never goes back.
    private var restsUntil: Int64 = 0
    /// From when on the server is asked for fetches by the services.
    private var fetchesSince: Int64 = 0
    /// The fetches since then that were taken already.
    private var takenFetches: Set<ServiceFetch> = []
    private var fetchesDue: Int64 = 0
    /// When the store was last known to have everything that is served.
    private var completeSeconds: Int64 = 0

    private struct Pass {
        var digest = ""
        /// The last name of the page before; empty at first.
        var after = ""
        /// For reading. Publishing is work that a change causes, and does not delay the next pass.
        var readMilliseconds: Int64 = 0
        let beganSeconds = Clock.wallSeconds()
        /// What is left to do of the page; nil before the first one.
        var page: Page?
    }

    /// What has to be done about some hosts.
    private struct Page {
        var changed: ArraySlice<Change>
        var lost: ArraySlice<DeliveryRecord.Key>
        /// The last of these hosts; nil if there are no later ones.
        let last: String?

        var isDone: Bool { changed.isEmpty && lost.isEmpty }
    }

    private static let listQuestion = "the list of its files"
    private static let filesQuestion = "its files"
    private static let fetchesQuestion = "the fetches by Apple and Google"
    private static let leaseName = "delivery"
    private static let leaseMilliseconds: Int64 = 120_000
    /// More rows at once would hold the database's lock for too long.
    private static let batchCount = 200
    /// Reading many hosts takes a small share of the time, but a change waits for no longer than a minute.
    private static let restFactor: Int64 = 20
    private static let restMillisecondsMax: Int64 = 60_000
    private static let retryMilliseconds: Int64 = 15_000
    private static let idleMilliseconds: Int64 = 2_000
    private static let fetchesMilliseconds: Int64 = 20_000
    private static let moreFetchesMilliseconds: Int64 = 1_000
    /// The server notes fetches up to a second late.
    private static let overlapSeconds: Int64 = 5
    /// The manager learns of a change within a few seconds, unless it is busy.
    private static let noticeSeconds: Int64 = 60

    /// - Parameters:
    ///   - number: of its bell in the control.
    ///   - node: the name of the state directory, which outlives the process.
    public init(
        _ number: Int, _ status: DeliveryStatus, node: String, source: any DeliverySource, store: consuming Store
    ) {
        (self.number, self.status, self.node, self.source) = (number, status, node, source)
        control = status.control
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in
            try round(now: Clock.monotonicMilliseconds()) ? 0 : DeliveryRegister.idleMilliseconds
        }
    }

    /// Does what is due.
    /// - Returns: whether there is more to do at once.
    mutating func round(now: Int64) throws(DatabaseError) -> Bool {
        let hasMore = try step(served: status.servedDigest, now: now)
        if now >= fetchesDue {
            let areMore = try takeFetches()
            fetchesDue =
                now + (areMore ? DeliveryRegister.moreFetchesMilliseconds : DeliveryRegister.fetchesMilliseconds)
        }
        return hasMore
    }

    /// How long to rest after a pass.
    /// - Parameter readMilliseconds: for reading what the server and the store have.
    static func restMilliseconds(readMilliseconds: Int64) -> Int64 {
        min(restMillisecondsMax, max(0, readMilliseconds) * restFactor)
    }

    /// Does one step of a pass, if one is due: stores some of the changes of a page, which it reads first. The steps are short,
    /// so that looks do not wait for a large pass. If the server does not answer, the pass begins again later.
    /// - Parameter served: the digest of everything that is served; nil if it is not known.
    /// - Returns: whether there is more to do at once.
    mutating func step(served: String?, now: Int64) throws(DatabaseError) -> Bool {
        guard pass != nil || served != nil && served != digest && now >= restsUntil else {
            if served != nil, served == digest { completeSeconds = Clock.wallSeconds() }
            return false
        }
        var pass = pass ?? Pass()
        self.pass = nil
        restsUntil = now + DeliveryRegister.retryMilliseconds
        let node = node
        let isOurs = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try Lease.take(
                DeliveryRegister.leaseName, by: node, milliseconds: DeliveryRegister.leaseMilliseconds, in: transaction)
        }
        guard isOurs else { return false }
        if pass.page == nil {
            pass.page = try read(&pass)
        }
        guard var page = pass.page else { return false }
        guard try take(from: &page) else { return false }
        pass.page = page
        if page.isDone {
            guard let last = page.last else {
                try finish(pass, now: now)
                return false
            }
            (pass.after, pass.page) = (last, nil)
        }
        self.pass = pass
        return true
    }

    private mutating func finish(_ pass: Pass, now: Int64) throws(DatabaseError) {
        try store.write(isRepeatable: true, DeliveryRecord.purge)
        // Fetches of the new versions may have been seen before the store had these versions, from this node or another.
        fetchesSince = min(fetchesSince, max(0, completeSeconds - DeliveryRegister.noticeSeconds))
        takenFetches = []
        completeSeconds = pass.beganSeconds
        digest = pass.digest
        restsUntil = now + DeliveryRegister.restMilliseconds(readMilliseconds: pass.readMilliseconds)
    }

    /// Reads the next page of a pass, and what the store knows of these hosts.
    /// - Returns: nil if the server does not answer.
    private mutating func read(_ pass: inout Pass) throws(DatabaseError) -> Page? {
        let began = Clock.monotonicMilliseconds()
        let first = pass.after
        guard
            let page = ask(
                DeliveryRegister.listQuestion,
                { () throws(DeliverySourceFailure) in try source.documents(after: first) })
        else { return nil }
        if first.isEmpty { pass.digest = page.digest }
        let last = page.hasMore ? page.hosts.last?.name : nil
        var known = try store.read { transaction throws(DatabaseError) in
            try DeliveryRecord.tags(after: first, through: last, in: transaction)
        }
        var changed: [Change] = []
        for host in page.hosts where DeliveryRegister.isPublic(host.name) {
            for (verifier, tag) in host.tags {
                let key = DeliveryRecord.Key(name: host.name, verifier: verifier)
                if known.removeValue(forKey: key) != tag { changed.append(Change(key: key, tag: tag)) }
            }
        }
        pass.readMilliseconds += Clock.monotonicMilliseconds() - began
        return Page(changed: changed[...], lost: Array(known.keys)[...], last: last)
    }

    /// Whether Apple and Google can fetch from a host. A wildcard has no address of its own, a name without a dot is that of a
    /// machine in a local network, and some top-level domains are not in the public DNS.
    static func isPublic(_ name: String) -> Bool {
        let labels = name.split(separator: ".")
        guard labels.count > 1, let last = labels.last, let host = DomainName(name), !host.isWildcard else {
            return false
        }
        return !specialDomains.contains(String(last)) && labels.suffix(2) != ["home", "arpa"]
    }

    /// RFC 2606, 6761, 6762, 7686 and 9476, and ICANN's for private use.
    private static let specialDomains: Set<String> = [
        "alt", "example", "internal", "invalid", "local", "localhost", "onion", "test",
    ]

    /// What the server answers; nil if it does not.
    private func ask<Answer>(_ question: String, _ body: () throws(DeliverySourceFailure) -> Answer) -> Answer? {
        do throws(DeliverySourceFailure) {
            let answer = try body()
            control.noteSource(question, nil)
            return answer
        } catch {
            control.noteSource(question, error.description)
            return nil
        }
    }

    /// Stores some of the changes of a page.
    /// - Returns: false if the server does not answer, or if the process ends.
    private mutating func take(from page: inout Page) throws(DatabaseError) -> Bool {
        if !page.changed.isEmpty {
            guard try publish(page.changed.prefix(DeliveryRegister.batchCount)) else { return false }
            page.changed = page.changed.dropFirst(DeliveryRegister.batchCount)
            return true
        }
        if page.lost.isEmpty { return true }
        let batch = page.lost.prefix(DeliveryRegister.batchCount)
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            for key in batch { try DeliveryRecord.withdraw(key.name, key.verifier, in: transaction) }
        }
        page.lost = page.lost.dropFirst(DeliveryRegister.batchCount)
        return true
    }

    /// A file that differs from what the store has.
    private struct Change {
        let key: DeliveryRecord.Key
        let tag: String
        var digest: [UInt8]?
    }

    private mutating func publish(_ batch: ArraySlice<Change>) throws(DatabaseError) -> Bool {
        let (status, control, source) = (status, control, source)
        let found = ask(DeliveryRegister.filesQuestion) { () throws(DeliverySourceFailure) -> [Change] in
            var found: [Change] = []
            for var change in batch where !control.isStopping {
                // It may have changed since the answer; the next pass finds out.
                guard let file = try source.file(of: change.key.name, for: change.key.verifier) else { continue }
                change.digest = DocumentDigest.of(file, for: change.key.verifier)
                found.append(change)
            }
            return found
        }
        guard let changes = found, !control.isStopping else { return false }
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            for change in changes {
                try DeliveryRecord.publish(
                    change.key.name, change.key.verifier, of: status.tenant(change.key.name), tag: change.tag,
                    digest: change.digest, in: transaction)
            }
        }
        return true
    }

    /// Takes the fetches by the services since the last call, as many as the server lists at once.
    /// - Returns: whether there are more.
    mutating func takeFetches(nowSeconds: Int64 = Clock.wallSeconds()) throws(DatabaseError) -> Bool {
        // A clock that was set back must not hide what happens until it has caught up.
        let since = min(fetchesSince, nowSeconds)
        let answer = ask(DeliveryRegister.fetchesQuestion) { () throws(DeliverySourceFailure) in
            try source.fetches(since: since)
        }
        guard let page = answer else { return false }
        let fetches = page.fetches.filter { !takenFetches.contains($0) }
        for start in stride(from: 0, to: fetches.count, by: DeliveryRegister.batchCount) {
            if control.isStopping { return false }
            let batch = fetches[start..<min(fetches.count, start + DeliveryRegister.batchCount)]
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                for fetch in batch { try DeliveryRecord.note(fetch, in: transaction) }
            }
        }
        guard let last = page.fetches.last?.seconds else { return false }
        fetchesSince =
            page.hasMore
            // If one second has more than the server lists, the rest of it is left out.
            ? (last > since ? last : since + 1) : max(since, last - DeliveryRegister.overlapSeconds)
        let first = fetchesSince
        takenFetches = Set(page.fetches.filter { $0.seconds >= first })
        return page.hasMore
    }
}
