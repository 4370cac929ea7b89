// The health of the server, for orchestrators and load balancers. It answers two different questions: whether the process must be
// replaced (liveness), and whether to send requests to it now (readiness).

import HTTP
import Posix
import Service
public import Telemetry

/// The reasons why the server is not alive or not ready.
public struct HealthReport: Sendable, Equatable {
    /// Why the process should be replaced; usually empty.
    public var failures: [String]
    /// Further reasons to send no requests to it now.
    public var waits: [String]
    /// Problems for the operator that do not affect readiness, such as hosts on their last good version.
    public var notes: [String]

    public init(failures: [String] = [], waits: [String] = [], notes: [String] = []) {
        (self.failures, self.waits, self.notes) = (failures, waits, notes)
    }

    public enum Phase: Sendable {
        case starting, serving, draining
    }

    /// The report for a state of the server. Notes have only numbers, because a probe may not be allowed to know the tenants.
    /// - Parameter manager: nil if the server needs no manager. Its silence is never a reason to send no requests.
    public init(_ phase: Phase, workers: [WorkerState], hosting: HostingFigures, manager: ManagerSilence? = nil) {
        self.init()
        for (number, worker) in workers.enumerated() where worker.isStuck {
            failures.append("worker \(number) has not responded for \(worker.silentMilliseconds / 1_000) seconds")
        }
        switch phase {
        case .starting: waits.append("starting: nothing is served yet")
        case .serving: break
        case .draining: waits.append("draining: the server is shutting down")
        }
        note(hosting.keptHosts, "host on its last good version", "hosts on their last good version")
        note(hosting.unservedFiles, "app file without a version in service", "app files without a version in service")
        note(hosting.errors, "open error", "open errors")
        notes += [manager?.note].compactMap { $0 }
    }

    private mutating func note(_ count: Int, _ one: String, _ many: String) {
        if count > 0 { notes.append("\(count) \(count == 1 ? one : many)") }
    }

    public var isAlive: Bool { failures.isEmpty }
    public var isReady: Bool { failures.isEmpty && waits.isEmpty }

    /// The answer of `/healthz`.
    /// - Parameter includesReasons: false for a probe without the token.
    func alive(includesReasons: Bool) -> ServiceResponse {
        if isAlive { return ServiceResponse(.ok, lines: ["alive"]) }
        return ServiceResponse(.serviceUnavailable, lines: includesReasons ? failures : ["not alive"])
    }

    /// The answer of `/readyz`.
    /// - Parameter includesReasons: false for a probe without the token.
    func ready(includesReasons: Bool) -> ServiceResponse {
        if isReady { return ServiceResponse(.ok, lines: ["ready"] + (includesReasons ? notes : [])) }
        return ServiceResponse(.serviceUnavailable, lines: includesReasons ? failures + waits + notes : ["not ready"])
    }
}

/// How long the manager has not asked the server for its hosts. The server works without it and stays ready, but no
/// certificate is renewed meanwhile, so health, status and metrics report a silent manager, and one that says that it cannot work.
public struct ManagerSilence: Sendable, Equatable {
    public var seconds: Int64
    /// Why it cannot work, as it said at the last contact, or how it has ended since then; nil if it can.
    public var problem: String?
    /// What it says of all hosts; nil if it has no console.
    public var sentence: String?
    /// In how many seconds the next one is started; nil if none waits for that.
    public var restartSeconds: Int64?

    /// A manager is reported as silent from this time on. A running one asks several times a minute.
    public static let secondsMax: Int64 = 60

    public init(seconds: Int64) { self.seconds = seconds }

    /// In milliseconds of the monotonic clock. Without a contact, the silence began with the server's start.
    public init(startedMilliseconds: Int64, contactMilliseconds: Int64?, nowMilliseconds: Int64) {
        seconds = max(0, nowMilliseconds - (contactMilliseconds ?? startedMilliseconds)) / 1_000
    }

    /// The duration in words; nil while the manager is not silent.
    private var duration: String? { seconds >= ManagerSilence.secondsMax ? Age.text(seconds: seconds) : nil }

    private var whole: String? { problem.map { $0 + (restartSeconds.map { "; next start in \($0) s" } ?? "") } }

    private var cause: String { whole.map { " (\($0))" } ?? "" }

    var note: String? {
        duration.map { "the manager has been silent for \($0)\(cause)" }
            ?? whole.map { "the manager cannot work: \($0)" }
    }

    /// What the first page of the console says, as long as it can be believed.
    var overview: String? { duration == nil && problem == nil ? sentence : nil }

    /// The line of the status; nil while it works.
    public var text: String? {
        duration.map { "manager: silent for \($0)\(cause); certificates are not renewed; see its log" }
            ?? whole.map { "manager: \($0); no certificate is ordered or renewed" }
    }
}

extension ManagerSilence: JSONRecord {
    package static var blank: Self { Self(seconds: 0) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("silentSeconds", \.seconds), .optional("problem", \.problem),
            .optional("restartSeconds", \.restartSeconds), .optional("sentence", \.sentence),
        ]
    }
}
