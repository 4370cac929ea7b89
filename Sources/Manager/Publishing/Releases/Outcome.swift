// What nodes have made of live releases.

import Database
import SourceJSON

/// What a node has made of a release.
struct Outcome: Sendable {
    var node: String
    var state: String
    var detail: String
    var at: Int64

    static func all(of release: Release, in transaction: borrowing Transaction) throws(DatabaseError) -> [Outcome] {
        try transaction.query(
            "select node, state, detail, at from outcome where tenant = ? and number = ? order by node", release.tenant,
            release.number
        ).map { row throws(DatabaseError) in
            Outcome(node: try row[0], state: try row[1], detail: try row[2], at: try row[3])
        }
    }

    var value: SourceValue {
        .object([
            ("node", .string(node)), ("state", .string(state)), ("detail", .string(detail)), ("at", APITime.value(at)),
        ])
    }
}

extension Publisher {
    /// Records what the server of a node has made of a release, unless another one is live by now.
    func note(_ state: String, _ detail: String, of release: Release, node: String) throws(APIProblem) {
        try write { transaction throws(DatabaseError) in
            guard try PublishingTenant.load(release.tenant, in: transaction)?.live == release.number else {
                return .success(())
            }
            try transaction.execute(
                """
                insert into outcome values (?, ?, ?, ?, ?, ?) on conflict (tenant, node) do update set
                    number = excluded.number, state = excluded.state, detail = excluded.detail, at = excluded.at
                """, release.tenant, node, release.number, state, detail, try transaction.now())
            return .success(())
        }
    }

    /// The live release of a tenant, with its files; nil if there is none.
    func live(of tenant: String) throws(APIProblem) -> (release: Release, files: [(name: String, digest: String)])? {
        try read { transaction throws(DatabaseError) in
            let number = try PublishingTenant.load(tenant, in: transaction)?.live ?? 0
            guard let release = try Release.load(number, of: tenant, in: transaction) else { return nil }
            return (release, try Release.files(of: tenant, number, in: transaction))
        }
    }

    /// The tenants whose live release a node has not judged yet, at most a thousand.
    func tenantsWithoutOutcome(on node: String) throws(APIProblem) -> Set<String> {
        let names = try read { transaction throws(DatabaseError) in
            try transaction.query(
                """
                select name from tenant where live > 0 and not exists (
                    select 1 from outcome where outcome.tenant = tenant.name and node = ? and number = tenant.live)
                order by name limit 1000
                """, node
            ).map { row throws(DatabaseError) -> String in try row[0] }
        }
        return Set(names)
    }
}
