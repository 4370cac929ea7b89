// Who may publish for a host. A claim is proved by an operator, or by a TXT record that only the owner of the zone can set. The first proof
// counts, whoever claimed first. A proved host, the wildcard that covers it and its parents belong to one tenant.

import Database
import SourceJSON
import TLS

/// The claim of a tenant to a host.
struct HostOwnership: Sendable, Equatable {
    var host: String
    var tenant: String
    var state: State
    var proof: Proof
    /// What the TXT record must have.
    var secret: String
    var created: Int64
    var verified: Int64?
    /// When the record was last looked for.
    var checked: Int64?
    /// What the last look found instead.
    var problem: String

    enum State: String, Sendable, CaseIterable {
        /// Not proved yet.
        case pending
        case owned
        /// The record has been missing for too long; another tenant may prove the host.
        case lapsed
    }

    enum Proof: String, Sendable, CaseIterable {
        case dns
        /// An operator vouches for the tenant.
        case `operator`
    }

    /// A proof is looked for daily, and may be missing for a week.
    static let checkMilliseconds: Int64 = 86_400_000
    static let graceMilliseconds: Int64 = 7 * 86_400_000
    static let claimsOfTenantMax: Int64 = 10_000

    /// The record that proves it.
    var recordName: String { "_associated.\(host.hasPrefix("*.") ? String(host.dropFirst(2)) : host)" }
    var recordText: String { "associated=\(secret)" }

    /// The state after a look for the record.
    /// - Parameter found: nil if the name servers did not answer, which says nothing.
    func next(found: Bool?, now: Int64) -> State {
        guard proof == .dns else { return state }
        switch (state, found) {
        case (_, true): return .owned
        case (.owned, false): return now - (verified ?? 0) > Self.graceMilliseconds ? .lapsed : .owned
        case (_, false), (_, nil): return state
        }
    }

    /// Whether owning one host excludes another tenant from owning the other: the same name, or a wildcard or a parent of it.
    static func excludes(_ owned: String, _ wanted: String) -> Bool {
        let (ownedName, wantedName) = (name(owned), name(wanted))
        if ownedName == wantedName { return true }
        // Whoever owns shop.example.com keeps it from the owner of example.com, with or without a wildcard.
        if ownedName.hasSuffix(".\(wantedName)") { return true }
        return owned.hasPrefix("*.") && wantedName.hasSuffix(".\(ownedName)")
    }

    private static func name(_ host: String) -> String { host.hasPrefix("*.") ? String(host.dropFirst(2)) : host }

    private static let columns =
        "select host, tenant, state, proof, secret, created, verified, checked, problem from claim"

    private init(_ row: Row) throws(DatabaseError) {
        let (state, proof): (String, String) = (try row[2], try row[3])
        (host, tenant, secret) = (try row[0], try row[1], try row[4])
        (self.state, self.proof) = (State(rawValue: state) ?? .pending, Proof(rawValue: proof) ?? .dns)
        (created, verified, checked, problem) = (try row[5], try row[6], try row[7], try row[8])
    }

    init(_ host: String, of tenant: String, proof: Proof, created: Int64) {
        (self.host, self.tenant, self.proof, self.created) = (host, tenant, proof, created)
        (state, secret, problem) = (.pending, RandomText.hexadecimal(bytes: 16), "")
    }

    static func load(
        _ host: String, of tenant: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> HostOwnership? {
        try transaction.query("\(columns) where host = ? and tenant = ?", host, tenant).first
            .map { row throws(DatabaseError) in try HostOwnership(row) }
    }

    /// The claims of a tenant after a host.
    static func page(
        of tenant: String, after host: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [HostOwnership] {
        try transaction.query("\(columns) where tenant = ? and host > ? order by host limit 100", tenant, host)
            .map { row throws(DatabaseError) in try HostOwnership(row) }
    }

    /// Which of these hosts a tenant does not own.
    static func notOwned(
        _ hosts: Set<String>, by tenant: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [String] {
        var missing: [String] = []
        for host in hosts.sorted() {
            var isOwned = false
            for name in [host] + HostName.wildcards(over: host) where !isOwned {
                isOwned = try load(name, of: tenant, in: transaction)?.state == .owned
            }
            if !isOwned { missing.append(host) }
        }
        return missing
    }

    /// The other tenant whose host excludes this one; nil if none does.
    func rival(in transaction: borrowing Transaction) throws(DatabaseError) -> String? {
        let near = [Self.name(host), "*.\(Self.name(host))"] + HostName.wildcards(over: host)
        var rows: [Row] = []
        for name in near {
            rows += try transaction.query(
                "select host, tenant from claim where host = ? and state = ? and tenant <> ?", name,
                State.owned.rawValue, tenant)
        }
        // The hosts below it.
        rows += try transaction.query(
            "select host, tenant from claim where host like ? and state = ? and tenant <> ? limit 1",
            "%.\(Self.name(host))", State.owned.rawValue, tenant)
        for row in rows {
            let (owned, owner): (String, String) = (try row[0], try row[1])
            if Self.excludes(owned, host) { return owner }
        }
        return nil
    }

    /// Stores the claim as it is now.
    func save(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into claim values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            on conflict (host, tenant) do update set state = excluded.state, proof = excluded.proof,
                verified = excluded.verified, checked = excluded.checked, problem = excluded.problem
            """, host, tenant, state.rawValue, proof.rawValue, secret, created, verified, checked, problem)
    }

    /// The claims whose record is to be looked for.
    static func due(in transaction: borrowing Transaction) throws(DatabaseError) -> [HostOwnership] {
        try transaction.query(
            "\(columns) where proof = 'dns' and state = 'owned' and checked < ? order by checked limit 20",
            try transaction.now() - checkMilliseconds
        ).map { row throws(DatabaseError) in try HostOwnership(row) }
    }

    static let members = """
        host: text, tenant: text, state: text, proof: text, record: object?, next: text?, problem: text?, created: time, \
        verified: time?, checked: time?
        """

    var value: SourceValue {
        let next: SourceValue =
            switch state {
            case .owned: .null
            case .pending: .string("create the record, then ask for a check")
            case .lapsed: .string("create the record again, then ask for a check")
            }
        return .object([
            ("host", .string(host)), ("tenant", .string(tenant)), ("state", .string(state.rawValue)),
            ("proof", .string(proof.rawValue)),
            (
                "record",
                proof == .operator
                    ? .null
                    : .object([
                        ("name", .string(recordName)), ("type", .string("TXT")), ("value", .string(recordText)),
                    ])
            ),
            ("next", next), ("problem", problem.isEmpty ? .null : .string(problem)),
            ("created", APITime.value(created)),
            ("verified", verified.map { APITime.value($0) } ?? .null),
            ("checked", checked.map { APITime.value($0) } ?? .null),
        ])
    }
}
