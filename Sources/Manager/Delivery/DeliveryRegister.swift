// Keeps the store up to date with what the server serves. A pass goes through all hosts in the order of their names, one answer
// after the other, so its memory does not depend on their number. One node at a time does so.

import Database
import Posix

/// The passes over the served hosts.
struct DeliveryRegister: Sendable {
    private let node: String
    private let source: any DeliverySource
    /// Of the last complete pass.
    private var digest: String?
    private var pass: Pass?
    /// The end of the last pass or attempt, and how long it took, by the monotonic clock.
    private var restsUntil: Int64 = 0
    /// The latest fetch by a service that has been taken.
    private var fetchSeconds: Int64 = 0

    private struct Pass {
        var digest = ""
        var after = ""
        var millisecondsSpent: Int64 = 0
    }

    private static let leaseName = "delivery"
    private static let leaseMilliseconds: Int64 = 120_000
    /// More rows at once would hold the database's lock for too long.
    private static let batchCount = 200
    /// A pass over many hosts takes a small share of the time.
    private static let restFactor: Int64 = 20
    private static let retryMilliseconds: Int64 = 15_000
    /// The server notes fetches up to a second late.
    private static let overlapSeconds: Int64 = 5

    init(node: String, source: any DeliverySource) { (self.node, self.source) = (node, source) }

    /// Does one step of a pass, if one is due. If the server does not answer, the pass begins again later.
    /// - Parameter served: the digest of everything that is served; nil if it is not known.
    /// - Returns: whether there is more to do at once.
    mutating func step(served: String?, _ store: inout Store, now: Int64) throws(DatabaseError) -> Bool {
        guard pass != nil || served != nil && served != digest && now >= restsUntil else { return false }
        var pass = pass ?? Pass()
        self.pass = nil
        restsUntil = now + DeliveryRegister.retryMilliseconds
        let node = node
        let lease = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try Lease.take(
                DeliveryRegister.leaseName, by: node, milliseconds: DeliveryRegister.leaseMilliseconds, in: transaction)
        }
        guard lease != nil, let page = documents(after: pass.after) else { return false }
        if pass.after.isEmpty { pass.digest = page.digest }
        guard try take(page, after: pass.after, &store) else { return false }
        pass.millisecondsSpent += Clock.monotonicMilliseconds() - now
        if page.hasMore, let last = page.hosts.last?.name {
            pass.after = last
            self.pass = pass
            return true
        }
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try DeliveryRecord.purge(in: transaction)
        }
        digest = pass.digest
        restsUntil = Clock.monotonicMilliseconds() + pass.millisecondsSpent * DeliveryRegister.restFactor
        return false
    }

    private func documents(after name: String) -> ServedVersions? {
        do throws(DeliverySourceFailure) { return try source.documents(after: name) } catch { return nil }
    }

    /// - Returns: false if the server does not answer.
    private func take(
        _ page: ServedVersions, after first: String, _ store: inout Store
    ) throws(DatabaseError) -> Bool {
        let last = page.hasMore ? page.hosts.last?.name : nil
        var known = try store.read { transaction throws(DatabaseError) in
            try DeliveryRecord.tags(after: first, through: last, in: transaction)
        }
        var changed: [Change] = []
        for host in page.hosts where host.isPublic {
            for (verifier, tag) in host.tags {
                let key = DeliveryRecord.Key(host.name, verifier)
                if known.removeValue(forKey: key) != tag { changed.append(Change(key: key, tag: tag)) }
            }
        }
        for start in stride(from: 0, to: changed.count, by: DeliveryRegister.batchCount) {
            let batch = changed[start..<min(changed.count, start + DeliveryRegister.batchCount)]
            guard try publish(batch, &store) else { return false }
        }
        let lost = Array(known.keys)
        for start in stride(from: 0, to: lost.count, by: DeliveryRegister.batchCount) {
            let batch = lost[start..<min(lost.count, start + DeliveryRegister.batchCount)]
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                for key in batch { try DeliveryRecord.withdraw(key.name, key.verifier, in: transaction) }
            }
        }
        return true
    }

    /// A file that differs from what the store has.
    private struct Change {
        let key: DeliveryRecord.Key
        let tag: String
        var digest: [UInt8]?
    }

    private func publish(_ batch: ArraySlice<Change>, _ store: inout Store) throws(DatabaseError) -> Bool {
        var found: [Change] = []
        for var change in batch {
            do throws(DeliverySourceFailure) {
                // It may have changed since the answer; the next pass finds out.
                guard let file = try source.file(of: change.key.name, for: change.key.verifier) else { continue }
                change.digest = DocumentDigest.of(file, for: change.key.verifier)
                found.append(change)
            } catch {
                return false
            }
        }
        let changes = found
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            for change in changes {
                try DeliveryRecord.publish(
                    change.key.name, change.key.verifier, tag: change.tag, digest: change.digest, in: transaction)
            }
        }
        return true
    }

    /// Takes the fetches by the services since the last call.
    mutating func takeFetches(_ store: inout Store) throws(DatabaseError) {
        let fetches: [ServiceFetch]
        do throws(DeliverySourceFailure) {
            fetches = try source.fetches(since: max(0, fetchSeconds - DeliveryRegister.overlapSeconds))
        } catch {
            return
        }
        for start in stride(from: 0, to: fetches.count, by: DeliveryRegister.batchCount) {
            let batch = fetches[start..<min(fetches.count, start + DeliveryRegister.batchCount)]
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                for fetch in batch {
                    try DeliveryRecord.noteFetch(
                        fetch.host, fetch.verifier, atMilliseconds: fetch.seconds * 1_000, in: transaction)
                }
            }
        }
        fetchSeconds = max(fetchSeconds, fetches.last?.seconds ?? 0)
    }
}
