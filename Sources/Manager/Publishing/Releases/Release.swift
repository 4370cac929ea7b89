// Releases in the store. A release is an immutable, numbered set of a tenant's app files; each distinct text is stored once. All changes
// are made behind the lock of the feed, so two publishers never decide by the same state.

import Database
import SourceJSON

/// A release without its files.
struct Release: Sendable, Equatable {
    var tenant: String
    var number: Int64
    /// The live release that it was made from; 0 for none.
    var base: Int64
    var state: ReleaseState
    /// Whether what it takes away is meant to go.
    var retires: Bool
    var message: String
    var source: String
    var author: String
    /// In milliseconds since 1970, as all times here.
    var created: Int64
    var publishAt: Int64?
    var approver: String?
    var liveAt: Int64?
    var endedAt: Int64?
    /// Why it was rejected.
    var reason: String?
    /// The findings and the difference when it was stored, as JSON.
    var report = "{}"

    static let keptCount: Int64 = 100
    static let keptMilliseconds: Int64 = 400 * 86_400_000
    /// What the old releases of a tenant have at most, and again those that wait: four times the largest content.
    static let keptBytes: Int64 = 4 * Int64(ReleaseContent.bytesMax)
    /// Of one row, with its place in the indexes.
    private static let rowBytes = 256

    private static let columns =
        "tenant, number, base, state, retires, message, source, author, created, publish_at, approver, live_at, ended_at, reason, report"

    private init(_ row: Row) throws(DatabaseError) {
        let (state, retires): (String, Int64) = (try row[3], try row[4])
        (tenant, number, base) = (try row[0], try row[1], try row[2])
        (self.state, self.retires) = (ReleaseState(rawValue: state) ?? .rejected, retires != 0)
        (message, source, author, created) = (try row[5], try row[6], try row[7], try row[8])
        (publishAt, approver, liveAt, endedAt) = (try row[9], try row[10], try row[11], try row[12])
        (reason, report) = (try row[13], try row[14])
    }

    init(_ tenant: String, _ number: Int64, base: Int64, state: ReleaseState, author: String, created: Int64) {
        (self.tenant, self.number, self.base, self.state) = (tenant, number, base, state)
        (retires, message, source, self.author, self.created) = (false, "", "", author, created)
    }

    static func load(
        _ number: Int64, of tenant: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Release? {
        try transaction.query("select \(columns) from release where tenant = ? and number = ?", tenant, number).first
            .map { row throws(DatabaseError) in try Release(row) }
    }

    /// The releases before one, newest first.
    static func page(
        of tenant: String, before number: Int64, count: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Release] {
        try transaction.query(
            "select \(columns) from release where tenant = ? and number < ? order by number desc limit ?", tenant,
            number, count
        ).map { row throws(DatabaseError) in try Release(row) }
    }

    /// The number of the release that was live at a time, 0 if none was; nil if that is not known: it has been removed, or the clock was
    /// set back since.
    static func live(
        of tenant: String, at time: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int64? {
        let future = try transaction.query(
            "select 1 from release where tenant = ? and live_at > ? limit 1", tenant, try transaction.now())
        if !future.isEmpty { return nil }
        let last = try transaction.query(
            """
            select number, ended_at from release where tenant = ? and live_at <= ? order by live_at desc, number desc limit 1
            """, tenant, time
        ).first
        if let last {
            let end: Int64? = try last[1]
            return end.map { $0 <= time } == true ? nil : try last[0]
        }
        // The first one is still there.
        let first = try transaction.query(
            "select 1 from release where tenant = ? and base = 0 and live_at > ?", tenant, time)
        return first.isEmpty ? nil : 0
    }

    /// The scheduled releases whose time has come.
    static func due(in transaction: borrowing Transaction) throws(DatabaseError) -> [Release] {
        try transaction.query(
            "select \(columns) from release where state = ? and publish_at <= ? order by publish_at limit 100",
            ReleaseState.scheduled.rawValue, try transaction.now()
        ).map { row throws(DatabaseError) in try Release(row) }
    }

    /// Stores a new release with its files.
    func insert(_ content: ReleaseContent, in transaction: borrowing Transaction) throws(DatabaseError) {
        let digests = content.digests
        // Texts that its base has are stored already. Should the base be removed, they are those of the oldest release that is left, which
        // has no more than one content.
        let known = Set(try Release.files(of: tenant, base, in: transaction).map(\.digest))
        let new = digests.filter { !known.contains($0.digest) }.map { content.files[$0.name]?.count ?? 0 }
        let texts = [message, source, report].map(\.utf8.count)
        let bytes = (new + texts).reduce((digests.count + 1) * Self.rowBytes, +)
        try transaction.execute(
            "insert into release (\(Self.columns), bytes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            tenant, number, base, state.rawValue, retires ? 1 : 0 as Int64, message, source, author, created,
            publishAt, approver, liveAt, endedAt, reason, report, Int64(bytes))
        for (name, digest) in digests {
            try transaction.execute(
                "insert into blob values (?, ?) on conflict do nothing", digest, content.files[name] ?? [])
            try transaction.execute(
                "insert into release_file values (?, ?, ?, ?)", tenant, number, name, digest)
        }
    }

    static func content(
        of tenant: String, _ number: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> ReleaseContent {
        var content = ReleaseContent()
        for row in try transaction.query(
            """
            select name, body from release_file join blob on blob.digest = release_file.digest
            where tenant = ? and number = ?
            """, tenant, number)
        {
            let name: String = try row[0]
            content.files[name] = try row[1]
        }
        return content
    }

    /// The files with their digests, by name.
    static func files(
        of tenant: String, _ number: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [(name: String, digest: String)] {
        try transaction.query(
            "select name, digest from release_file where tenant = ? and number = ? order by name", tenant, number
        ).map { row throws(DatabaseError) in (try row[0], try row[1]) }
    }

    /// Changes the state, and what goes with it.
    mutating func enter(
        _ next: ReleaseState, approver: String? = nil, reason: String? = nil, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        state = next
        if let approver { self.approver = approver }
        if let reason { self.reason = reason }
        if next == .live { liveAt = now }
        if next == .superseded || next == .rejected { endedAt = now }
        try transaction.execute(
            "update release set state = ?, approver = ?, reason = ?, live_at = ?, ended_at = ? where tenant = ? and number = ?",
            state.rawValue, self.approver, self.reason, liveAt, endedAt, tenant, number)
        if next == .live { try replaceLive(in: transaction) }
    }

    /// Makes it what the tenant's hosts serve.
    func replaceLive(in transaction: borrowing Transaction) throws(DatabaseError) {
        if base > 0, var before = try Release.load(base, of: tenant, in: transaction),
            let next = before.state.next(.replaced)
        {
            try before.enter(next, in: transaction)
        }
        try transaction.execute("update tenant set live = ? where name = ?", number, tenant)
        try Feed.advance(tenant, in: transaction)
    }

    /// Removes what is beyond the retention. The live release and open ones stay.
    static func removeOld(of tenant: String, in transaction: borrowing Transaction) throws(DatabaseError) {
        let limit = try transaction.now() - keptMilliseconds
        let rows = try transaction.query(
            """
            select number from (
                select number, created, sum(bytes) over (order by number desc) as kept from release
                where tenant = ? and state in ('superseded', 'rejected')) as old
            where kept > ? or created < ? and number <= (select last from tenant where name = ?) - ?
            """, tenant, keptBytes, limit, tenant, keptCount)
        for row in rows {
            let number: Int64 = try row[0]
            let files = try files(of: tenant, number, in: transaction)
            try transaction.execute("delete from release_file where tenant = ? and number = ?", tenant, number)
            try transaction.execute("delete from release where tenant = ? and number = ?", tenant, number)
            for (_, digest) in files {
                try transaction.execute(
                    """
                    delete from blob where digest = ?
                        and not exists (select 1 from release_file where release_file.digest = blob.digest)
                    """, digest)
            }
        }
    }

    /// Whether no more releases of a tenant may wait, because those that do have too many bytes.
    static func isFull(_ tenant: String, in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        try !transaction.query(
            """
            select 1 from release where tenant = ? and state in ('proposed', 'scheduled')
            group by tenant having sum(bytes) > ?
            """, tenant, keptBytes
        ).isEmpty
    }
}

/// A tenant of publishing.
struct PublishingTenant: Sendable, Equatable {
    var name: String
    var created: Int64
    /// Whether its releases wait for the approval of another token.
    var needsApproval: Bool
    /// The number of its live release; 0 for none.
    var live: Int64
    /// The number of its last release.
    var last: Int64
    /// Its place in the feed.
    var seq: Int64

    static let pageMax: Int64 = 100

    static func isName(_ name: String) -> Bool { NameRule.tenant.allows(name) }

    private static let columns = "select name, created, approval, live, last, seq from tenant"

    private init(_ row: Row) throws(DatabaseError) {
        let approval: Int64 = try row[2]
        (name, created, needsApproval) = (try row[0], try row[1], approval != 0)
        (live, last, seq) = (try row[3], try row[4], try row[5])
    }

    static func load(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError) -> PublishingTenant? {
        try transaction.query("\(columns) where name = ?", name).first
            .map { row throws(DatabaseError) in try PublishingTenant(row) }
    }

    static func page(after name: String, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [PublishingTenant]
    {
        try transaction.query("\(columns) where name > ? order by name limit ?", name, pageMax)
            .map { row throws(DatabaseError) in try PublishingTenant(row) }
    }

    /// Those with changes after a place in the feed, in its order.
    static func changed(after seq: Int64, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [PublishingTenant]
    {
        try transaction.query("\(columns) where seq > ? order by seq limit ?", seq, pageMax)
            .map { row throws(DatabaseError) in try PublishingTenant(row) }
    }
}
