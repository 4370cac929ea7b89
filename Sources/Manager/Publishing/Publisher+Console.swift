// What the console asks of publishing besides the API: who is signed in, and what concerns several tenants.

package import Database
package import Service
package import SourceJSON

extension Publisher {
    /// The id of a token that is valid now, and the person that it counts as; nil if it is none.
    package func token(_ text: String) -> (id: String, person: String)? {
        guard let identity = tokens.identity(text), let id = AccessToken.parts(of: text)?.id else { return nil }
        return (id, String(AccessToken.origin(identity.name)))
    }

    /// Looks for a token in the store that was made a moment ago.
    package func learn(_ text: String) {
        if AccessToken.parts(of: text) != nil, token(text) == nil { try? refresh() }
    }

    /// Counts a change that is not one of the API's. False if there have been too many in this minute.
    package func countsWrite(of identity: Identity) -> Bool { tokens.counts(of: identity.name) }

    /// What the token of an actor is for; nil if nobody has said that, or it is not the tenant's.
    /// - Parameter tenant: that of whoever asks; nil for all.
    package func label(ofActor name: String, for tenant: String?) -> String? {
        tokens.label(ofActor: name, for: tenant)
    }

    /// What a token may do now; nil if it has ended.
    package func identity(ofTokenID id: String) -> Identity? { tokens.identity(ofID: id) }

    /// Who works on a development server.
    package var developer: Identity { Identity("developer", Set(Scope.published.map { Scope($0) })) }
}

/// What happened lately in publishing, and what waits for a person. For one tenant, or for all.
package struct PublishingNews {
    /// The latest first, as the API has them.
    package var releases: [SourceValue] = []
    /// Hosts whose record is gone, with the reason.
    package var lapsed: [(host: String, tenant: String, problem: String)] = []
    /// Live releases that a node does not serve as they are.
    package var troubled: [(tenant: String, number: Int64, node: String, state: String, detail: String)] = []
    /// Hosts whose record is not there yet, and how many there are.
    package var pending: (hosts: [String], count: Int) = ([], 0)
    /// Releases that wait for an approval.
    package var proposed: [(tenant: String, number: Int64, message: String)] = []

    private static let listMax: Int64 = 100

    package init(
        of tenant: String?, releasesMax: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let (one, max) = (tenant == nil ? "" : " and tenant = ?", Self.listMax)
        let own: [any ColumnType] = [tenant].compactMap { $0 }
        // Each change of a release is in the audit log, whose end is found at once.
        let changes = try transaction.query(
            "select tenant, object from audit where action like 'release.%'\(one) order by seq desc limit ?",
            values: own + [releasesMax * 3 as any ColumnType])
        var seen: Set<String> = []
        for row in changes where releases.count < Int(releasesMax) {
            let (owner, object): (String, String) = (try row[0], try row[1])
            guard let number = Int64(object), seen.insert("\(owner) \(number)").inserted,
                let release = try Release.load(number, of: owner, in: transaction)
            else { continue }
            releases.append(release.value([], []))
        }
        for row in try transaction.query(
            "select host, tenant, problem from claim where proof = 'dns' and state = 'lapsed'\(one) order by host limit ?",
            values: own + [max as any ColumnType])
        { lapsed.append((try row[0], try row[1], try row[2])) }
        let pending = " from claim where proof = 'dns' and state = 'pending'\(one)"
        let waiting: Int64 = try transaction.query("select count(*)\(pending)", values: own)[0][0]
        for row in try transaction.query(
            "select host\(pending) order by host limit ?", values: own + [max as any ColumnType])
        { self.pending.hosts.append(try row[0]) }
        self.pending.count = Int(waiting)
        for row in try transaction.query(
            "select tenant, number, node, state, detail from outcome where state <> 'served'\(one) order by at desc limit ?",
            values: own + [max as any ColumnType])
        { troubled.append((try row[0], try row[1], try row[2], try row[3], try row[4])) }
        for row in try transaction.query(
            "select tenant, number, message from release where state = 'proposed'\(one) order by created limit ?",
            values: own + [max as any ColumnType])
        { proposed.append((try row[0], try row[1], try row[2])) }
    }
}

/// A claim, as the API has it, of any tenant.
package enum ClaimedHosts {
    /// The claims to a host.
    package static func claims(
        to host: String, of tenant: String?, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [SourceValue] {
        let rows = try transaction.query("select tenant from claim where host = ? order by tenant", host)
        var claims: [SourceValue] = []
        for row in rows {
            let owner: String = try row[0]
            if tenant ?? owner != owner { continue }
            if let claim = try HostOwnership.load(host, of: owner, in: transaction) { claims.append(claim.value) }
        }
        return claims
    }

    /// The hosts after one that are claimed, in order.
    package static func names(
        withPrefix prefix: String, after name: String, of tenant: String?, count: Int,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [(host: String, tenant: String, state: String)] {
        // Behind every name with the prefix: no host has a byte beyond those of ASCII.
        let end = prefix + "\u{7F}"
        let one = tenant == nil ? "" : " and tenant = ?"
        let own: [any ColumnType] = [tenant].compactMap { $0 }
        let values = [prefix, end, name] as [any ColumnType] + own + [Int64(count)]
        return try transaction.query(
            "select host, tenant, state from claim where host >= ? and host < ? and host > ?\(one) order by host, tenant limit ?",
            values: values
        ).map { row throws(DatabaseError) in (try row[0], try row[1], try row[2]) }
    }
}
