// The versions of hosts' files in the store: what is served now and since when, what was served before, and how far the current
// version has got. The history is what tells an earlier version of our own from a file of another server.

public import Database
import Store

/// A version of a file that a host has served.
struct DeliveryVersion: Hashable, Sendable {
    /// By meaning.
    var digest: [UInt8]
    /// When it was last published, in milliseconds since 1970.
    var at: Int64
}

/// The file of one host for one service.
public struct DeliveryRecord: Hashable, Sendable {
    let name: String
    let verifier: DeliveryVerifier
    /// The entity tag of what is served.
    let tag: String
    /// By meaning; nil if the file cannot be compared.
    let digest: [UInt8]?
    /// When the host was first seen with such a file, in milliseconds since 1970.
    let registered: Int64
    let published: Int64
    /// When the service's fetcher was first seen to have taken this version, from a network of the service.
    let fetched: Int64?
    /// When the service was first seen to have this version.
    let equalAt: Int64?
    /// Whether the service has had a version of this history.
    let wasEqual: Bool
    /// The last ones, newest first.
    let versions: [DeliveryVersion]

    /// Of the versions that are older than `keptMilliseconds`.
    static let oldVersionsMax: Int64 = 16
    /// A tenant may publish at every moment, and services keep copies for days.
    static let versionsMax: Int64 = 200
    /// How long each version is kept, and the history of a host that is no longer served. It may come back.
    static let keptMilliseconds = 30 * DeliveryPlan.dayMilliseconds

    private static let columns = "tag, digest, registered, published, fetched, equal_at, settled"

    /// Whether a copy that is not in the history must come from elsewhere. What was served before the host was registered is
    /// not in it, nor is what was removed because there were too many versions. Apple's CDN may have either for a week.
    func isSettled(now: Int64) -> Bool {
        let weekAgo = now - DeliveryPlan.weekMilliseconds
        if versions.count >= DeliveryRecord.versionsMax, let oldest = versions.last, oldest.at > weekAgo {
            return false
        }
        return wasEqual || registered <= weekAgo
    }

    /// The record of a host that is served.
    /// - Parameter since: also of one that is not served any more, but was at this time.
    static func load(
        _ name: String, _ verifier: DeliveryVerifier, servedSince since: Int64 = .max,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> DeliveryRecord? {
        let rows = try transaction.query(
            "select \(columns) from delivery where name = ? and verifier = ? and (gone is null or gone > ?)", name,
            verifier.rawValue, since)
        guard let row = rows.first else { return nil }
        let versions = try transaction.query(
            "select digest, at from delivery_version where name = ? and verifier = ? order by at desc limit ?", name,
            verifier.rawValue, versionsMax
        ).map { row throws(DatabaseError) in DeliveryVersion(digest: try row[0], at: try row[1]) }
        let settled: Int64 = try row[6]
        return DeliveryRecord(
            name: name, verifier: verifier, tag: try row[0], digest: try row[1], registered: try row[2],
            published: try row[3], fetched: try row[4], equalAt: try row[5], wasEqual: settled != 0, versions: versions)
    }

    /// Records what a host serves, and adds the work. A file with another tag but of the same meaning is no new version. Of a
    /// host that returns after more than an hour, another server may have sent files in the meantime, so its history has a gap.
    static func publish(
        _ name: String, _ verifier: DeliveryVerifier, of tenant: String = "", tag: String, digest: [UInt8]?,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        let goneMin = now - DeliveryPlan.goneMilliseconds
        let known = try load(name, verifier, servedSince: goneMin, in: transaction)
        let isSame = known != nil && digest != nil && known?.digest == digest
        try transaction.execute(
            """
            insert into delivery (name, verifier, tag, digest, registered, published, settled)
            values (?, ?, ?, ?, ?, ?, 0)
            on conflict (name, verifier) do update set tag = excluded.tag, digest = excluded.digest,
                registered = case when delivery.gone <= ? then excluded.registered else delivery.registered end,
                settled = case when delivery.gone <= ? then 0 else delivery.settled end, gone = null
            """, name, verifier.rawValue, tag, digest, now, now, goneMin, goneMin)
        if isSame { return }
        if let digest {
            try addVersion(DeliveryVersion(digest: digest, at: now), name, verifier, in: transaction)
        }
        try transaction.execute(
            "update delivery set published = ?, fetched = null, equal_at = null where name = ? and verifier = ?", now,
            name, verifier.rawValue)
        let due = known == nil ? now : now + DeliveryPlan.firstMilliseconds
        let priority = DeliveryPlan.priority(replacingVersionOfAge: known.map { now - $0.published })
        try Work.add(
            verifier.workKind, name, tenant: tenant, state: DeliveryState.unknown.rawValue, due: due,
            priority: priority, in: transaction)
        // The look that was planned before may have a higher one. That of a host without a look stays.
        try transaction.execute(
            """
            update work set priority = ? where kind = ? and key = ?
                and exists (select 1 from observation where name = ? and verifier = ?)
            """, priority, verifier.workKind, name, name, verifier.rawValue)
    }

    private static func addVersion(
        _ version: DeliveryVersion, _ name: String, _ verifier: DeliveryVerifier, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into delivery_version (name, verifier, digest, at) values (?, ?, ?, ?)
            on conflict (name, verifier, digest) do update set at = excluded.at
            """, name, verifier.rawValue, version.digest, version.at)
        try removeVersions(
            name, verifier, before: version.at - keptMilliseconds, butLast: oldVersionsMax, in: transaction)
        try removeVersions(name, verifier, before: version.at, butLast: versionsMax, in: transaction)
    }

    private static func removeVersions(
        _ name: String, _ verifier: DeliveryVerifier, before: Int64, butLast count: Int64,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            delete from delivery_version where name = ? and verifier = ? and at < ? and at < (
                select min(latest.at) from (
                    select at from delivery_version where name = ? and verifier = ? order by at desc limit ?) as latest)
            """, name, verifier.rawValue, before, name, verifier.rawValue, count)
    }

    /// Records that a host no longer serves the file. The history stays for a while, and for an hour everything does: the server may
    /// have started with an old configuration.
    static func withdraw(
        _ name: String, _ verifier: DeliveryVerifier, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "update delivery set gone = ? where name = ? and verifier = ?", try transaction.now(), name,
            verifier.rawValue)
    }

    /// Ends the looks at a host that has not been served for an hour. Until then they wait.
    /// - Returns: false if the host is served.
    static func release(
        _ work: Work, _ verifier: DeliveryVerifier, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let rows = try transaction.query(
            "select gone from delivery where name = ? and verifier = ?", work.key, verifier.rawValue)
        let now = try transaction.now()
        // Without a record, it was not served for longer.
        let gone: Int64? = if let row = rows.first { try row[0] } else { 0 }
        guard let gone else { return false }
        if gone > now - DeliveryPlan.goneMilliseconds {
            _ = try work.postpone(
                to: min(gone, now) + DeliveryPlan.goneMilliseconds, state: work.state, problem: work.problem,
                tries: work.tries, in: transaction)
        } else if try work.finish(in: transaction) {
            try transaction.execute(
                "delete from observation where name = ? and verifier = ?", work.key, verifier.rawValue)
        }
        return true
    }

    static func purge(in transaction: borrowing Transaction) throws(DatabaseError) {
        let before = try transaction.now() - keptMilliseconds
        try transaction.execute(
            """
            delete from delivery_version where exists (
                select 1 from delivery where delivery.name = delivery_version.name
                    and delivery.verifier = delivery_version.verifier and delivery.gone < ?)
            """, before)
        try transaction.execute("delete from delivery where gone < ?", before)
        try RegistrationWatch.purge(in: transaction)
    }

    /// Records that the service's fetcher has taken the current version, and looks at the copy soon if this is new. The client of
    /// a fetch that is not confirmed may be any, so it is not recorded, and causes a look only if there was none for a while.
    static func note(_ fetch: ServiceFetch, in transaction: borrowing Transaction) throws(DatabaseError) {
        let (name, verifier) = (fetch.host, fetch.verifier)
        let now = try transaction.now()
        if fetch.isConfirmed {
            let isNew =
                try transaction.execute(
                    """
                    update delivery set fetched = ?
                    where name = ? and verifier = ? and tag = ? and gone is null and fetched is null
                    """, fetch.seconds * 1_000, name, verifier.rawValue, fetch.tag) == 1
            guard isNew else { return }
        } else {
            let rows = try transaction.query(
                "select looked from observation where name = ? and verifier = ? and looked <= ?", name,
                verifier.rawValue, now - DeliveryPlan.claimedFetchMilliseconds)
            guard !rows.isEmpty else { return }
        }
        guard let record = try load(name, verifier, in: transaction), record.tag == fetch.tag, record.equalAt == nil
        else { return }
        try Work.add(
            verifier.workKind, name, state: DeliveryState.unknown.rawValue,
            due: now + DeliveryPlan.afterFetchMilliseconds,
            priority: fetch.isConfirmed ? DeliveryPlan.priorityOfChanges : DeliveryPlan.priorityOfOthers,
            in: transaction)
    }

    func noteEqual(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            update delivery set settled = 1, equal_at = case when equal_at is null then ? else equal_at end
            where name = ? and verifier = ? and tag = ?
            """, try transaction.now(), name, verifier.rawValue, tag)
    }

    /// What is known of the hosts with names after one, up to another.
    static func tags(
        after first: String, through last: String?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Key: String] {
        var tags: [Key: String] = [:]
        let select = "select name, verifier, tag from delivery where gone is null and name > ?"
        let rows =
            if let last {
                try transaction.query("\(select) and name <= ?", first, last)
            } else {
                try transaction.query(select, first)
            }
        for row in rows {
            let (name, verifier): (String, String) = (try row[0], try row[1])
            if let verifier = DeliveryVerifier(rawValue: verifier) {
                tags[Key(name: name, verifier: verifier)] = try row[2]
            }
        }
        return tags
    }

    /// A host and a service.
    struct Key: Hashable, Sendable {
        let name: String
        let verifier: DeliveryVerifier
    }
}

/// Text without a variable: a change of the program does not change history.
extension DeliveryRecord {
    public static let tables = [
        Migration(version: 1, readerMin: 1) { dialect in
            [
                """
                create table observation (
                    name text not null, verifier text not null, state text not null, since bigint not null,
                    digest \(dialect.blob), looked bigint not null, detail text not null, primary key (name, verifier))
                """
            ]
        },
        Migration(version: 2, readerMin: 1) { dialect in
            // Compared byte by byte, as the manager sorts names.
            let name = dialect == .postgreSQL ? "text collate \"C\"" : "text"
            return [
                """
                create table delivery (
                    name \(name) not null, verifier text not null, tag text not null, digest \(dialect.blob),
                    registered bigint not null, published bigint not null, fetched bigint, equal_at bigint,
                    settled bigint not null, gone bigint, primary key (name, verifier))
                """,
                """
                create table delivery_version (
                    name \(name) not null, verifier text not null, digest \(dialect.blob) not null, at bigint not null,
                    primary key (name, verifier, digest))
                """,
            ]
        },
        Migration(version: 3, readerMin: 1) { _ in
            [
                """
                create table registration (
                    package text not null, fingerprint text not null, state text not null, looked bigint not null,
                    primary key (package, fingerprint))
                """
            ]
        },
        // The digests of statement lists have dynamic rules from now on, so the register reads these files again.
        Migration(version: 4, readerMin: 1) { _ in ["update delivery set tag = '' where verifier = 'google'"] },
    ]
}
