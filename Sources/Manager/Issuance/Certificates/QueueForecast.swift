// When each queued host has its turn, computed from the queue and the rate limits as they are now. New hosts, failed orders and the
// authority's own answers change it, so it is a forecast. Nothing is stored: it books the tokens of the future in memory.

public import Database
import Store

/// The turns of the queued hosts.
public struct QueueForecast: Sendable {
    /// When a host has its turn.
    public struct Turn: Hashable, Sendable {
        /// 1 for the host that is next.
        public let place: Int
        /// Until the rate limits allow the order.
        public let waitMilliseconds: Int64
        /// The one that allows it last; nil if none delays it.
        public let limit: Budget.Limit?
    }

    /// A queued host.
    struct Entry {
        var host: String
        /// When it is looked at next, in milliseconds since 1970.
        var due: Int64
        /// What its order takes.
        var charges: [Bucket.Charge]
    }

    private let turns: [String: Turn]

    /// Nil for a host that is not queued, or whose order is being placed.
    public subscript(host: String) -> Turn? { turns[host] }

    /// Reads the queue and the buckets.
    /// - Parameter host: one that is to enter the queue, unless it is in it.
    public init(
        _ rules: IssuanceRules, _ suffixes: PublicSuffixes, with host: String? = nil,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try self.init(with: host, in: transaction) { host, tries, turn in
            rules.charges(host, tries: tries, turn: turn, suffixes)
        }
    }

    init(
        with host: String? = nil, in transaction: borrowing Transaction,
        charges: (_ host: String, _ tries: Int64, _ turn: Int64) -> [Bucket.Charge]
    ) throws(DatabaseError) {
        let now = try transaction.now()
        var queue: [Entry] = []
        // In the order in which work is claimed.
        for row in try transaction.query(
            """
            select key, tries, turn, due from work where kind = ? and (state = ? or key = ?) and (until is null or until <= ?)
            order by turn desc, due, key
            """, CertificateWork.kind, IssuanceState.queued.rawValue, host ?? "", now)
        {
            let host: String = try row[0]
            queue.append(Entry(host: host, due: try row[3], charges: charges(host, try row[1], try row[2])))
        }
        var levels: [String: Bucket.Level] = [:]
        if !queue.isEmpty {
            // The others are full.
            for row in try transaction.query(
                "select scope, subject, tokens, at from bucket where at > ?", now - Bucket.fillMillisecondsMax)
            {
                let (scope, subject): (String, String) = (try row[0], try row[1])
                levels["\(scope) \(subject)"] = Bucket.Level(tokens: try row[2], at: try row[3])
            }
        }
        turns = QueueForecast.turns(queue, now: now) { levels["\($0.scope) \($0.subject)"] }
    }

    /// The turns of a queue.
    /// - Parameter level: what is stored of a bucket; nil before its first use.
    static func turns(_ queue: [Entry], now: Int64, level: (Bucket) -> Bucket.Level?) -> [String: Turn] {
        var order = queue.indices.map { (index: $0, time: max(now, queue[$0].due), limit: Budget.Limit?.none) }
        var levels: [Bucket: Bucket.Level] = [:]
        // First the limits of each host, then those of its domain, then that of the account: a host whose domain has to wait lets
        // others pass in the queue of the account.
        for limit in Budget.Limit.allCases {
            for place in order.indices {
                let charges = queue[order[place].index].charges
                for charge in charges where Budget.limit(of: charge.bucket) == limit {
                    let bucket = charge.bucket
                    let known = levels[bucket] ?? bucket.level(level(bucket), now)
                    let booked = bucket.book(charge, known, at: order[place].time)
                    if booked.at > order[place].time { order[place].limit = limit }
                    (order[place].time, levels[bucket]) = (booked.at, booked)
                }
            }
            order.sort { ($0.time, $0.index) < ($1.time, $1.index) }
        }
        var turns: [String: Turn] = [:]
        for (place, entry) in order.enumerated() {
            turns[queue[entry.index].host] = Turn(
                place: place + 1, waitMilliseconds: entry.time - now, limit: entry.limit)
        }
        return turns
    }
}

extension QueueForecast.Turn: CustomStringConvertible {
    /// Such as `waits for the limit of orders of the account; place 12, about 8 h`.
    public var description: String {
        let reason =
            switch limit {
            case let limit? where waitMilliseconds >= 60_000: "waits for the limit of \(limit.meaning)"
            default: "waits for a free place"
            }
        return "\(reason); \(placeText)"
    }

    private var placeText: String {
        let minutes = (waitMilliseconds + 30_000) / 60_000
        let wait =
            switch minutes {
            case ..<1: "less than a minute"
            case ..<60: "about \(minutes) min"
            case ..<2_880: "about \((minutes + 30) / 60) h"
            default: "about \((minutes + 720) / 1_440) days"
            }
        return "place \(place), \(wait)"
    }
}
