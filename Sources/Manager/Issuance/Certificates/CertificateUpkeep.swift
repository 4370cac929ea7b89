// What each node does about certificates without a claim. It writes the files of all certificates in the store: another node may have
// ordered them, and the folder may have been restored. If the database was, `StoreRecovery` brings it up to date first. A pass goes through the store in the order of names, so its
// share of the time is bounded, and it reads only what is new to this process.
//
// While one sealing key replaces another, it also seals again what was sealed with the old one.
//
// A folder without a certificate in the store is removed when its certificate has expired, not before: an empty or a wrong database
// must not take certificates out of service. Now and then it also removes rate limits that have been forgotten.

import ACME
import Database
import Posix
public import Store
import TLS

/// The upkeep of the certificates of one node. Used by one thread.
public struct CertificateUpkeep: ~Copyable {
    private let number: Int
    private let issuance: IssuanceStatus
    private let control: WorkControl
    private let files: IssuedFiles
    private let thumbprint: String
    private var store: Store
    /// The certificates of the last complete pass whose files are there: the beginnings of their sealed keys, by host.
    private var written: [String: [UInt8]] = [:]
    private var pass = Pass()
    /// Why a file could not be written in the last complete pass.
    private var problem: String?
    /// When buckets are removed next, by the monotonic clock.
    private var purgeDue: Int64 = 0
    /// Whether everything in the store is sealed with the first key, and an operator knows it.
    private var isResealed: Bool

    /// A pass that is not complete.
    private struct Pass {
        var after = ""
        var written: [String: [UInt8]] = [:]
        /// The first one.
        var problem: String?
        /// One that lets each order fail.
        var obstacle: String?
    }

    /// More rows at once would hold up other work with the database.
    static let pageCount: Int64 = 500
    private static let passMilliseconds: Int64 = 60_000
    private static let purgeMilliseconds: Int64 = 3_600_000
    /// It works for a quarter of the time.
    private static let restFactor: Int64 = 3

    /// - Parameter number: of its bell in the control.
    public init(
        _ number: Int, _ issuance: IssuanceStatus, places: ManagerPlaces, store: consuming Store
    ) {
        (self.number, self.issuance) = (number, issuance)
        control = issuance.control
        (files, thumbprint) = (IssuedFiles(places), places.thumbprint)
        isResealed = !store.keys.areTwo
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in
            let start = Clock.monotonicMilliseconds()
            let hasMore = try step()
            let spent = Clock.monotonicMilliseconds() - start
            return hasMore ? spent * CertificateUpkeep.restFactor : CertificateUpkeep.passMilliseconds
        }
    }

    /// Does one page of a pass.
    /// - Returns: whether the pass has more of them.
    mutating func step() throws(DatabaseError) -> Bool {
        if pass.after.isEmpty {
            // Known before there is something to order: a full disk fails only those that write.
            try store.tryWriting()
            try publishThumbprint()
        }
        let after = pass.after
        let marks = try store.read { transaction throws(DatabaseError) in
            try StoredCertificate.marks(after: after, limit: CertificateUpkeep.pageCount, in: transaction)
        }
        for mark in marks { try write(mark) }
        if let last = marks.last, marks.count == CertificateUpkeep.pageCount {
            pass.after = last.name
            return true
        }
        try removeExpired()
        issuance.reportRecovered()
        let obstacle = pass.obstacle ?? files.problem
        issuance.noteFiles(obstacle)
        let found = obstacle ?? pass.problem
        if let found, found != problem {
            control.log(.error, found)
        } else if found == nil, problem != nil {
            control.log(.info, "the files of all certificates, and the thumbprint of the account, are in place again")
        }
        if found == nil, !isResealed {
            isResealed = true
            control.log(
                .info,
                "everything in the store is sealed with the first key of the key file; when each node has said so, the second one "
                    + "can be removed from the file")
        }
        (written, problem) = (pass.written, found)
        pass = Pass()
        let time = Clock.monotonicMilliseconds()
        if time >= purgeDue {
            try store.write(isRepeatable: true, Bucket.purge)
            purgeDue = time + CertificateUpkeep.purgeMilliseconds
        }
        return false
    }

    /// Without it, the server cannot answer challenges, and each order fails.
    private mutating func publishThumbprint() throws(DatabaseError) {
        var isCurrent = false
        // A worker may write a newer one at the same time.
        while !isCurrent {
            let account = try AccountSecret.load(&store)
            do throws(SystemError) { try account.publish(at: thumbprint) } catch {
                pass.obstacle = "cannot write \(thumbprint), which the server needs for challenges: \(error.reason)"
            }
            isCurrent = try store.read { transaction throws(DatabaseError) in try account.isCurrent(in: transaction) }
        }
    }

    private mutating func write(_ mark: StoredCertificate.Mark) throws(DatabaseError) {
        if written[mark.name] != mark.sealing || !files.isThere(mark.name) {
            let known = try store.read { transaction throws(DatabaseError) in
                try StoredCertificate.load(mark.name, in: transaction)
            }
            guard let known, let stored = try StoreRecovery.run(mark.name, known, files, &store, issuance) else {
                return
            }
            if let problem = files.put(stored, store.keys) {
                pass.problem = pass.problem ?? "\(mark.name): \(problem)"
                return
            }
            if store.keys.areTwo { try reseal(stored) }
        }
        pass.written[mark.name] = mark.sealing
    }

    private mutating func reseal(_ certificate: StoredCertificate) throws(DatabaseError) {
        let place = StoredCertificate.sealingPlace(certificate.name, certificate.keyKind)
        guard let opened = try? store.keys.open(certificate.sealedKey, for: place), opened.isOutdated else { return }
        let sealed = try store.seal(opened.secret, for: place)
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try certificate.reseal(sealed, in: transaction)
        }
    }

    private mutating func removeExpired() throws(DatabaseError) {
        let now = Clock.wallSeconds()
        let hosts: [String]
        do throws(SystemError) { hosts = try files.hosts() } catch {
            pass.problem = pass.problem ?? "cannot list \(files.path): \(error.reason)"
            return
        }
        for host in hosts where pass.written[host] == nil && files.isExpired(host, now: now) {
            let isStored = try store.read { transaction throws(DatabaseError) in
                try StoredCertificate.load(host, in: transaction) != nil
            }
            if !isStored { files.remove(host) }
        }
    }
}
