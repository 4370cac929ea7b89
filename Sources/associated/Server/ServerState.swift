// What is known of a running server besides its traffic and its certificates: what it hosts, what became of reloads,
// whether its state can be saved. Written by the thread that manages the process and by the one that does its work, read
// by the one that answers questions.

import Administration
import Association
import Hosting
import Posix
import Synchronization
import Telemetry

final class ServerState: Sendable {
    private struct State {
        var phase = HealthReport.Phase.starting
        var hosting = HostingFigures()
        var kept: [StatusReport.Kept] = []
        /// By host, for those that are on a last good version.
        var reasons: [String: [String]] = [:]
        var findings: [StatusReport.OpenFinding] = []
        /// Since when each finding and each host on a last good version is known, by its line and its name.
        var since: [String: Int64] = [:]
        /// What is wrong with `server.json` since the start.
        var settingsFindings: [StatusReport.OpenFinding] = []
        /// Why the last round could not look at anything; nil when it could.
        var failure: StatusReport.OpenFinding?
        /// The app files of which the removal guard keeps something.
        var guardedFiles: [String] = []
        var refusals = RefusalFigures()
        var reloads = ReloadFigures()
        var tickMilliseconds = Clock.monotonicMilliseconds()
        var stateProblems: [StatePart: StateProblem] = [:]
        /// What the sandbox has to do with them.
        var stateComplaint: String?
        var stateNotes: [(Log.Level, String)] = []

        /// New findings date from now; closed ones are dropped.
        mutating func keepAges(of keys: [String], from now: Int64) {
            var ages: [String: Int64] = [:]
            for key in keys { ages[key] = since[key] ?? now }
            since = ages
        }

        func dated(_ finding: String, as key: String) -> StatusReport.OpenFinding {
            StatusReport.OpenFinding(finding: finding, sinceSeconds: since[key] ?? 0)
        }
    }

    /// What is kept in the state directory.
    enum StatePart: String, CaseIterable {
        case lastGood = "last good versions are"
        case ledger = "fetches by verifiers are"
        case history = "the change history is"
    }

    /// Why one of them cannot be written, and since when.
    struct StateProblem: Equatable {
        let reason: String
        let sinceSeconds: Int64
    }

    private let state = Mutex(State())
    let startedSeconds = Clock.wallSeconds()
    private let startedMilliseconds = Clock.monotonicMilliseconds()
    private let statePath: String
    let diskTimer: DiskTimer

    /// Findings whose age is known; more of them stand only where something is wrong with everything.
    private static let sinceMax = 10_000
    /// Hosts whose reasons are kept one by one, and how many of each.
    private static let reasonsMax = 10_000
    private static let reasonsOfHostMax = 10
    private static let guardedFilesMax = 3

    init(configPath: String, statePath: String) {
        self.statePath = statePath
        diskTimer = DiskTimer(configPath: configPath)
    }

    func enter(_ phase: HealthReport.Phase) { state.withLock { $0.phase = phase } }

    /// The thread that waits for changes has gone round.
    func tick() { state.withLock { $0.tickMilliseconds = Clock.monotonicMilliseconds() } }

    /// What came of the first round.
    func began(_ report: RoundReport, _ tenants: Tenants) { note(report, tenants) { _ in } }

    /// What came of a later one, which began at that time of the exact clock.
    func reloaded(_ report: RoundReport, _ tenants: Tenants, since began: Int64) {
        note(report, tenants) { reloads in
            if report.changes.isEmpty { reloads.unchanged += 1 } else { reloads.changed += 1 }
            reloads.end(report.changes.isEmpty ? .unchanged : .changed, since: began)
        }
    }

    func failed(_ error: ConfigurationError, since began: Int64) {
        state.withLock { state in
            let since = state.failure?.sinceSeconds ?? Clock.wallSeconds()
            state.failure = StatusReport.OpenFinding(
                finding: "error: \(error); what was served before is kept", sinceSeconds: since)
            state.reloads.failed += 1
            state.reloads.end(.failed, since: began, message: "\(error)")
        }
    }

    /// What is wrong with the settings of the next start.
    func note(settings findings: [Finding]) {
        let now = Clock.wallSeconds()
        let open = findings.map { StatusReport.OpenFinding(finding: Console.line($0), sinceSeconds: now) }
        state.withLock { $0.settingsFindings = open }
    }

    /// A part of the state was written, or could not be. True when it can be again.
    @discardableResult
    func noteState(_ part: StatePart, _ reason: String?) -> Bool {
        state.withLock { state in
            guard let reason else {
                if state.stateProblems.removeValue(forKey: part) == nil { return false }
                if state.stateProblems.isEmpty { state.stateNotes.append((.info, "writes to \(statePath) again")) }
                return true
            }
            let since = state.stateProblems[part]?.sinceSeconds ?? Clock.wallSeconds()
            if state.stateProblems[part] == nil {
                state.stateNotes.append(
                    (.error, "cannot write to \(statePath): \(reason); \(part.rawValue) not kept over a restart"))
            }
            state.stateProblems[part] = StateProblem(reason: reason, sinceSeconds: since)
            return false
        }
    }

    func noteState(_ part: StatePart, _ write: () throws(SystemError) -> Void) {
        let result = Result { () throws(SystemError) in try write() }
        if case .failure(let error) = result { noteState(part, error.reason) } else { noteState(part, nil) }
    }

    /// Asks, while something cannot be written, whether that is the sandbox's doing.
    func explainState(_ complaint: () -> String?) {
        let found = stateProblems.isEmpty ? nil : complaint()
        state.withLock { state in
            if let found, state.stateComplaint == nil { state.stateNotes.append((.error, found)) }
            state.stateComplaint = found
        }
    }

    /// What there is to log about it, once.
    func takeStateNotes() -> [(Log.Level, String)] {
        state.withLock { state in
            defer { state.stateNotes = [] }
            return state.stateNotes
        }
    }

    /// What of the state directory cannot be written.
    var stateProblems: [StatePart: StateProblem] { state.withLock { $0.stateProblems } }

    var stateComplaint: String? { state.withLock { $0.stateComplaint } }

    var refusals: RefusalFigures {
        get { state.withLock { $0.refusals } }
        set { state.withLock { $0.refusals = newValue } }
    }

    private func note(_ report: RoundReport, _ tenants: Tenants, _ count: (inout ReloadFigures) -> Void) {
        let reasons = tenants.keptReasons(hostsMax: ServerState.reasonsMax)
        let open = tenants.openFindings
        let findings = open.prefix(ServerState.sinceMax).map { Console.line($0) }
        let guarded = open.lazy.filter { $0.rule == .app042 && $0.severity == .error }.map(\.file)
        let now = phase == .starting ? startedSeconds : Clock.wallSeconds()
        noteState(.lastGood, tenants.stateProblem)
        state.withLock { state in
            state.failure = nil
            state.hosting = report.figures
            state.guardedFiles = Array(guarded.prefix(ServerState.guardedFilesMax))
            state.keepAges(of: findings + reasons.map(\.host), from: now)
            state.kept = reasons.prefix(StatusReport.listMax).map { host, findings in
                // What blocks a version is an error; the rest of what is said of it is not the reason.
                let reason = findings.first { $0.severity == .error } ?? findings.first
                let line = reason.map { Console.line($0) } ?? "for no known reason"
                return StatusReport.Kept(host: host, reason: state.dated(line, as: host))
            }
            state.reasons = Dictionary(
                uniqueKeysWithValues: reasons.map { host, findings in
                    (host, findings.prefix(ServerState.reasonsOfHostMax).map { Console.line($0) })
                })
            state.findings = findings.prefix(StatusReport.listMax).map { state.dated($0, as: $0) }
            count(&state.reloads)
        }
    }

    var phase: HealthReport.Phase { state.withLock { $0.phase } }
    var hosting: HostingFigures {
        state.withLock { state in
            var figures = state.hosting
            figures.errors += state.settingsFindings.count + (state.failure == nil ? 0 : 1)
            return figures
        }
    }
    var kept: [StatusReport.Kept] { state.withLock { $0.kept } }
    var findings: [StatusReport.OpenFinding] {
        state.withLock { $0.settingsFindings + [$0.failure].compactMap { $0 } + $0.findings }
    }
    var guardedFiles: [String] { state.withLock { $0.guardedFiles } }

    var keptHosts: Set<String> { state.withLock { Set($0.reasons.keys) } }

    func reasons(of name: String) -> [String] { state.withLock { $0.reasons[name] ?? [] } }

    var reloads: ReloadFigures {
        state.withLock { state in
            var reloads = state.reloads
            reloads.controlMilliseconds = max(0, Clock.monotonicMilliseconds() - state.tickMilliseconds)
            return reloads
        }
    }

    var uptimeSeconds: Double { Double(Clock.monotonicMilliseconds() - startedMilliseconds) / 1_000 }
}

extension ReloadFigures {
    fileprivate mutating func end(_ outcome: Outcome, since began: Int64, message: String? = nil) {
        let microseconds = max(0, Clock.monotonicMicroseconds() - began)
        durations.add(microseconds: microseconds)
        last = Last(outcome: outcome, seconds: Clock.wallSeconds(), microseconds: microseconds, message: message)
    }
}

/// How long reads of the disk take. The thread that reads cannot say it while a file system hangs, so each read is noted here: the admin
/// listener shows it, and a thread that never goes to the disk logs it.
final class DiskTimer: Sendable {
    enum Reader {
        /// The thread that waits for changes: at `server.json`.
        case settings
        /// The one that does its work: at everything.
        case round
    }

    private let configPath: String
    /// When each look that has not come to its end began.
    private let begun = Mutex<[Reader: Int64]>([:])

    private static let slowMilliseconds: Int64 = 10_000
    private static let tickMilliseconds: Int32 = 1_000

    init(configPath: String) { self.configPath = configPath }

    func measure<Result>(_ reader: Reader, _ body: () -> Result) -> Result {
        begun.withLock { $0[reader] = Clock.monotonicMilliseconds() }
        defer { begun.withLock { $0[reader] = nil } }
        return body()
    }

    /// The warning about a read that takes too long; usually nil.
    var complaint: String? {
        guard let first = begun.withLock({ $0.values.min() }) else { return nil }
        let milliseconds = Clock.monotonicMilliseconds() - first
        if milliseconds < DiskTimer.slowMilliseconds { return nil }
        return "looking at \(configPath) has taken \(milliseconds / 1_000) seconds; is its file system hanging?"
    }

    /// Starts the thread that says so, once each time. It ends with the process.
    func watch() throws(SystemError) {
        let thread = try Thread(name: "lookout", owning: WakeUp()) { [self] never in
            var isSaid = false
            while true {
                _ = never.wait(milliseconds: DiskTimer.tickMilliseconds)
                let slow = self.complaint
                if let slow, !isSaid { Log.warning(slow) }
                isSaid = slow != nil
            }
        }
        thread.detach()
    }
}
