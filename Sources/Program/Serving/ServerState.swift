// The state of a running server except traffic and certificates: what it hosts, the results of reloads, and whether its state can
// be saved. Written by the main loop and its jobs, read by the admin listener.

import Administration
import Association
import Catalogue
import Hosting
import Posix
import Settings
import Supervision
import Synchronization
import Telemetry
import Tenancy

final class ServerState: Sendable {
    struct State {
        /// What rounds and the main loop have to report; `ServerAnswers` completes it.
        var report = StatusReport()
        var phase = HealthReport.Phase.starting
        /// The findings of each host on a last good version, and the errors of files for each host that are not in service.
        fileprivate(set) var reasons: [String: [Finding]] = [:]
        fileprivate(set) var errors: [String: [Finding]] = [:]
        /// The folders of hosts' app files, for hosts whose files are in folders.
        fileprivate(set) var folders: [String: String] = [:]
        /// The app files of each host, as paths below `config/apps`.
        fileprivate(set) var appFiles: [String: [String]] = [:]
        /// Published app files by folder and path, and findings on the folders of app files.
        fileprivate(set) var published: [String: [String: PublishedApps.File]] = [:]
        fileprivate(set) var folderFindings: [String: [String]] = [:]
        /// When each finding was found, by its line, and when each host got its last good version, by its name.
        fileprivate var since: [String: Int64] = [:]
        /// Findings on `server.json`, and how many of them are errors.
        fileprivate var settingsFindings: [StatusReport.OpenFinding] = []
        fileprivate var settingsErrorCount = 0
        /// Why the last round failed; nil if it succeeded.
        fileprivate var failure: StatusReport.OpenFinding?
        var tickMilliseconds = Clock.monotonicMilliseconds()
        /// When the manager last asked for the served hosts.
        var managerMilliseconds: Int64?
        /// Why it cannot work, as it said then, or how it ended since.
        var managerProblem: String?
        var managerSentence: String?
        /// When the next one is started, by the monotonic clock.
        var managerRestart: Int64?
        /// Hosts that wait for the first certificate from it, as it said last.
        var awaitedCount = 0
        /// Those that were there at the start, until they are deleted.
        fileprivate(set) var otherStates: [OtherState] = []
        /// The parts of the state that cannot be saved.
        fileprivate(set) var problems: [StatePart: PartProblem] = [:]
        /// Set if the sandbox is the reason.
        fileprivate var complaint: String?

        /// New findings get the present time; closed ones are removed.
        fileprivate mutating func keepAges(of keys: [String], from now: Int64) {
            var ages: [String: Int64] = [:]
            for key in keys { ages[key] = since[key] ?? now }
            since = ages
        }

        fileprivate func dated(_ finding: String, as key: String) -> StatusReport.OpenFinding {
            StatusReport.OpenFinding(finding: finding, sinceSeconds: since[key] ?? 0)
        }

        fileprivate mutating func note(_ file: PublishedApps.File?, at path: String) {
            let folder = ServerState.folder(of: path)
            guard file != nil || published[folder] != nil else { return }
            published[folder, default: [:]][path] = file
            if published[folder]?.isEmpty == true { published[folder] = nil }
        }

        var hosting: HostingFigures {
            var figures = report.hosting
            figures.errors += settingsErrorCount + (failure == nil ? 0 : 1)
            return figures
        }

        /// The operator must know before a restart that the state is not saved.
        var stateFindings: [StatusReport.OpenFinding] {
            otherStates.map {
                StatusReport.OpenFinding(finding: "error: \($0.text)", sinceSeconds: report.startedSeconds)
            }
                + problems.sorted { $0.key.rawValue < $1.key.rawValue }.map { _, problem in
                    StatusReport.OpenFinding(
                        finding: "error: \(problem.text); \(complaint ?? problem.remedy)",
                        sinceSeconds: problem.sinceSeconds)
                }
        }

        var findings: [StatusReport.OpenFinding] {
            settingsFindings + [failure].compactMap { $0 } + report.findings
        }

        /// Whether something of the rounds could not be saved. The others save themselves.
        var isUnsaved: Bool { problems.keys.contains { ![.ledger, .certificates].contains($0) } }
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
    private let startedMilliseconds = Clock.monotonicMilliseconds()
    private let statePath: String
    let diskTimer: DiskTimer

    /// How many findings have a time. More exist only if everything is broken.
    private static let sinceMax = 10_000
    /// How many hosts have their findings stored.
    private static let reasonsMax = 10_000
    private static let reasonsOfHostMax = 10
    private static let guardedFilesMax = 3

    init(configPath: String, statePath: String) {
        self.statePath = statePath
        diskTimer = DiskTimer(configPath: configPath)
        change {
            $0.report.startedSeconds = Clock.wallSeconds()
            $0.report.upgradeCount = Inheritance.own?.upgradeCount ?? 0
        }
    }

    /// Everything at this moment.
    var current: State { state.withLock { $0 } }

    /// Whose a host is, by its configured name.
    func tenant(of host: String) -> TenantID { state.withLock { TenantID(of: host, folder: $0.folders[host]) } }

    /// The same by any name: that of a wildcard's client, or of a folder below `config/hosts`.
    func tenant(of name: String, in published: PublishedCatalogue) -> TenantID {
        published.current.configuredName(of: name).map { tenant(of: $0) } ?? .unserved
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var uptimeSeconds: Double { Double(Clock.monotonicMilliseconds() - startedMilliseconds) / 1_000 }

    var managerSilence: ManagerSilence {
        let current = current
        var silence = ManagerSilence(
            startedMilliseconds: startedMilliseconds, contactMilliseconds: current.managerMilliseconds,
            nowMilliseconds: Clock.monotonicMilliseconds())
        (silence.problem, silence.sentence) = (current.managerProblem, current.managerSentence)
        silence.restartSeconds = current.managerRestart.flatMap { restart in
            let left = restart - Clock.monotonicMilliseconds()
            return left > 0 ? (left + 999) / 1_000 : nil
        }
        return silence
    }

    func take(_ news: ParentNews) {
        change {
            switch news {
            case .managerEnded(let text, let milliseconds):
                ($0.managerProblem, $0.managerSentence) = (text.isEmpty ? nil : "it \(text)", nil)
                $0.managerRestart = milliseconds.map { $0 + Clock.monotonicMilliseconds() }
            case .notUpgraded(let reason, let seconds):
                $0.report.refusedUpgrade = StatusReport.OpenFinding(finding: reason, sinceSeconds: seconds)
            case .died(let text, let seconds):
                $0.report.death = StatusReport.OpenFinding(finding: text, sinceSeconds: seconds)
            }
        }
    }

    func failed(_ error: ConfigurationError, since began: Int64) {
        state.withLock { state in
            let since = state.failure?.sinceSeconds ?? Clock.wallSeconds()
            state.failure = StatusReport.OpenFinding(
                finding: "error: \(error); still serving the previous version", sinceSeconds: since)
            state.report.reloads.end(.failed, since: began, message: "\(error)")
        }
    }

    /// Findings on the present `server.json`, which takes effect at the next start.
    /// - Parameter change: what to do, if it is not that of this start.
    func note(settings findings: [Finding], change: String? = nil) {
        let now = Clock.wallSeconds()
        let open = findings.map { StatusReport.OpenFinding(finding: $0.line, sinceSeconds: now) }
        let errorCount = findings.count { $0.severity == .error }
        state.withLock {
            ($0.settingsFindings, $0.settingsErrorCount) = (open, errorCount)
            $0.report.changedSettings = change.map { StatusReport.OpenFinding(finding: $0, sinceSeconds: now) }
        }
    }

    /// Notes whether a part of the state could be saved.
    func noteState(_ part: StatePart, _ error: SystemError?, remedy: String? = nil) {
        let news: (Log.Level, String)? = state.withLock { state in
            guard let error else {
                let hasEnded = state.problems.removeValue(forKey: part) != nil && state.problems.isEmpty
                return hasEnded ? (.info, "\(statePath) can be written again") : nil
            }
            let known = state.problems[part]
            let loss = "\(part.rawValue) will be lost when this process exits"
            let problem = PartProblem(
                text: "cannot write to \(statePath): \(error.reason); \(loss)",
                remedy: remedy ?? error.remedy(writingTo: statePath),
                sinceSeconds: known?.sinceSeconds ?? Clock.wallSeconds())
            state.problems[part] = problem
            return known == nil ? (.error, "\(problem.text); \(problem.remedy)") : nil
        }
        if let (level, text) = news { Log.write(level, text) }
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
        let before = current
        let found = before.problems.isEmpty ? nil : complaint()
        change { $0.complaint = found }
        if let found, before.complaint == nil { Log.error(found) }
    }

    /// Notices what has been deleted of the states that were set aside.
    func checkOtherStates() {
        let before = current.otherStates
        if before.isEmpty { return }
        let left = before.filter { File.exists($0.path) }
        if left != before { change { $0.otherStates = left } }
    }

    /// A round has ended.
    /// - Parameter began: its beginning by the monotonic clock, in microseconds; nil for that of the start, which is no reload.
    func reloaded(_ report: RoundReport, _ tenants: Tenants, since began: Int64? = nil) {
        let reasons = tenants.lastGoodReasons(hostsMax: ServerState.reasonsMax)
        let errors = tenants.furtherErrors(hostsMax: ServerState.reasonsMax)
        let open = tenants.openFindings
        let findings = open.prefix(ServerState.sinceMax).map(\.line)
        let few = FairShare.fitting(open, room: StatusReport.listMax, tenant: { tenants.tenant(ofFile: $0.file) })
        let listed = few.map(\.line)
        let guarded = open.lazy.filter { $0.rule == .app042 && $0.severity == .error }.map(\.file)
        noteLastGood(tenants)
        // Probes wait for the lock, so no text is made while it is held.
        let reasonsByHost = Dictionary(uniqueKeysWithValues: reasons.map { ($0.host, $0.findings) })
        let keptHosts = FairShare.fitting(reasons, room: StatusReport.listMax) { tenants.tenant(ofHost: $0.host) }
        let kept = keptHosts.map { host, findings in
            // The error is the reason; further warnings are not.
            let reason = findings.first { $0.severity == .error } ?? findings.first
            return (host: host, line: reason.map(\.line) ?? "for no known reason")
        }
        let published = report.published.map { ($0.path, $0.file.map(PublishedApps.File.init)) }
        let folderFindings = Dictionary(grouping: tenants.folderFindings) { ServerState.folder(of: $0.path) }
            .mapValues { $0.map(\.finding.line).sorted() }
        state.withLock { state in
            state.failure = nil
            for (path, file) in published { state.note(file, at: path) }
            state.folderFindings = folderFindings
            if began == nil { state.otherStates = report.otherStates }
            for (host, folder, files) in report.folders {
                (state.folders[host], state.appFiles[host]) = (folder, files.isEmpty ? nil : files)
            }
            state.report.hosting = report.figures
            state.report.guardedFiles = Array(guarded.prefix(ServerState.guardedFilesMax))
            let now = state.phase == .starting ? state.report.startedSeconds : Clock.wallSeconds()
            state.keepAges(of: findings + listed + reasons.map(\.host), from: now)
            state.report.kept = kept.map { StatusReport.Kept(host: $0.host, reason: state.dated($0.line, as: $0.host)) }
            (state.reasons, state.errors) = (reasonsByHost, errors)
            state.report.findings = listed.map { state.dated($0, as: $0) }
            if let began { state.report.reloads.end(report.changes.isEmpty ? .unchanged : .changed, since: began) }
        }
    }

    /// The top folder of a path below `config/apps`.
    private static func folder(of path: String) -> String { TenantID.folder(ofApp: path) ?? path }

    /// Findings of one host as `status HOST` shows them.
    static func firstLines(of findings: [Finding]?) -> [String] {
        (findings ?? []).prefix(reasonsOfHostMax).map(\.line)
    }
}

extension PublishedApps.File {
    fileprivate init(_ file: PublishedFile) {
        let state = State(rawValue: file.state.rawValue) ?? .broken
        self.init(
            path: file.path, digest: file.digest, state: state, findings: ServerState.firstLines(of: file.findings),
            servesOlder: file.servesOlder)
    }
}

extension ReloadFigures {
    fileprivate mutating func end(_ outcome: Outcome, since began: Int64, message: String? = nil) {
        let microseconds = max(0, Clock.monotonicMicroseconds() - began)
        switch outcome {
        case .changed: changed += 1
        case .unchanged: unchanged += 1
        case .failed: failed += 1
        }
        durations.add(microseconds: microseconds)
        last = Last(outcome: outcome, seconds: Clock.wallSeconds(), microseconds: microseconds, message: message)
    }
}

/// Measures how long disk reads take. A thread whose file system hangs cannot report it, so each read is noted here: the admin
/// listener shows it, and a thread that never reads the disk logs it.
final class DiskTimer: Sendable {
    private let configPath: String
    /// When each unfinished read began.
    private let begun = Mutex<[Int64]>([])

    private static let slowMilliseconds: Int64 = 10_000
    private static let tickMilliseconds: Int32 = 1_000

    init(configPath: String) { self.configPath = configPath }

    func measure<Result>(_ body: () -> Result) -> Result {
        let now = Clock.monotonicMilliseconds()
        begun.withLock { $0.append(now) }
        defer { begun.withLock { all in _ = all.firstIndex(of: now).map { all.remove(at: $0) } } }
        return body()
    }

    /// The warning about a read that takes too long; usually nil.
    var complaint: String? {
        guard let first = begun.withLock({ $0.min() }) else { return nil }
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
