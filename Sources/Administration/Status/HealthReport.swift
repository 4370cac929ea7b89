// How the server is, for machines that decide by it. Two questions that must not be confused: whether the process is of
// any more use (an orchestrator starts another one when it is not), and whether to send requests to it now.

import HTTP
public import Telemetry

/// What is wrong, if anything, in words.
public struct HealthReport: Sendable, Equatable {
    /// Why the process should be replaced; usually none.
    public var failures: [String]
    /// Why no requests should be sent to it at this time, besides its failures.
    public var waits: [String]
    /// What an operator should look at, though it stops nothing: tenants whose new version is not in service.
    public var notes: [String]

    public init(failures: [String] = [], waits: [String] = [], notes: [String] = []) {
        (self.failures, self.waits, self.notes) = (failures, waits, notes)
    }

    /// Where a server is in its life.
    public enum Phase: Sendable {
        case starting, serving, draining
    }

    /// What follows from how the server stands. Tenants are told in numbers only: whoever probes need not be whoever may
    /// know.
    public init(_ phase: Phase, workers: [WorkerState], hosting: HostingFigures) {
        self.init()
        for (number, worker) in workers.enumerated() where worker.isStuck {
            failures.append(
                "worker \(number) has given no sign of life for \(worker.silentMilliseconds / 1_000) seconds")
        }
        switch phase {
        case .starting: waits.append("starting: nothing is served yet")
        case .serving: break
        case .draining: waits.append("draining: the server is about to end")
        }
        note(hosting.keptHosts, "host on its last good version", "hosts on their last good version")
        note(hosting.unservedFiles, "app file that nothing is served from", "app files that nothing is served from")
        note(hosting.errors, "error stands", "errors stand")
    }

    private mutating func note(_ count: Int, _ one: String, _ many: String) {
        if count > 0 { notes.append("\(count) \(count == 1 ? one : many)") }
    }

    public var isAlive: Bool { failures.isEmpty }
    public var isReady: Bool { failures.isEmpty && waits.isEmpty }

    /// The answer of `/healthz`. A probe that has not shown the token learns no more than it needs.
    func alive(tellsWhy: Bool) -> AdminResponse {
        if isAlive { return AdminResponse(.ok, lines: ["alive"]) }
        return AdminResponse(.serviceUnavailable, lines: tellsWhy ? failures : ["not alive"])
    }

    /// The answer of `/readyz`, likewise.
    func ready(tellsWhy: Bool) -> AdminResponse {
        if isReady { return AdminResponse(.ok, lines: ["ready"] + (tellsWhy ? notes : [])) }
        return AdminResponse(.serviceUnavailable, lines: tellsWhy ? failures + waits + notes : ["not ready"])
    }
}

/// How long ago something was, as people say it.
enum Age {
    /// `12 minutes`, in the largest unit of which there are two at least, or one whole; nothing finer than a second.
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

    /// Two units, for how long something has been running.
    static func duration(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let rest =
            seconds >= 86_400 ? seconds % 86_400 / 3_600 * 3_600 : seconds >= 3_600 ? seconds % 3_600 / 60 * 60 : 0
        return rest == 0 ? text(seconds: seconds) : "\(text(seconds: seconds)) \(text(seconds: rest))"
    }
}
