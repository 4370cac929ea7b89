// Observations of verifiers: which version of a host's file they have.

public import Database

/// The version of a host's file that a verifier, such as Apple's CDN, had when it was last checked.
public struct Observation: Hashable, Sendable {
    public var name: String
    public var verifier: String
    public var state: String
    /// The time of the last change of the state.
    public var since: Int64
    /// The time of the last check.
    public var looked: Int64
    public var detail: String

    private static let columns = "name, verifier, state, since, looked, detail"

    /// Records the result of a check just now.
    public static func record(
        _ name: String, _ verifier: String, state: String, detail: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            """
            insert into observation (\(columns)) values (?, ?, ?, ?, ?, ?)
            on conflict (name, verifier) do update set
                since = case when observation.state = excluded.state then observation.since else excluded.since end,
                state = excluded.state, looked = excluded.looked, detail = excluded.detail
            """, name, verifier, state, now, now, detail)
    }

    /// The observations of a host, sorted by verifier.
    public static func load(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [Observation]
    {
        try transaction.query("select \(columns) from observation where name = ? order by verifier", name).map {
            row throws(DatabaseError) in
            Observation(
                name: try row[0], verifier: try row[1], state: try row[2], since: try row[3], looked: try row[4],
                detail: try row[5])
        }
    }
}
