// The health of the server, for load balancers and orchestrators. It answers two different questions: whether the process works
// (otherwise an orchestrator restarts it), and whether it should get requests now.

import HTTP
public import Telemetry

/// The reasons, in words.
public struct HealthReport: Sendable, Equatable {
    /// Why the process should be restarted; usually none.
    public var failures: [String]
    /// Why it should get no requests now, in addition to its failures.
    public var waits: [String]
    /// What the operator should know, though it affects neither: tenants whose new version is not in service.
    public var notes: [String]

    public init(failures: [String] = [], waits: [String] = [], notes: [String] = []) {
        (self.failures, self.waits, self.notes) = (failures, waits, notes)
    }

    /// The phase of the server.
    public enum Phase: Sendable {
        case starting, serving, draining
    }

    /// The report for a state of the server. It names no tenants, only numbers, because a probe need not be the operator's.
    public init(_ phase: Phase, workers: [WorkerState], hosting: HostingFigures) {
        self.init()
        for (number, worker) in workers.enumerated() where worker.isStuck {
            failures.append(
                "worker \(number) has not responded for \(worker.silentMilliseconds / 1_000) seconds")
        }
        switch phase {
        case .starting: waits.append("starting: nothing is served yet")
        case .serving: break
        case .draining: waits.append("draining: the server is about to exit")
        }
        note(hosting.keptHosts, "host on its last good version", "hosts on their last good version")
        note(hosting.unservedFiles, "app file not in service", "app files not in service")
        note(hosting.errors, "open error", "open errors")
    }

    private mutating func note(_ count: Int, _ one: String, _ many: String) {
        if count > 0 { notes.append("\(count) \(count == 1 ? one : many)") }
    }

    public var isAlive: Bool { failures.isEmpty }
    public var isReady: Bool { failures.isEmpty && waits.isEmpty }

    /// The answer of `/healthz`. Without the token it contains no reasons.
    func alive(includesReasons: Bool) -> AdminResponse {
        if isAlive { return AdminResponse(.ok, lines: ["alive"]) }
        return AdminResponse(.serviceUnavailable, lines: includesReasons ? failures : ["not alive"])
    }

    /// The answer of `/readyz`. Without the token it contains no reasons.
    func ready(includesReasons: Bool) -> AdminResponse {
        if isReady { return AdminResponse(.ok, lines: ["ready"] + (includesReasons ? notes : [])) }
        return AdminResponse(.serviceUnavailable, lines: includesReasons ? failures + waits + notes : ["not ready"])
    }
}

/// Durations in words.
enum Age {
    /// `12 minutes`: whole units of the largest unit that fits, rounded down.
    static func text(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        for (length, name) in units where seconds >= length {
            let count = seconds / length
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return "0 seconds"
    }

    static func ago(from then: Int64, to now: Int64) -> String {
        now - then < 1 ? "just now" : "\(text(seconds: now - then)) ago"
    }

    /// Like `text`, but with a second unit, for an uptime.
    static func duration(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let rest =
            seconds >= 86_400 ? seconds % 86_400 / 3_600 * 3_600 : seconds >= 3_600 ? seconds % 3_600 / 60 * 60 : 0
        return rest == 0 ? text(seconds: seconds) : "\(text(seconds: seconds)) \(text(seconds: rest))"
    }
}
