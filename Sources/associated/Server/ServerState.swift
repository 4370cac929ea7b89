// The state of a running server except traffic and certificates: what it hosts, the results of reloads, and whether its state can
// be saved. Written by the main loop and its jobs, read by the admin listener.

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
        /// The findings of each host on a last good version.
        var reasons: [String: [String]] = [:]
        /// Further errors of each host's files.
        var errors: [String: [String]] = [:]
        /// The folders of hosts' app files, for hosts whose files are in folders.
        var folders: [String: String] = [:]
        var findings: [StatusReport.OpenFinding] = []
        /// When each finding was found, by its line, and when each host got its last good version, by its name.
        var since: [String: Int64] = [:]
        /// Findings on `server.json`, and how many of them are errors.
        var settingsFindings: [StatusReport.OpenFinding] = []
        var settingsErrorCount = 0
        /// Why the last round failed; nil if it succeeded.
        var failure: StatusReport.OpenFinding?
        /// The app files whose changes the removal guard holds.
        var guardedFiles: [String] = []
        var refusals = RefusalFigures()
        var reloads = ReloadFigures()
        var tickMilliseconds = Clock.monotonicMilliseconds()
        /// When the manager last asked for the served hosts.
        var managerMilliseconds: Int64?
        /// Why it cannot work, as it said then, or how it ended since.
        var managerProblem: String?
        var stateProblems: [StatePart: PartProblem] = [:]
        /// Set if the sandbox is the reason.
        var stateComplaint: String?
        var stateNotes: [(Log.Level, String)] = []

        /// New findings get the present time; closed ones are removed.
        mutating func keepAges(of keys: [String], from now: Int64) {
            var ages: [String: Int64] = [:]
            for key in keys { ages[key] = since[key] ?? now }
            since = ages
        }

        func dated(_ finding: String, as key: String) -> StatusReport.OpenFinding {
            StatusReport.OpenFinding(finding: finding, sinceSeconds: since[key] ?? 0)
        }
    }

    /// What is saved in the state directory.
    enum StatePart: String, CaseIterable {
        case lastGood = "last good versions"
        case ledger = "verifier fetches"
        case history = "change history"
        case certificates = "last good certificates"
    }

    /// Why a part cannot be saved, and since when.
    struct PartProblem {
        let text: String
        let remedy: String
        let sinceSeconds: Int64
    }

    private let state = Mutex(State())
    let startedSeconds = Clock.wallSeconds()
    private let startedMilliseconds = Clock.monotonicMilliseconds()
    private let statePath: String
    let diskTimer: DiskTimer

    /// How many findings have a time. More exist only if everything is broken.
    private static let sinceMax = 10_000
    /// How many hosts have their findings stored, and how many of each.
    private static let reasonsMax = 10_000
    private static let reasonsOfHostMax = 10
    private static let guardedFilesMax = 3

    init(configPath: String, statePath: String) {
        self.statePath = statePath
        diskTimer = DiskTimer(configPath: configPath)
    }

    func enter(_ phase: HealthReport.Phase) { state.withLock { $0.phase = phase } }

    /// The main loop has completed an iteration.
    func tick() { state.withLock { $0.tickMilliseconds = Clock.monotonicMilliseconds() } }

    /// The manager has asked for the served hosts, at this time of the monotonic clock.
    func noteManager(_ nowMilliseconds: Int64, problem: String?) {
        state.withLock { ($0.managerMilliseconds, $0.managerProblem) = (nowMilliseconds, problem) }
    }

    /// The manager has ended in this way.
    func noteManager(end: String) { state.withLock { $0.managerProblem = "it \(end)" } }

    var managerSilence: ManagerSilence {
        let (contact, problem) = state.withLock { ($0.managerMilliseconds, $0.managerProblem) }
        var silence = ManagerSilence(
            startedMilliseconds: startedMilliseconds, contactMilliseconds: contact,
            nowMilliseconds: Clock.monotonicMilliseconds())
        silence.problem = problem
        return silence
    }

    /// The first round has ended.
    func began(_ report: RoundReport, _ tenants: Tenants) { note(report, tenants) { _ in } }

    /// A later round has ended; it began at this time of the monotonic clock, in microseconds.
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
                finding: "error: \(error); still serving the previous version", sinceSeconds: since)
            state.reloads.failed += 1
            state.reloads.end(.failed, since: began, message: "\(error)")
        }
    }

    /// Findings on the present `server.json`, which takes effect at the next start.
    func note(settings findings: [Finding]) {
        let now = Clock.wallSeconds()
        let open = findings.map { StatusReport.OpenFinding(finding: Console.line($0), sinceSeconds: now) }
        let errorCount = findings.count { $0.severity == .error }
        state.withLock { ($0.settingsFindings, $0.settingsErrorCount) = (open, errorCount) }
    }

    /// Notes whether a part of the state could be saved.
    func noteState(_ part: StatePart, _ error: SystemError?, remedy: String? = nil) {
        state.withLock { state in
            guard let error else {
                let hasEnded = state.stateProblems.removeValue(forKey: part) != nil && state.stateProblems.isEmpty
                if hasEnded { state.stateNotes.append((.info, "\(statePath) can be written again")) }
                return
            }
            let known = state.stateProblems[part]
            let loss = "\(part.rawValue) will be lost when this process exits"
            let problem = PartProblem(
                text: "cannot write to \(statePath): \(error.reason); \(loss)",
                remedy: remedy ?? error.remedy(writingTo: statePath),
                sinceSeconds: known?.sinceSeconds ?? Clock.wallSeconds())
            if known == nil { state.stateNotes.append((.error, "\(problem.text); \(problem.remedy)")) }
            state.stateProblems[part] = problem
        }
    }

    func noteLastGood(_ tenants: Tenants) {
        noteState(.lastGood, tenants.stateProblem, remedy: tenants.stateRemedy)
    }

    func noteState(_ part: StatePart, _ write: () throws(SystemError) -> Void) {
        let result = Result { () throws(SystemError) in try write() }
        if case .failure(let error) = result { noteState(part, error) } else { noteState(part, nil) }
    }

    /// Looks for the reason while something cannot be saved.
    func explainState(_ complaint: () -> String?) {
        let found = stateProblems.isEmpty ? nil : complaint()
        state.withLock { state in
            if let found, state.stateComplaint == nil { state.stateNotes.append((.error, found)) }
            state.stateComplaint = found
        }
    }

    func takeStateNotes() -> [(Log.Level, String)] {
        state.withLock { state in
            defer { state.stateNotes = [] }
            return state.stateNotes
        }
    }

    /// Whether something of the rounds could not be saved. The others save themselves.
    var isUnsaved: Bool { stateProblems.keys.contains { ![.ledger, .certificates].contains($0) } }

    /// The parts of the state that cannot be saved.
    var stateProblems: [StatePart: PartProblem] { state.withLock { $0.stateProblems } }

    /// The operator must know before a restart that the state is not saved.
    var stateFindings: [StatusReport.OpenFinding] {
        let (problems, complaint) = state.withLock { ($0.stateProblems, $0.stateComplaint) }
        return problems.sorted { $0.key.rawValue < $1.key.rawValue }.map { _, problem in
            StatusReport.OpenFinding(
                finding: "error: \(problem.text); \(complaint ?? problem.remedy)", sinceSeconds: problem.sinceSeconds)
        }
    }

    var refusals: RefusalFigures {
        get { state.withLock { $0.refusals } }
        set { state.withLock { $0.refusals = newValue } }
    }

    private func note(_ report: RoundReport, _ tenants: Tenants, _ count: (inout ReloadFigures) -> Void) {
        let reasons = tenants.lastGoodReasons(hostsMax: ServerState.reasonsMax)
        let errors = tenants.furtherErrors(hostsMax: ServerState.reasonsMax)
        let open = tenants.openFindings
        let findings = open.prefix(ServerState.sinceMax).map { Console.line($0) }
        let few = FairShare.fitting(open, room: StatusReport.listMax, tenant: tenants.tenant)
        let listed = few.map { Console.line($0) }
        let guarded = open.lazy.filter { $0.rule == .app042 && $0.severity == .error }.map(\.file)
        let now = phase == .starting ? startedSeconds : Clock.wallSeconds()
        noteLastGood(tenants)
        state.withLock { state in
            state.failure = nil
            for (host, folder) in report.folders { state.folders[host] = folder }
            state.hosting = report.figures
            state.guardedFiles = Array(guarded.prefix(ServerState.guardedFilesMax))
            state.keepAges(of: findings + listed + reasons.map(\.host), from: now)
            let kept = FairShare.fitting(reasons, room: StatusReport.listMax) { [folders = state.folders] in
                FairShare.tenant(of: $0.host, in: folders[$0.host])
            }
            state.kept = kept.map { host, findings in
                // The error is the reason; further warnings are not.
                let reason = findings.first { $0.severity == .error } ?? findings.first
                let line = reason.map { Console.line($0) } ?? "for no known reason"
                return StatusReport.Kept(host: host, reason: state.dated(line, as: host))
            }
            state.reasons = Dictionary(
                uniqueKeysWithValues: reasons.map { ($0.host, ServerState.firstLines(of: $0.findings)) })
            state.errors = errors.mapValues(ServerState.firstLines)
            state.findings = listed.map { state.dated($0, as: $0) }
            count(&state.reloads)
        }
    }

    private static func firstLines(of findings: [Finding]) -> [String] {
        findings.prefix(reasonsOfHostMax).map { Console.line($0) }
    }

    var phase: HealthReport.Phase { state.withLock { $0.phase } }
    var hosting: HostingFigures {
        state.withLock { state in
            var figures = state.hosting
            figures.errors += state.settingsErrorCount + (state.failure == nil ? 0 : 1)
            return figures
        }
    }
    var kept: [StatusReport.Kept] { state.withLock { $0.kept } }
    var findings: [StatusReport.OpenFinding] {
        state.withLock { $0.settingsFindings + [$0.failure].compactMap { $0 } + $0.findings }
    }
    var guardedFiles: [String] { state.withLock { $0.guardedFiles } }

    var folders: [String: String] { state.withLock { $0.folders } }

    var hostsOnLastGood: Set<String> { state.withLock { Set($0.reasons.keys) } }

    func reasons(of name: String) -> [String] { state.withLock { $0.reasons[name] ?? [] } }

    func errors(of name: String) -> [String] { state.withLock { $0.errors[name] ?? [] } }

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

/// Measures how long disk reads take. A thread whose file system hangs cannot report it, so each read is noted here: the admin
/// listener shows it, and a thread that never reads the disk logs it.
final class DiskTimer: Sendable {
    enum Reader {
        /// The main loop, which reads `server.json`.
        case settings
        /// A round, which reads everything.
        case round
    }

    private let configPath: String
    /// When each unfinished read began.
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
        return "reading \(configPath) has taken \(milliseconds / 1_000) seconds; is its file system hanging?"
    }

    /// Starts the thread that logs slow reads, once each. It runs until the process exits.
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
