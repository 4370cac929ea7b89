// The states of a delivery, as operators see them: whether Apple's CDN or Google's service, which fetch a host's files for phones,
// has the current one. Each state has its next step in words.

import Database
import Store
import Verifier

/// A service that keeps copies of hosts' files.
public enum DeliveryVerifier: String, CaseIterable, Sendable {
    case apple, google

    /// Its name in a sentence.
    public var name: String { self == .apple ? "Apple" : "Google" }

    /// How it requests a file from a host.
    var request: VerifierRequest { self == .apple ? .apple : .google }

    /// The kind of its work. Each service has one, so that the requests to one do not wait for those to the other.
    var workKind: Work.Kind { Work.Kind("delivery/\(rawValue)") }

    /// One request in a second, by all nodes together.
    var pace: Bucket {
        Bucket(scope: "delivery", subject: rawValue, capacity: 1, fillMilliseconds: DeliveryVerifier.paceMilliseconds)
    }

    static let paceMilliseconds: Int64 = 1_000
}

/// What a service has of a host's file, in the columns `observation.state` and `work.state`.
public enum DeliveryState: String, CaseIterable, Sendable {
    /// The current version.
    case equal
    /// An earlier version of this server.
    case older
    /// A file that this server never sent.
    case foreign
    /// The service cannot fetch the file.
    case failing
    /// Nothing, though it gives no reason: Google lists no app.
    case absent
    /// The service could not be queried. This says nothing about the host.
    case unknown

    /// What happens next, or what an operator has to do.
    public var nextStep: String {
        switch self {
        case .equal: "nothing to do"
        case .older: "wait: Apple fetches a file again within a day, Google when its cache expires"
        case .foreign:
            "find out which server answers for this host: `associated check HOST`, then its DNS records and its CDN; "
                + "if it was moved to this server recently, wait a day"
        case .failing: "remove the cause, test with `associated check HOST`, and wait: failures are cached for an hour"
        case .absent: "check that the service reaches the host from the internet: `associated check HOST`"
        case .unknown: "nothing to do: the service is queried again"
        }
    }
}

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
