// A fleet that is new at a public authority: the real store, workers and rate limits, and a scripted authority that counts as Let's
// Encrypt does. Time is simulated. By default, a hundred hosts; ASSOCIATED_SIMULATED_CERTIFICATES=10000 simulates so many, prints
// figures, and also checks the memory, for which nothing else may run in the process.

import Database
import Foundation
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct IssuanceSimulationTests {
    private static let hour: Int64 = 3_600_000
    private static let chosenCount = Int(
        ProcessInfo.processInfo.environment["ASSOCIATED_SIMULATED_CERTIFICATES"] ?? "")

    /// One tenant with nearly all hosts, and a hundred with one each, or a quarter of a small fleet.
    private struct Fleet {
        let large: [String]
        let singles: [String]
        /// Of the large tenant, in one domain: more than the authority allows it in a week.
        let crowded: [String]
        /// Appear later.
        let late: [String]
        /// Do not answer challenges.
        let unreachable: Set<String>

        init(_ count: Int) {
            let single = min(100, count / 4)
            singles = (0..<single).map { "shop.single\($0).example" }
            crowded = (0..<min(100, max(60, count / 8))).map { "h\($0).crowded.example" }
            // Five hosts in each domain.
            large = (0..<count - single - crowded.count).map { "h\($0 % 5).large\($0 / 5).example" } + crowded
            late = (0..<10).map { "shop.late\($0).example" }
            unreachable = Set(large.prefix(count).enumerated().filter { $0.offset % 100 == 7 }.map(\.element))
        }

        func served(withLate: Bool) -> ServedNames {
            let hosts = (large + singles + (withLate ? late : [])).sorted()
            let big = Set(large)
            let folders = hosts.map { big.contains($0) ? "large" : String($0.split(separator: ".")[1]) }
            return ServedNames(hosts.joined(separator: "/"), folders: folders.joined(separator: "/"))
        }
    }

    /// A manager with one worker: the authority serves one connection.
    private final class Fixture {
        let server: AuthorityServer
        let lead = Shared<Int64>(0)
        let fleet: Fleet
        let lines = Shared(0)
        private let control: IssuanceStatus
        private var register: HostRegister
        private let database: TestDatabase
        private let folder: TemporaryFolder
        private var store: Store
        private var worker: CertificateWorker

        init(_ fleet: Fleet) throws {
            let (folder, lead, lines) = (try TemporaryFolder(), lead, lines)
            let database = try TestDatabase(.sqlite)
            let account = AccountKey(try SigningKey(.p256))
            var oddities = CertificateRig.oddities
            (oddities.isForgetful, oddities.renewalRetryAfter) = (true, 86_400)
            (oddities.unreachableHosts, oddities.listsOrders) = (fleet.unreachable, false)
            server = try AuthorityServer(ScriptedAuthority(account, TestIssuer(), oddities), in: folder)
            server.use { $0.renewalDays = 58...62 }
            var rules = IssuanceRules(directories: [server.directory])
            rules.authorityFile = server.authorityFile
            (rules.isBudgetModelled, rules.isPreflightRequired) = (true, false)
            (rules.patience.pauseSecondsMax, rules.patience.silenceMilliseconds) = (0, 0)
            let suffixes = PublicSuffixes(text: "example")
            let control = IssuanceStatus(
                try WorkControl(workerCount: 1) { _, _ in lines.change { $0 += 1 } }, suffixes: suffixes)
            let places = ManagerPlaces(
                certificates: "\(folder.path)/certificates", thumbprint: "\(folder.path)/thumbprint",
                hosts: "\(folder.path)/own")
            func open() throws -> Store {
                let engine = try ClockedEngine(path: "\(database.folder)/test.db", lead: lead)
                return try Store(engine.connection, keys: database.keys())
            }
            var opened = try open()
            _ = try AccountSecret.adopt(account, replaces: false, &opened)
            let secret = try AccountSecret.load(&opened)
            store = opened
            worker = try CertificateWorker(
                0, rules, control, places: places, holder: "node/1", account: secret, suffixes: suffixes,
                userAgent: "test", store: open())
            register = HostRegister(control, places: places) { _ in true }
            (self.fleet, self.control, self.database, self.folder) = (fleet, control, database, folder)
        }

        /// As if earlier orders had taken tokens of the account.
        func leave(tokens: Int) throws {
            try store.write { transaction throws(DatabaseError) in
                try transaction.execute(
                    "insert into bucket (scope, subject, tokens, at) values ('localhost/orders', 'account', ?, ?)",
                    Double(tokens), try transaction.now())
            }
        }

        func serve(withLate: Bool) throws {
            try register.synchronize(with: fleet.served(withLate: withLate), in: &store)
        }

        /// Does what is due.
        func work() throws { while try worker.step() {} }

        /// Moves the clock to the next work, or, if some is due that waits for a limit of all, by the time of one order.
        func pass() throws {
            let due = try store.read { transaction throws(DatabaseError) in
                let now = try transaction.now()
                let next: Int64? = try transaction.query("select min(due) from work")[0][0]
                return (next ?? now) - now
            }
            let wait = due > 0 ? min(due, IssuanceSimulationTests.hour) : 36_000
            lead.change { $0 += wait }
            let now = lead.value
            server.use { $0.leadMilliseconds = now }
        }

        /// The hosts by state.
        func figures() throws -> [IssuanceState: Int] {
            try store.read { transaction throws(DatabaseError) in try IssuanceFigures(in: transaction).hosts }
        }
    }

    /// How many times are within this span at most.
    private static func most(_ times: [Int64], within span: Int64) -> Int {
        var (first, most) = (0, 0)
        for (last, time) in times.enumerated() {
            while time - times[first] >= span { first += 1 }
            most = max(most, last - first + 1)
        }
        return most
    }

    /// Whether an authority that lets tokens flow into a bucket, as Let's Encrypt does, accepts all.
    private static func isAccepted(_ times: [Int64], _ count: Int64, in span: Int64) -> Bool {
        var empty = Int64.min
        return times.allSatisfy { time in
            empty = max(time, empty) + span / count
            return empty - time <= span
        }
    }

    private static func grouped(
        _ events: [ScriptedAuthority.Event], _ kind: ScriptedAuthority.Event.Kind, by key: (String) -> String
    ) -> [String: [Int64]] {
        events.filter { $0.kind == kind }.reduce(into: [:]) { $0[key($1.host), default: []].append($1.time) }
    }

    /// - Parameter earlier: the orders of the account just before.
    private func expectWithinLimits(_ events: [ScriptedAuthority.Event], earlier: Int) -> String {
        let hour = Self.hour
        let orders = events.filter { $0.kind == .order }.map(\.time)
        let before = [Int64](repeating: (orders.first ?? 0) - 60_000, count: earlier)
        #expect(Self.isAccepted(before + orders, 300, in: 3 * hour))
        let domains = Self.grouped(events, .certificate) { PublicSuffixes(text: "example").registeredDomain(of: $0) }
        let domain = domains.values.map { Self.most($0, within: 168 * hour) }.max() ?? 0
        let set = Self.grouped(events, .certificate) { $0 }.values.map { Self.most($0, within: 168 * hour) }.max() ?? 0
        let failed = Self.grouped(events, .failure) { $0 }.values.map { Self.most($0, within: hour) }.max() ?? 0
        #expect(domain <= 50 && set <= 5 && failed <= 5, "\(domain) \(set) \(failed)")
        // Nothing is ordered twice: a host without a problem has one order and one certificate.
        #expect(set == 1)
        return """
            at most in a window: \(Self.most(orders, within: 3 * hour)) orders of the account in 3 h, \
            \(domain) certificates of a domain and \(set) of a host in 7 days, \(failed) failed validations of a host in 1 h
            """
    }

    /// The first order of each tenant comes before the second of the large one, and hosts that appear later do not wait for its queue.
    private func expectFair(_ events: [ScriptedAuthority.Event], _ fleet: Fleet, lateSince: Int64) -> String {
        let orders = events.filter { $0.kind == .order }
        let first = orders.prefix(fleet.singles.count + 1)
        #expect(Set(first.map(\.host)).isSuperset(of: fleet.singles))
        let late = orders.filter { fleet.late.contains($0.host) }
        let wait = (late.map(\.time).max() ?? .max) - lateSince
        #expect(late.count == fleet.late.count && wait < 60_000, "\(wait)")
        return
            "\(fleet.singles.count) single hosts were the first of \(orders.count) orders; later ones waited \(wait / 1_000) s"
    }

    private static func residentKiB() -> Int { (ProcessUsage().memoryBytes?.resident ?? 0) / 1_024 }

    @Test func `a new fleet stays within the rate limits, in a fair order, and orders nothing twice`() throws {
        let count = Self.chosenCount ?? 100
        let fleet = Fleet(count)
        let fixture = try Fixture(fleet)
        let start = Clock.monotonicMilliseconds()
        // A small fleet has to wait for the limit of the account, too.
        let earlier = count < 300 ? 260 : 0
        if earlier > 0 { try fixture.leave(tokens: 300 - earlier) }
        try fixture.serve(withLate: false)
        var (lateSince, before) = (Int64?.none, Self.residentKiB())
        // The crowded domain gets 25 certificates at once, and 25 in a week, of which `IssuanceQueueTests` simulates more than one;
        // those that do not answer never get one.
        let issuedAtEnd = count + fleet.late.count - fleet.unreachable.count - max(0, fleet.crowded.count - 25)
        // An order in 36 seconds, and a third more.
        let end = Int64(count) * 48_000
        var issued = 0
        // A small fleet is watched beyond its last order: nothing more may be ordered.
        while fixture.lead.value < end, count < 300 || issued < issuedAtEnd {
            try fixture.work()
            issued = try fixture.figures()[.issued] ?? 0
            if lateSince == nil, issued >= count / 4 {
                // A short outage, then new tenants, while most of the hosts wait.
                fixture.server.faults.change { $0.isDown = true }
                try fixture.pass()
                try fixture.work()
                fixture.server.faults.change { $0.isDown = false }
                lateSince = Clock.wallSeconds() * 1_000 + fixture.lead.value
                try fixture.serve(withLate: true)
                before = Self.residentKiB()
            }
            try fixture.pass()
        }
        let (events, complaints, lead) = fixture.server.use { ($0.events, $0.complaints, $0.leadMilliseconds) }
        let limits = expectWithinLimits(events, earlier: earlier)
        let fairness = expectFair(events, fleet, lateSince: try #require(lateSince))
        let figures = try fixture.figures()
        #expect(complaints == [])
        #expect((figures[.issued] ?? 0) >= issuedAtEnd, "\(figures)")
        let orders = Self.grouped(events, .order) { $0 }
        #expect(orders.filter { !fleet.unreachable.contains($0.key) }.allSatisfy { $0.value.count == 1 })
        guard Self.chosenCount != nil else { return }
        let grown = Self.residentKiB() - before
        print(
            """
            \(count) hosts, \(lead / Self.hour) h simulated in \((Clock.monotonicMilliseconds() - start) / 1_000) s: \(figures)
            \(limits)
            \(fairness)
            \(fixture.lines.value) lines in the log; the memory grew by \(grown) KiB after the first quarter
            """)
        // What the authority notes, and nothing for each certificate.
        #expect(grown < 16_384 + count)
    }
}
