// What operators see of deliveries: numbers for metrics, and how far the files of one host have got; in words and as JSON.

public import Database
import Posix
public import SourceJSON
import Store

/// The numbers over all hosts.
public struct DeliveryFigures: Sendable, Equatable {
    public var hosts: [DeliveryVerifier: [DeliveryState: Int]] = [:]
    /// Hosts that a service has not been able to fetch for six hours.
    public var failing: [DeliveryVerifier: Int] = [:]
    /// Hosts whose version of more than a day ago a service does not have.
    public var late: [DeliveryVerifier: Int] = [:]
    public var waitingMessages = 0

    private static let failingMilliseconds = DeliveryPlan.dayMilliseconds / 4

    public init() {}

    /// The numbers as they are now. What was last seen stays while a service cannot be asked, or an alert would end for that.
    public init(in transaction: borrowing Transaction) throws(DatabaseError) {
        let now = try transaction.now()
        let day = now - DeliveryPlan.dayMilliseconds
        let rows = try transaction.query(
            """
            select delivery.verifier, coalesce(observation.state, 'unknown'), count(*),
                sum(case when observation.state = 'failing' and observation.since <= ? then 1 else 0 end),
                sum(case when observation.state in ('older', 'absent', 'failing') and delivery.published <= ?
                    and (delivery.equal_at is null or observation.since <= ?) then 1 else 0 end)
            from delivery left join observation
                on observation.name = delivery.name and observation.verifier = delivery.verifier
            where delivery.gone is null group by delivery.verifier, coalesce(observation.state, 'unknown')
            """, now - DeliveryFigures.failingMilliseconds, day, day)
        for row in rows {
            let (verifier, state): (String, String) = (try row[0], try row[1])
            let (count, failing, late): (Int64, Int64, Int64) = (try row[2], try row[3], try row[4])
            guard let verifier = DeliveryVerifier(rawValue: verifier), let state = DeliveryState(rawValue: state)
            else { continue }
            hosts[verifier, default: [:]][state, default: 0] += Int(count)
            self.failing[verifier, default: 0] += Int(failing)
            self.late[verifier, default: 0] += Int(late)
        }
        let waiting: Int64 = try transaction.query(
            "select count(*) from work where kind like ?", "\(WebhookQueue.kindPrefix)%")[0][0]
        waitingMessages = Int(waiting)
    }
}

/// A service that cannot be asked for its copies.
public struct DeliveryOutage: Sendable, Equatable {
    public let verifier: DeliveryVerifier
    /// In milliseconds since 1970.
    public let since: Int64
    /// The time of the next request.
    public let until: Int64
    public let problem: String

    public var nextStep: String { DeliveryOutage.nextStep(problem) }

    static func nextStep(_ problem: String) -> String {
        if ["it answers 429", "it answers 503"].contains(problem) {
            return "wait: the service is overloaded or limits requests, and is asked again when it allows that"
        }
        return problem.contains("certificate") || problem.contains("not trusted")
            ? "check this machine's clock and CA certificates, and whether a proxy on the way inspects TLS"
            : "if this lasts, allow this machine to connect to ports 443 and 53, or set `manager.proxy` in server.json"
    }

    public static func all(in transaction: borrowing Transaction) throws(DatabaseError) -> [DeliveryOutage] {
        var all: [DeliveryOutage] = []
        for verifier in DeliveryVerifier.allCases {
            let breaker = try DeliveryBreaker.load(verifier, in: transaction)
            guard let problem = breaker.problem else { continue }
            all.append(DeliveryOutage(verifier: verifier, since: breaker.since, until: breaker.until, problem: problem))
        }
        return all
    }
}

/// Hosts by the state of a copy, the worst first.
public struct DeliveryList: Sendable, Equatable {
    public private(set) var entries: [Entry] = []
    /// Including those that are not listed.
    public private(set) var count = 0

    public struct Entry: Sendable, Equatable {
        public let host: String
        public let verifier: DeliveryVerifier
        public let state: DeliveryState
        /// In milliseconds since 1970.
        public let since: Int64
        public let detail: String
    }

    public init() {}

    /// - Parameter states: in the order of the list. Within one, the state that has lasted longest comes first.
    public init(_ states: [DeliveryState], countMax: Int, in transaction: borrowing Transaction) throws(DatabaseError) {
        for state in states {
            // Before the first look there is no observation.
            let served = """
                from delivery left join observation on observation.name = delivery.name
                    and observation.verifier = delivery.verifier
                where delivery.gone is null and (observation.state = ?\(state == .unknown ? " or observation.state is null" : ""))
                """
            count += Int(try transaction.query("select count(*) \(served)", state.rawValue)[0][0] as Int64)
            let left = countMax - entries.count
            if left <= 0 { continue }
            let rows = try transaction.query(
                """
                select delivery.name, delivery.verifier, coalesce(observation.since, delivery.published),
                    coalesce(observation.detail, (select problem from work
                        where kind = 'delivery/' || delivery.verifier and key = delivery.name), '') \(served)
                order by 3, 1, 2 limit ?
                """, state.rawValue, Int64(left))
            for row in rows {
                let verifier: String = try row[1]
                guard let verifier = DeliveryVerifier(rawValue: verifier) else { continue }
                entries.append(
                    Entry(host: try row[0], verifier: verifier, state: state, since: try row[2], detail: try row[3]))
            }
        }
    }
}

extension DeliveryList {
    /// The states of some hosts' copies, as last seen.
    public static func load(
        _ hosts: [String], in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [String: [Entry]] {
        if hosts.isEmpty { return [:] }
        let places = hosts.map { _ in "?" }.joined(separator: ", ")
        let rows = try transaction.query(
            """
            select delivery.name, delivery.verifier, coalesce(observation.state, 'unknown'),
                coalesce(observation.since, delivery.published), coalesce(observation.detail, '')
            from delivery left join observation on observation.name = delivery.name
                and observation.verifier = delivery.verifier
            where delivery.gone is null and delivery.name in (\(places)) order by 1, 2
            """, values: hosts)
        var entries: [String: [Entry]] = [:]
        for row in rows {
            let (host, verifier, state): (String, String, String) = (try row[0], try row[1], try row[2])
            guard let verifier = DeliveryVerifier(rawValue: verifier) else { continue }
            entries[host, default: []].append(
                Entry(
                    host: host, verifier: verifier, state: DeliveryState(rawValue: state) ?? .unknown,
                    since: try row[3],
                    detail: try row[4]))
        }
        return entries
    }
}

/// How far the file of a host has got: published, fetched by the service, equal there. All times are in milliseconds since 1970.
public struct DeliveryTimeline: Sendable, Equatable {
    public let verifier: DeliveryVerifier
    /// When this server began to send the current version.
    public let published: Int64
    /// When the service's own fetcher was first seen to have taken it.
    public let fetched: Int64?
    /// When the service was first seen to have it.
    public let equalAt: Int64?
    public let state: DeliveryState
    /// The time of the last change of the state; nil before the first look.
    public let since: Int64?
    public let looked: Int64?
    public let detail: String
    /// The next look.
    public let due: Int64?

    /// Since when the service has the current version; nil if it does not have it now, or if that is not known.
    public var equalSince: Int64? { state == .equal ? equalAt.map { max($0, since ?? $0) } : nil }

    /// The deliveries of a host's files; empty if it has none that are watched.
    public static func load(
        _ host: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [DeliveryTimeline] {
        var timelines: [DeliveryTimeline] = []
        for verifier in DeliveryVerifier.allCases {
            guard let record = try DeliveryRecord.load(host, verifier, in: transaction) else { continue }
            let seen = try Observation.load(host, verifier, in: transaction)
            let work = try transaction.query(
                "select due, problem from work where kind = ? and key = ?", verifier.workKind, host)
            var (due, problem): (Int64?, String?) = (nil, nil)
            if let row = work.first { (due, problem) = (try row[0], try row[1]) }
            let details = [seen?.detail ?? "", problem.map { seen == nil ? $0 : "the last look: \($0)" } ?? ""]
            timelines.append(
                DeliveryTimeline(
                    verifier: verifier, published: record.published, fetched: record.fetched, equalAt: record.equalAt,
                    state: seen?.state ?? .unknown, since: seen?.since,
                    looked: seen?.looked, detail: details.filter { !$0.isEmpty }.joined(separator: "; "), due: due))
        }
        return timelines
    }
}

extension DeliveryTimeline {
    /// What Apple has of a file that a host serves since a time; nil if the host is not watched.
    public static func apple(
        of host: String, since time: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (state: String, detail: String)? {
        guard DeliveryRegister.isPublic(host) else { return nil }
        let row = try transaction.query(
            """
            select delivery.published, delivery.equal_at, observation.state, observation.detail
            from delivery left join observation
                on observation.name = delivery.name and observation.verifier = delivery.verifier
            where delivery.name = ? and delivery.verifier = ? and delivery.gone is null
            """, host, DeliveryVerifier.apple.rawValue
        ).first
        guard let row, try row[0] as Int64 >= time else {
            return (DeliveryState.unknown.rawValue, "no server is known to serve the new file yet")
        }
        let (equalAt, state, detail): (Int64?, String?, String?) = (try row[1], try row[2], try row[3])
        // Until the first look, the state is that of the version before.
        if state == DeliveryState.equal.rawValue, equalAt == nil {
            return (DeliveryState.unknown.rawValue, "not looked at since the change")
        }
        return (state ?? DeliveryState.unknown.rawValue, detail ?? "")
    }

    /// The steps of a delivery in one line, and what an operator should know or do.
    /// - Parameter isOutage: whether the service cannot be asked.
    public func lines(nowSeconds now: Int64, isOutage: Bool) -> [String] {
        func ago(_ milliseconds: Int64) -> String { "\(Age.text(seconds: now - milliseconds / 1_000)) ago" }
        var steps = ["published \(ago(published))"]
        steps.append(fetched.map { "fetched by \(verifier.name) \(ago($0))" } ?? "not seen to be fetched yet")
        if let equalSince {
            steps.append("at \(verifier.name) since \(ago(equalSince))")
        } else {
            steps.append(equalAt.map { "first at \(verifier.name) \(ago($0))" } ?? "not at \(verifier.name) yet")
        }
        var lines = ["  delivery to \(verifier.name): \(steps.joined(separator: ", "))"]
        let next = due.map { due in
            if isOutage { return "next look when \(verifier.name) can be asked again" }
            let wait = due / 1_000 - now
            if wait > 0 { return "next look in \(Age.text(seconds: wait))" }
            return wait > -60 || due == 0 ? "next look now" : "next look overdue by \(Age.text(seconds: -wait))"
        }
        guard let since, let looked else {
            let reason = detail.isEmpty ? "" : " (\(detail))"
            lines.append((["    not looked at yet\(reason)"] + [next].compactMap(\.self)).joined(separator: ", "))
            return lines
        }
        let text = detail.isEmpty ? "" : ": \(detail)"
        let looks = ["looked at \(ago(looked))", next].compactMap(\.self).joined(separator: ", ")
        lines.append("    \(state.rawValue) for \(Age.text(seconds: now - since / 1_000)), \(looks)\(text)")
        if state != .equal { lines.append("    next: \(state.nextStep)") }
        return lines
    }

    /// The same for programs, with times in milliseconds since 1970.
    public var jsonValue: SourceValue {
        func time(_ milliseconds: Int64?) -> SourceValue { milliseconds.map { .integer(Int($0)) } ?? .null }
        return .object([
            ("verifier", .string(verifier.rawValue)), ("state", .string(state.rawValue)), ("since", time(since)),
            ("published", time(published)), ("fetched", time(fetched)), ("equalSince", time(equalSince)),
            ("looked", time(looked)), ("nextLook", time(due)), ("detail", .string(detail)),
            ("next", .string(state.nextStep)),
        ])
    }
}

extension DeliveryOutage {
    public func lines(nowSeconds now: Int64) -> [String] {
        let since = Age.text(seconds: now - since / 1_000)
        let wait = Age.text(seconds: max(0, until / 1_000 - now))
        return [
            "\(verifier.name) could not be asked in the last \(since): \(problem); the next try is in \(wait); "
                + "the states are the last known ones", "  next: \(nextStep)",
        ]
    }

    public var jsonValue: SourceValue {
        .object([
            ("verifier", .string(verifier.rawValue)), ("since", .integer(Int(since))), ("problem", .string(problem)),
            ("nextTry", .integer(Int(until))), ("next", .string(nextStep)),
        ])
    }
}

extension DeliveryList.Entry {
    /// Times are in milliseconds since 1970.
    public var jsonValue: SourceValue {
        .object([
            ("host", .string(host)), ("verifier", .string(verifier.rawValue)), ("state", .string(state.rawValue)),
            ("since", .integer(Int(since))), ("detail", .string(detail)),
        ])
    }

    public func line(nowSeconds now: Int64) -> String {
        "\(host): \(verifier.name): \(state.rawValue) for \(Age.text(seconds: now - since / 1_000))"
            + (detail.isEmpty ? "" : ": \(detail)")
    }
}

extension DeliveryList {
    /// Times are in milliseconds since 1970.
    public var jsonValue: SourceValue { .array(entries.map(\.jsonValue)) }
}
