// Observations of verifiers (which version of a host's file they have) and of nodes (which of them are alive).

public import Database

/// The version of a host's file that a verifier, such as Apple's CDN, had when it was last checked.
public struct Observation: Hashable, Sendable {
    public var name: String
    public var verifier: String
    public var state: String
    /// The time of the last change of the state.
    public var since: Int64
    public var digest: [UInt8]?
    /// The time of the last check.
    public var looked: Int64
    public var detail: String

    private static let columns = "name, verifier, state, since, digest, looked, detail"

    /// Records the result of a check just now.
    public static func record(
        _ name: String, _ verifier: String, state: String, digest: [UInt8]?, detail: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        try transaction.execute(
            """
            insert into observation (\(columns)) values (?, ?, ?, ?, ?, ?, ?)
            on conflict (name, verifier) do update set
                since = case when observation.state = excluded.state then observation.since else excluded.since end,
                state = excluded.state, digest = excluded.digest, looked = excluded.looked, detail = excluded.detail
            """, name, verifier, state, now, digest, now, detail)
    }

    /// The observations of a host, sorted by verifier.
    public static func load(_ name: String, in transaction: borrowing Transaction) throws(DatabaseError)
        -> [Observation]
    {
        try transaction.query("select \(columns) from observation where name = ? order by verifier", name).map {
            row throws(DatabaseError) in
            Observation(
                name: try row[0], verifier: try row[1], state: try row[2], since: try row[3], digest: try row[4],
                looked: try row[5], detail: try row[6])
        }
    }
}

/// A server of the fleet, as it last reported itself.
public struct Node: Hashable, Sendable {
    public var id: String
    public var name: String
    public var version: String
    /// The last change that it serves.
    public var applied: Int64
    /// The milliseconds by which its clock is ahead of the database's.
    public var skew: Int64
    public var standing: String
    /// The time of its report.
    public private(set) var beat: Int64

    public init(id: String, name: String, version: String, applied: Int64, skew: Int64, standing: String) {
        (self.id, self.name, self.version) = (id, name, version)
        (self.applied, self.skew, self.standing, beat) = (applied, skew, standing, 0)
    }

    private static let columns = "id, name, version, applied, skew, standing, beat"

    /// Reports that the node is alive.
    public func save(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into node (\(Node.columns)) values (?, ?, ?, ?, ?, ?, ?)
            on conflict (id) do update set
                name = excluded.name, version = excluded.version, applied = excluded.applied, skew = excluded.skew,
                standing = excluded.standing, beat = excluded.beat
            """, id, name, version, applied, skew, standing, try transaction.now())
    }

    /// All nodes that ever reported themselves.
    public static func all(in transaction: borrowing Transaction) throws(DatabaseError) -> [Node] {
        try transaction.query("select \(columns) from node order by name, id").map { row throws(DatabaseError) in
            var node = Node(
                id: try row[0], name: try row[1], version: try row[2], applied: try row[3], skew: try row[4],
                standing: try row[5])
            node.beat = try row[6]
            return node
        }
    }
}
