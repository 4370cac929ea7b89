// The answers of the manager's own admin listener: health and metrics. They come from numbers that the manager's loop leaves here,
// so that a slow database delays no probe.

import Administration
import Manager
import Posix
import Synchronization

final class ManagerAnswers: AdminSources {
    private let control: ManagerControl
    private let figures = Mutex(ManagerFigures())
    private let usage = ProcessUsage()

    init(_ control: ManagerControl) { self.control = control }

    func take(_ new: ManagerFigures) { figures.withLock { $0 = new } }

    /// A manager that cannot use its store has to wait, but a restart would not help.
    func health() -> HealthReport {
        HealthReport(
            waits: [control.storeProblem].compactMap(\.self),
            notes: [figures.withLock { $0.serverProblem }.map { "cannot ask the server: \($0)" }].compactMap(\.self)
                + control.sourceProblems)
    }

    func metricFamilies() -> [MetricFamily] {
        let figures = figures.withLock { $0 }
        let issuance = figures.issuance
        func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
            MetricFamily(name, .gauge, help, value.map { [.init(.number($0))] } ?? [])
        }
        func byState(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ counts: [IssuanceState: Int])
            -> MetricFamily
        {
            MetricFamily(
                name, kind, help,
                IssuanceState.allCases.map {
                    .init(labels: [.init("state", $0.rawValue)], .count(UInt64(counts[$0] ?? 0)))
                })
        }
        let families = [
            MetricFamily(
                "associated_manager_info", .gauge, "Always 1; the version is in the label.",
                [.init(labels: [.init("version", Product.version)], .count(1))]),
            gauge(
                "associated_manager_ready", "1 while the manager can use its store.",
                control.storeProblem == nil ? 1 : 0),
            gauge(
                "associated_manager_server_reachable", "1 while the server's admin listener answers the manager.",
                figures.serverProblem == nil ? 1 : 0),
            byState(
                "associated_acme_hosts", .gauge, "Hosts for which certificates are ordered, by state.",
                issuance.hosts),
            byState(
                "associated_acme_orders_total", .counter, "Orders that have ended since the start, by outcome.",
                control.outcomes),
            gauge(
                "associated_acme_oldest_waiting_seconds",
                "How long the host that has waited longest for a certificate has been in its state.",
                issuance.longestWaitMilliseconds.map { Double($0) / 1_000 } ?? 0),
            gauge(
                "associated_acme_life_left_min",
                "Smallest share of its lifetime that is left of any ordered certificate, from 1 to 0.",
                issuance.lifeLeftMin),
            gauge(
                "associated_acme_budget_orders",
                "Orders that the authority's limit for the account allows now.", issuance.accountTokens),
            gauge(
                "associated_manager_resident_bytes", "Resident memory of the manager.",
                usage.memoryBytes.map { Double($0.resident) }),
        ]
        return families + (figures.deliveries?.families ?? [])
    }

    var paths: [String] { [] }

    func answer(path: String) -> AdminResponse? { nil }
}

/// What the manager's loop knows about its work.
struct ManagerFigures: Sendable {
    var issuance = IssuanceFigures()
    /// Nil if the copies at Apple and Google are not watched.
    var deliveries: DeliveryMetrics?
    /// Why the server could not be asked; nil if it could.
    var serverProblem: String?
}
