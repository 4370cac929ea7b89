// Thousands of new hosts under the modelled rate limits. The authority is replaced: each order that the limits allow is issued at
// once. Time passes by moving the stored times back.

import ACME
import Database
import Store
import Testing

@testable import DatabaseSupport
@testable import Issuance

struct IssuanceQueueTests {
    private static let hour: Int64 = 3_600_000

    /// An order that the limits have allowed.
    private struct Turn {
        var host: String
        /// By the moved clock, in milliseconds.
        var time: Int64
    }

    /// The work of one node on its queue.
    private final class Queue {
        let suffixes = PublicSuffixes(text: "example")
        private let rules = IssuanceRules(directories: [AuthorityURL("https://ca.example/directory")!])
        private let database: TestDatabase
        private let control: IssuanceStatus
        private var register: HostRegister
        private var store: Store
        private var passed: Int64 = 0
        private(set) var turns: [Turn] = []

        init() throws {
            database = try TestDatabase(.sqlite)
            store = try database.store()
            control = IssuanceStatus(try WorkControl(workerCount: 1) { _, _ in }, suffixes: suffixes)
            register = HostRegister(
                control, places: ManagerPlaces(certificates: "", thumbprint: "", hosts: "\(database.folder)/own")
            ) { _ in true }
        }

        /// Takes the hosts of the server. The DNS records of new ones are right.
        /// - Parameter folders: of app files, by host.
        func serve(_ hosts: [String], folders: [String: String] = [:]) throws {
            let hosts = hosts.sorted()
            let folderNames = hosts.map { folders[$0] ?? "" }.joined(separator: "/")
            try register.synchronize(with: ServedNames(hosts.joined(separator: "/"), folders: folderNames), in: &store)
            try store.write { transaction throws(DatabaseError) in
                try transaction.execute(
                    "update work set state = ?, priority = ? where state = ?", IssuanceState.queued.rawValue,
                    CertificateWork.queuePriority, IssuanceState.new.rawValue)
            }
        }

        func pass(_ milliseconds: Int64) throws {
            try store.write { transaction throws(DatabaseError) in
                try transaction.execute(
                    "update work set due = due - ?, since = since - ?", milliseconds, milliseconds)
                try transaction.execute("update bucket set at = at - ?", milliseconds)
            }
            passed += milliseconds
        }

        /// Claims work until several claims in sequence got none, and issues it.
        /// - Returns: the hosts that had their turn.
        func work(emptyClaimsMax: Int) throws -> [String] {
            let (rules, suffixes, passed) = (rules, suffixes, passed)
            let new = try store.write { transaction throws(DatabaseError) in
                var (new, emptyClaims) = ([Turn](), 0)
                while emptyClaims < emptyClaimsMax {
                    let claimed = try Work.claim(CertificateWork.kind, by: "node", in: transaction) { work in
                        rules.charges(work.key, tries: work.tries, turn: work.turn, suffixes)
                    }
                    guard let work = claimed else {
                        emptyClaims += 1
                        continue
                    }
                    emptyClaims = 0
                    let now = try transaction.now()
                    _ = try work.postpone(
                        to: now + 10 * 24 * IssuanceQueueTests.hour, state: IssuanceState.issued.rawValue, problem: nil,
                        tries: 0, in: transaction)
                    new.append(Turn(host: work.key, time: now + passed))
                }
                return new
            }
            turns += new
            return new.map(\.host)
        }
    }

    /// A rate limit of Let's Encrypt, computed in another way than a bucket: how long it takes until all uses are forgotten.
    private struct Limit {
        let count: Int64
        let milliseconds: Int64
        private var empty: [String: Int64] = [:]

        init(_ count: Int64, in milliseconds: Int64) { (self.count, self.milliseconds) = (count, milliseconds) }

        /// Whether the limit allows the use.
        mutating func allows(_ subject: String, at time: Int64) -> Bool {
            let next = max(time, empty[subject] ?? time) + milliseconds / count
            empty[subject] = next
            return next - time <= milliseconds
        }
    }

    private func expectWithinLimits(_ queue: Queue) {
        var account = Limit(300, in: 3 * Self.hour)
        var domains = Limit(50, in: 7 * 24 * Self.hour)
        var times: [String: [Int64]] = [:]
        for turn in queue.turns {
            let domain = queue.suffixes.registeredDomain(of: turn.host)
            let isAllowed = account.allows("", at: turn.time) && domains.allows(domain, at: turn.time)
            #expect(isAllowed, "\(turn)")
            times[domain, default: []].append(turn.time)
        }
        for (domain, times) in times where times.count > 50 {
            let spans = zip(times, times.dropFirst(50)).map { $1 - $0 }
            #expect(spans.allSatisfy { $0 > 7 * 24 * Self.hour }, "\(domain) had 51 orders within a week")
        }
        #expect(Set(queue.turns.map(\.host)).count == queue.turns.count)
    }

    /// Hosts of twenty tenants, most of them of one.
    private static func hosts(_ count: Int) -> [String] {
        (0..<count).map { number in
            number < count * 4 / 5 ? "h\(number).large.example" : "h\(number).tenant\(number % 19).example"
        }
    }

    @Test func `ten thousand hosts do not delay single new ones`() throws {
        let queue = try Queue()
        let hosts = Self.hosts(10_000)
        try queue.serve(hosts)
        let first = try queue.work(emptyClaimsMax: 3)
        // The first host of each domain comes first. A fifth of the 300 orders is kept for those of later domains.
        #expect(Set(first.prefix(20).map { queue.suffixes.registeredDomain(of: $0) }).count == 20)
        #expect((240...245).contains(first.count))
        let large = first.count { $0.hasSuffix(".large.example") }
        #expect((8...16).contains(large))

        let singles = (0..<30).map { "shop.single\($0).example" }
        try queue.serve(hosts + singles)
        let second = try queue.work(emptyClaimsMax: 3)
        #expect(Set(singles).isSubset(of: second) && second.count <= singles.count + 2)

        // Each domain may have 25 orders, and the account has enough for them after three hours.
        try queue.pass(3 * Self.hour)
        let third = try queue.work(emptyClaimsMax: 3)
        #expect((235...270).contains(third.count))
        expectWithinLimits(queue)
    }

    @Test func `a tenant with ten thousand domains does not delay one with a single host`() throws {
        let queue = try Queue()
        let many = (0..<10_000).map { "www.d\($0).example" }
        let folders = Dictionary(uniqueKeysWithValues: many.map { ($0, "large") })
        try queue.serve(many, folders: folders)
        let first = try queue.work(emptyClaimsMax: 3)
        // A fifth of the orders of the account is kept, except for the first host of the tenant.
        #expect(first.count == 240)
        let single = "shop.single.example"
        try queue.serve(many + [single], folders: folders.merging([single: "single"]) { first, _ in first })
        let second = try queue.work(emptyClaimsMax: 3)
        #expect(second.prefix(1) == [single] && second.count <= 3)
        expectWithinLimits(queue)
    }

    @Test func `stays within the limits for nine days, and uses them`() throws {
        let queue = try Queue()
        let hosts = Self.hosts(400)
        try queue.serve(hosts)
        for _ in 0..<(9 * 8) {
            // Enough for all hosts that are due.
            _ = try queue.work(emptyClaimsMax: 400 / 16 + 1)
            try queue.pass(3 * Self.hour)
        }
        expectWithinLimits(queue)
        let large = queue.turns.count { $0.host.hasSuffix(".large.example") }
        // 25 at once, and 25 in each week.
        #expect((54...58).contains(large))
        #expect(queue.turns.count - large == 80)
    }
}
