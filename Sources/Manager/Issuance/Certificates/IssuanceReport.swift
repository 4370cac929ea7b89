// What operators see of the work on certificates: numbers for metrics, and the state of one host or of those that need attention.

public import Database

/// The numbers over all hosts.
public struct IssuanceFigures: Sendable, Equatable {
    public var hosts: [IssuanceState: Int] = [:]
    /// Hosts that have never had a certificate from the manager, and are to get one.
    public var awaitedCount = 0
    /// Limits of the account that are in force.
    public var accountLimits: [AccountLimit] = []
    /// How long the host that has waited longest is waiting; nil if none waits.
    public var longestWaitMilliseconds: Int64?
    /// The smallest share of a certificate's life that is left, without hosts that are leaving; nil without certificates.
    public var lifeLeftMin: Double?
    /// What each rate limit allows now where it is tightest.
    public var budgets: [Budget.Limit: Double] = [:]
    /// Hosts that need a person: up to `stuckMax`, and one more if there are more.
    public var stuck: [IssuanceReport] = []
    public static let stuckMax = 1_000

    public init() {}

    /// The numbers as they are now.
    /// - Parameter rules: nil if no certificates are ordered.
    public init(_ rules: IssuanceRules? = nil, in transaction: borrowing Transaction) throws(DatabaseError) {
        let now = try transaction.now()
        for row in try transaction.query(
            "select state, count(*) from work where kind = ? group by state", CertificateWork.kind)
        {
            let (state, count): (String, Int64) = (try row[0], try row[1])
            if let state = IssuanceState(rawValue: state) { hosts[state] = Int(count) }
        }
        let awaited: Int64 = try transaction.query(
            """
            select count(*) from work where kind = ? and state <> ?
                and not exists (select 1 from certificate where certificate.name = work.key)
            """, CertificateWork.kind, IssuanceState.leaving.rawValue)[0][0]
        awaitedCount = rules == nil ? 0 : Int(awaited)
        let oldest = try transaction.query(
            "select min(coalesce(began, since)) from work where kind = ? and state not in (?, ?)", CertificateWork.kind,
            IssuanceState.issued.rawValue, IssuanceState.leaving.rawValue)
        let since: Int64? = try oldest[0][0]
        longestWaitMilliseconds = since.map { max(0, now - $0) }
        let share = try transaction.query(
            """
            select min(cast(not_after - ? as double precision) / (not_after - not_before)) from certificate
            where not_after > not_before and \(StoredCertificate.isUsed) and not exists
                (select 1 from work where kind = ? and key = certificate.name and state = ?)
            """, now, CertificateWork.kind, IssuanceState.leaving.rawValue)
        lifeLeftMin = try share[0][0]
        budgets = if let rules { try Budget.left(rules, in: transaction) } else { [:] }
        accountLimits = try AccountLimit.all(in: transaction)
        stuck = try IssuanceReport.stuck(limit: Int64(IssuanceFigures.stuckMax) + 1, in: transaction)
    }
}

/// The state of one host's certificate.
public struct IssuanceReport: Sendable, Equatable {
    public let host: String
    public let state: IssuanceState?
    public let problem: String?
    /// The time of the last change of the state, in milliseconds since 1970.
    public let since: Int64
    /// Since when the host has been without something that it should have, or has had it. Attempts do not change it.
    public let began: Int64
    /// The next step of the manager, in milliseconds since 1970.
    public let due: Int64
    public let tries: Int64
    /// Until when a worker has it; nil if none has.
    public let claimedUntil: Int64?
    public let issuer: String?
    public let notAfter: Int64?
    public let renewAt: Int64?

    /// Whether a certificate is in service that need not be renewed yet.
    public func isSettled(now: Int64) -> Bool {
        state == .issued && problem == nil && min(renewAt ?? 0, notAfter ?? 0) > now
    }

    private static let select = """
        select work.key, work.state, work.problem, work.due, work.tries, certificate.issuer, certificate.not_after,
            certificate.renew_at, work.since, coalesce(work.began, work.since), work.until
        from work left join certificate on certificate.name = work.key and \(StoredCertificate.isUsed)
        """

    private init(_ row: Row) throws(DatabaseError) {
        let state: String = try row[1]
        (host, self.state, problem) = (try row[0], IssuanceState(rawValue: state), try row[2])
        (due, tries, issuer) = (try row[3], try row[4], try row[5])
        (notAfter, renewAt, since, began) = (try row[6], try row[7], try row[8], try row[9])
        claimedUntil = try row[10]
    }

    /// The state of a host; nil if there is no work for it.
    public static func load(_ host: String, in transaction: borrowing Transaction) throws(DatabaseError) -> Self? {
        let rows = try transaction.query("\(select) where work.kind = ? and work.key = ?", CertificateWork.kind, host)
        guard let row = rows.first else { return nil }
        return try IssuanceReport(row)
    }

    /// The states of some hosts.
    public static func load(_ hosts: [String], in transaction: borrowing Transaction) throws(DatabaseError) -> [String:
        Self]
    {
        if hosts.isEmpty { return [:] }
        let places = hosts.map { _ in "?" }.joined(separator: ", ")
        let rows = try transaction.query(
            "\(select) where work.kind = ? and work.key in (\(places))", values: [CertificateWork.kind] + hosts)
        var reports: [String: Self] = [:]
        for row in rows {
            let report = try IssuanceReport(row)
            reports[report.host] = report
        }
        return reports
    }

    /// The hosts whose certificate is not simply issued, those with problems first.
    public static func unsettled(
        limit: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [IssuanceReport] {
        try transaction.query(
            """
            \(select) where work.kind = ? and work.state <> ?
            order by case when work.problem is null then 1 else 0 end, work.key limit ?
            """, CertificateWork.kind, IssuanceState.issued.rawValue, limit
        ).map { row throws(DatabaseError) in try IssuanceReport(row) }
    }

    /// DNS is often slow, and a problem of less than a day usually ends by itself.
    private static let patienceMilliseconds: Int64 = 86_400_000

    /// The hosts that need a person: their orders fail, the authority waits for the operator, or their DNS records have been wrong for
    /// more than a day.
    fileprivate static func stuck(
        limit: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [IssuanceReport] {
        try transaction.query(
            """
            \(select) where work.kind = ? and (work.state in (?, ?)
                or (work.state in (?, ?) and coalesce(work.began, work.since) < ?)) order by work.key limit ?
            """, CertificateWork.kind, IssuanceState.failing.rawValue, IssuanceState.paused.rawValue,
            IssuanceState.waitingForDNS.rawValue, IssuanceState.waitingForCAA.rawValue,
            try transaction.now() - patienceMilliseconds, limit
        ).map { row throws(DatabaseError) in try IssuanceReport(row) }
    }

    /// Makes the host's work due now.
    /// - Returns: false if there is no work for it.
    public static func hurry(_ host: String, in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        try transaction.execute(
            """
            update work set due = ?, tries = 0 where kind = ? and key = ?
            """, try transaction.now(), CertificateWork.kind, host) == 1
    }
}
