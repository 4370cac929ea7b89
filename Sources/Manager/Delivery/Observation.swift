// What services were last seen to have of hosts' files.

import Database

/// The state of a service's copy of a host's file at the last look.
struct Observation: Hashable, Sendable {
    let state: DeliveryState
    /// The time of the last change of the state.
    let since: Int64
    /// The time of the last look.
    let looked: Int64
    let detail: String

    /// Records the result of a look just now.
    static func record(
        _ name: String, _ verifier: DeliveryVerifier, state: DeliveryState, detail: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            """
            insert into observation (name, verifier, state, since, looked, detail) values (?, ?, ?, ?, ?, ?)
            on conflict (name, verifier) do update set
                since = case when observation.state = excluded.state then observation.since else excluded.since end,
                state = excluded.state, looked = excluded.looked, detail = excluded.detail
            """, name, verifier.rawValue, state.rawValue, now, now, detail)
    }

    static func load(
        _ name: String, _ verifier: DeliveryVerifier, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Observation? {
        let rows = try transaction.query(
            "select state, since, looked, detail from observation where name = ? and verifier = ?", name,
            verifier.rawValue)
        guard let row = rows.first else { return nil }
        return Observation(
            state: DeliveryState(rawValue: try row[0]) ?? .unknown, since: try row[1], looked: try row[2],
            detail: try row[3])
    }
}
