// Answers at the manager's admin address while the manager is started again, so that a probe gets the reason and does not wait. The
// parent, which parses nothing from clients, tells the server when a manager has ended and when the next one starts.

import Administration
import Posix
import Service
import Synchronization

/// Used by the main loop; its answers are computed by a thread of their own.
final class ManagerStandIn: Sendable {
    private let state: ServerState
    /// Nil if the manager has no admin address.
    private let socket: ListeningSocket?
    /// Nil while a manager runs.
    private let listener = Mutex<Service?>(nil)

    init(_ state: ServerState, on socket: ListeningSocket?) { (self.state, self.socket) = (state, socket) }

    /// - Parameter end: how the manager ended; empty when the next one starts.
    func take(end: String) {
        listener.exchange(nil)?.stop()
        if end.isEmpty { return }
        state.change { $0.managerProblem = "it \(end)" }
        guard let socket else { return }
        do throws(SystemError) {
            let answers = try Service(AdminSettings(address: socket.address), Answers(end: end), on: socket)
            listener.withLock { $0 = answers }
        } catch { Log.warning("cannot answer for the manager: \(error)") }
    }

    private struct Answers: AdminSources {
        let end: String

        /// The parent restarts it, so there is no reason to replace anything.
        func health() -> HealthReport { HealthReport(waits: ["the manager \(end); it is started again"]) }

        func metricFamilies() -> [MetricFamily] {
            var metrics = ManagerMetrics(version: Product.version)
            (metrics.isReady, metrics.isServerReachable) = (false, false)
            return metrics.families
        }

        var routes: [Route] { [] }
    }
}
