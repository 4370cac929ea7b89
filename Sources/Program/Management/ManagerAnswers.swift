// The answers of the manager's own admin listener: health, metrics and the states of certificates. They come from numbers that the manager's loop leaves here,
// so that a slow database delays no probe.

import Administration
import Delivery
import HTTP
import Issuance
import Posix
import Service
import SourceJSON
import Store
import Supervision
import Synchronization

final class ManagerAnswers: AdminHandlers {
    private let issuance: IssuanceStatus
    private let control: WorkControl
    private let figures = Mutex(ManagerFigures())
    private let usage = ProcessUsage()

    init(_ issuance: IssuanceStatus, _ control: WorkControl) { (self.issuance, self.control) = (issuance, control) }

    func take(_ new: ManagerFigures) { figures.withLock { $0 = new } }

    /// A manager that cannot use its store, or write for the server, has to wait, but a restart would not help.
    func health() -> HealthReport {
        HealthReport(waits: [issuance.problem].compactMap(\.self), notes: control.sourceProblems)
    }

    func metricFamilies() -> [MetricFamily] {
        let figures = figures.withLock { $0 }
        let (counts, outcomes) = (figures.issuance, issuance.outcomes)
        var metrics = ManagerMetrics(version: Product.version)
        metrics.isReady = issuance.problem == nil
        metrics.isServerReachable = control.sourceProblems.isEmpty
        metrics.hosts = IssuanceState.allCases.map { (state: $0.rawValue, count: counts.hosts[$0] ?? 0) }
        metrics.orders = IssuanceState.allCases.map { (state: $0.rawValue, count: outcomes[$0] ?? 0) }
        metrics.oldestWaitingSeconds = counts.longestWaitMilliseconds.map { Double($0) / 1_000 } ?? 0
        metrics.lifeLeftMin = counts.lifeLeftMin
        metrics.budgets = Budget.Limit.allCases.compactMap { limit in
            counts.budgets[limit].map { (limit.rawValue, $0) }
        }
        metrics.residentBytes = usage.memoryBytes.map { Double($0.resident) }
        return metrics.families + (figures.deliveries?.families ?? [])
    }

    var routes: [Route] {
        [
            Route(.get, "/status", .status) { _ in
                let members = self.figures.withLock { $0 }.issuance.members
                return ServiceResponse(.ok, ServiceResponse.json, SourceWriter.canonical(.object(members)))
            }
        ]
    }
}

/// What the manager's loop knows about its work.
struct ManagerFigures: Sendable {
    var issuance = IssuanceFigures()
    /// Nil if the copies at Apple and Google are not watched.
    var deliveries: DeliveryMetrics?
}
