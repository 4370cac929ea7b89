// The turns of queued hosts under the limits of the account, of registered domains and of single hosts.

import ACME
import Database
import Store
import Testing

@testable import DatabaseSupport
@testable import Issuance

struct QueueForecastTests {
    private typealias Turn = QueueForecast.Turn

    private static let rules = IssuanceRules(directories: [AuthorityURL("https://ca.example/directory")!])
    private static let suffixes = PublicSuffixes(text: "com")
    private static let second: Int64 = 1_000
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    /// A token of a domain flows in.
    private static let domainStep: Int64 = 24_192_000
    private static let now: Int64 = 1_795_176_000_000

    private static func charges(_ host: String, _ turn: Int64) -> [Bucket.Charge] {
        rules.charges(host, tries: 0, turn: turn, suffixes)
    }

    /// A queue of hosts with turns, and what is stored of some buckets: scope and subject, and the tokens now.
    struct Scene: Sendable {
        var hosts: [(name: String, turn: Int64)]
        var tokens: [String: Double] = [:]
        /// Hosts that are looked at later.
        var due: [String: Int64] = [:]
        /// The hosts in the order of their turns, with the milliseconds until then, and what they wait for last.
        var turns: [(name: String, wait: Int64, limit: Budget.Limit?)]

        init(
            hosts: [(name: String, turn: Int64)], tokens: [String: Double] = [:], due: [String: Int64] = [:],
            turns: [(name: String, wait: Int64, limit: Budget.Limit?)]
        ) { (self.hosts, self.tokens, self.due, self.turns) = (hosts, tokens, due, turns) }
    }

    static let scenes = [
        // Nothing is limited.
        Scene(hosts: [("a.a.com", 0), ("a.b.com", 0)], turns: [("a.a.com", 0, nil), ("a.b.com", 0, nil)]),
        // The account: one order in 36 seconds.
        Scene(
            hosts: [("a.a.com", 0), ("a.b.com", 0), ("a.c.com", 0)], tokens: ["orders account": 1],
            turns: [("a.a.com", 0, nil), ("a.b.com", 36 * second, .orders), ("a.c.com", 72 * second, .orders)]),
        // The second host of a domain leaves sixty orders to the first hosts of others.
        Scene(
            hosts: [("a.a.com", 0), ("b.a.com", -1)], tokens: ["orders account": 60],
            turns: [("a.a.com", 0, nil), ("b.a.com", 72 * second, .orders)]),
        // The domain: 25 in a week, and other domains pass.
        Scene(
            hosts: [("a.a.com", 0), ("b.a.com", -1), ("a.b.com", -2)], tokens: ["domains a.com": 0],
            turns: [("a.b.com", 0, nil), ("a.a.com", domainStep, .domains), ("b.a.com", 2 * domainStep, .domains)]),
        // Both: the limit of the account delays what the domain allows.
        Scene(
            hosts: [("a.a.com", 0), ("a.b.com", 0), ("b.b.com", 0)],
            tokens: ["orders account": 0, "domains b.com": 1],
            turns: [
                ("a.a.com", 36 * second, .orders), ("a.b.com", 72 * second, .orders), ("b.b.com", domainStep, .domains),
            ]),
        // A host is validated once an hour, and gets two certificates in a week.
        Scene(
            hosts: [("a.a.com", 0), ("a.b.com", 0)], tokens: ["failures a.a.com": 0.5],
            turns: [("a.b.com", 0, nil), ("a.a.com", 30 * minute, .failures)]),
        Scene(hosts: [("a.a.com", 0)], tokens: ["sets a.a.com": 0], turns: [("a.a.com", 84 * hour, .sets)]),
        // A host that has to wait is looked at when its time has come.
        Scene(
            hosts: [("a.a.com", 0), ("a.b.com", 0)], due: ["a.a.com": 5 * minute],
            turns: [("a.b.com", 0, nil), ("a.a.com", 5 * minute, nil)]),
    ]

    @Test(arguments: scenes.indices) func `forecasts turns`(index: Int) {
        let scene = Self.scenes[index]
        let queue = scene.hosts.map { host in
            QueueForecast.Entry(
                host: host.name, due: Self.now + (scene.due[host.name] ?? -1),
                charges: Self.charges(host.name, host.turn))
        }
        let turns = QueueForecast.turns(queue, now: Self.now) { bucket in
            scene.tokens["\(bucket.scope.dropFirst("ca.example/".count)) \(bucket.subject)"].map {
                Bucket.Level(tokens: $0, at: Self.now)
            }
        }
        #expect(turns.count == scene.turns.count)
        for (place, expected) in scene.turns.enumerated() {
            let turn = turns[expected.name]
            #expect(turn?.place == place + 1, "\(expected.name)")
            // Waits are rounded up at each step.
            #expect(turn?.limit == expected.limit, "\(expected.name)")
            let wait = turn?.waitMilliseconds ?? -1
            #expect((expected.wait...expected.wait + 5).contains(wait), "\(expected.name): \(wait)")
        }
    }

    @Test func `a large domain does not delay the others, and has its own time`() {
        let large = (0..<1_000).map { (name: "h\($0).large.com", turn: Int64(-$0)) }
        let small = (0..<400).map { (name: "a.d\($0).com", turn: Int64(0)) }
        let queue = ([large[0]] + small + Array(large[1...])).map { host in
            QueueForecast.Entry(host: host.name, due: 0, charges: Self.charges(host.name, host.turn))
        }
        let turns = QueueForecast.turns(queue, now: Self.now) { _ in nil }
        // The account allows 300 at once, of which one is of the large domain; then one in 36 seconds.
        let others = (0..<400).compactMap { turns["a.d\($0).com"]?.waitMilliseconds }
        #expect(others.count == 400)
        #expect(others.count { $0 == 0 } == 299)
        #expect(others.max() == 101 * 36 * Self.second)
        let last = turns["h999.large.com"]
        #expect(last?.place == 1_400)
        #expect(((975 * Self.domainStep)...(975 * Self.domainStep + 2_000)).contains(last?.waitMilliseconds ?? 0))
        #expect(Set(turns.values.map(\.place)) == Set(1...1_400))
    }

    @Test(
        arguments: [
            (0, "less than a minute"), (29_999, "less than a minute"), (30_000, "about 1 min"),
            (36 * minute, "about 36 min"), (59 * minute + 29_999, "about 59 min"), (60 * minute, "about 1 h"),
            (8 * hour + 12 * minute, "about 8 h"), (8 * hour + 30 * minute, "about 9 h"), (47 * hour, "about 47 h"),
            (48 * hour, "about 2 days"), (108 * hour, "about 5 days"),
        ] as [(Int64, String)])
    func `writes a turn for people`(wait: Int64, text: String) {
        let turn = Turn(place: 12, waitMilliseconds: wait, limit: nil)
        #expect(turn.description == "waits for a free place; place 12, \(text)")
    }

    /// Each row: the limit, the wait, and what the host waits for.
    @Test(
        arguments: [
            (.orders, minute, "the limit of orders of the account"), (.orders, minute - 1, "a free place"),
            (.domains, hour, "the limit of certificates of its registered domain"),
            (.sets, hour, "the limit of certificates of the host"),
            (.failures, hour, "the limit of failed validations of the host"), (nil, hour, "a free place"),
        ] as [(Budget.Limit?, Int64, String)])
    func `names the limit that a host waits for`(limit: Budget.Limit?, wait: Int64, text: String) {
        let turn = Turn(place: 1, waitMilliseconds: wait, limit: limit)
        #expect(turn.description.hasPrefix("waits for \(text); place 1, "))
    }

    @Test(arguments: TestEngine.available) func `reads the queue and the buckets`(engine: TestEngine) throws {
        let database = try TestDatabase(engine)
        var store = try database.store()
        let (forecast, work) = try store.write { transaction throws(DatabaseError) in
            let now = try transaction.now()
            for (host, state, turn) in [
                ("held.com", "queued", 9), ("first.com", "queued", 1), ("second.com", "queued", 0),
                ("dns.com", "waiting-dns", 5),
            ] as [(String, String, Int64)] {
                try Work.add(CertificateWork.kind, host, state: state, due: now, in: transaction)
                try transaction.execute("update work set turn = ? where key = ?", turn, host)
            }
            // Takes the last order that the account allows.
            try transaction.execute(
                "insert into bucket (scope, subject, tokens, at) values (?, ?, ?, ?)", "ca.example/orders", "account",
                1.0, now)
            let work = try Work.claim(CertificateWork.kind, by: "node", in: transaction) {
                QueueForecastTests.charges($0.key, $0.turn)
            }
            let forecast = try QueueForecast(in: transaction) { host, _, turn in
                QueueForecastTests.charges(host, turn)
            }
            return (forecast, work)
        }
        #expect(work?.key == "held.com")
        #expect(forecast["held.com"] == nil && forecast["dns.com"] == nil)
        let (first, second) = (try #require(forecast["first.com"]), try #require(forecast["second.com"]))
        #expect(first.place == 1 && second.place == 2)
        #expect((30_000...36_001).contains(first.waitMilliseconds))
        #expect((35_999...36_001).contains(second.waitMilliseconds - first.waitMilliseconds))
    }
}
