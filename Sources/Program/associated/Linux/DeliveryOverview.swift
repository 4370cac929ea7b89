// What `associated status` shows of the deliveries to Apple and Google. It reads the manager's store, so it works while no manager
// runs, for users who can read the state directory.

import Administration
import Association
import Database
import Delivery
import Management
import Posix
import Settings
import SourceJSON
import Store
import Supervision

/// The deliveries of one host, or those of all hosts in numbers with the worst ones.
struct DeliveryOverview {
    private var timelines: [DeliveryTimeline] = []
    private var figures = DeliveryFigures()
    private var worst = DeliveryList()
    private var outages: [DeliveryOutage] = []
    private let isOfHost: Bool
    private let now = Clock.wallSeconds()

    private static let worstMax = 10
    private static let listMax = 100
    private static let problems: [DeliveryState] = [.foreign, .failing, .absent, .older]

    /// Says why if the store cannot be read.
    static func load(_ host: String?, _ loaded: LoadedSettings) -> DeliveryOverview? {
        do {
            var store = try ManagerInputs(loaded).openStore(limits: .glance)
            return try store.read { transaction throws(DatabaseError) in try DeliveryOverview(host, in: transaction) }
        } catch {
            Console.error(line: "cannot show deliveries: \(error)")
            return nil
        }
    }

    private init(_ host: String?, in transaction: borrowing Transaction) throws(DatabaseError) {
        isOfHost = host != nil
        outages = try DeliveryOutage.all(in: transaction)
        if let host {
            timelines = try DeliveryTimeline.load(HostPattern.typed(host).lowercased(), in: transaction)
        } else {
            figures = try DeliveryFigures(in: transaction)
            worst = try DeliveryList(DeliveryOverview.problems, countMax: DeliveryOverview.worstMax, in: transaction)
        }
    }

    var lines: [String] {
        var lines = timelines.flatMap { timeline in
            timeline.lines(nowSeconds: now, isOutage: outages.contains { $0.verifier == timeline.verifier })
        }
        if !isOfHost {
            for verifier in DeliveryVerifier.allCases {
                let counts = DeliveryState.allCases.compactMap { state in
                    figures.hosts[verifier]?[state].map { "\($0) \(state.rawValue)" }
                }
                if !counts.isEmpty { lines.append("deliveries to \(verifier.name): \(counts.joined(separator: ", "))") }
            }
            lines += worst.entries.map { "  \($0.line(nowSeconds: now))" }
            let left = worst.count - worst.entries.count
            if left > 0 { lines.append("  and \(left) more; --deliveries STATE lists those in one state") }
        }
        return lines + outages.flatMap { $0.lines(nowSeconds: now) }
    }

    /// Whether no phone gets the file of another server.
    var isFine: Bool { figures.hosts.values.allSatisfy { $0[.foreign] ?? 0 == 0 } }

    /// For `--format json`.
    var members: [(String, SourceValue)] {
        let unreachable = ("unreachableServices", SourceValue.array(outages.map(\.jsonValue)))
        if isOfHost { return [("deliveries", .array(timelines.map(\.jsonValue))), unreachable] }
        let counts = DeliveryVerifier.allCases.map { verifier in
            let states = DeliveryState.allCases.map { state in
                (state.rawValue, SourceValue.integer(figures.hosts[verifier]?[state] ?? 0))
            }
            return (verifier.rawValue, SourceValue.object(states))
        }
        return [("deliveries", .object(counts)), ("worstDeliveries", worst.jsonValue), unreachable]
    }

    /// Lists the hosts in one state.
    static func list(_ state: DeliveryState, _ loaded: LoadedSettings, asJSON: Bool) throws(Refusal) -> ExitStatus {
        guard loaded.settings.manager.delivery != nil else {
            throw .failure("the settings have no `delivery`, so nothing is known about the copies at Apple and Google")
        }
        let list: DeliveryList
        do {
            var store = try ManagerInputs(loaded).openStore(limits: .glance)
            list = try store.read { transaction throws(DatabaseError) in
                try DeliveryList([state], countMax: listMax, in: transaction)
            }
        } catch { throw .failure("cannot list deliveries: \(error)") }
        if asJSON {
            Console.output(
                data: SourceWriter.canonical(
                    .object([("count", .integer(list.count)), ("deliveries", list.jsonValue)])))
            return .success
        }
        let now = Clock.wallSeconds()
        for entry in list.entries { Console.output(line: entry.line(nowSeconds: now)) }
        let left = list.count - list.entries.count
        if left > 0 { Console.output(line: "and \(left) more") }
        return .success
    }
}
