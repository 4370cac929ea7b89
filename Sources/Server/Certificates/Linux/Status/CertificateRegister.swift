// The status of the certificates of all served hosts: their open problems with the time when they were found, and changes for the
// log. Entries are small, so that a hundred thousand hosts can have one; certificates are not stored here. Without a disk: results
// of checks are parameters.

import Synchronization
import TLS

/// The entries by the name of a folder below `config/hosts`: one with a certificate, or the one that a served host without a
/// certificate should have. Thread-safe; workers do not use it.
public final class CertificateRegister: Sendable {
    /// How many changes are listed until the next call of `drain`; further ones are only counted.
    struct Bounds {
        var found = 256
        var ended = 20
        var renewed = 20
    }

    let state: Mutex<State>
    /// The path of a folder's certificate.
    let path: @Sendable (_ folder: String) -> String

    init(_ bounds: Bounds = Bounds(), path: @escaping @Sendable (String) -> String) {
        state = Mutex(State(bounds: bounds))
        self.path = path
    }

    func entry(_ folder: String) -> Entry? { state.withLock { $0.entries[folder]?.value } }

    /// Stores the status of a certificate.
    /// - Parameter stamp: the state of its files; nil if there are none.
    func note(_ place: CertificateFolder, _ status: CertificateStatus, stamp: Int?, now: Int64) {
        let isShared = place.host?.hasPrefix("*.") ?? true
        let names = isShared && stamp != nil ? status.names : nil
        state.withLock { state in
            let summary = status.summary.map { state.pool.intern($0) }
            let old = state.entries[place.name]?.value.summary
            state.unsettled[place.name] = nil
            state.put(
                place.name,
                Entry(
                    base: status.state, state: status.state, survey: state.survey, stamp: stamp ?? 0,
                    summary: summary, names: names))
            updateExpiry(place.name, status.problems, &state, now)
            if let old, let summary, old.fingerprint != summary.fingerprint,
                state.entries[place.name]?.value.state == .usable
            {
                state.renewed(place.name, summary.notAfter)
            }
        }
    }

    /// Keeps an entry whose files have not changed.
    func keep(_ folder: String) {
        state.withLock { $0.entries[folder]?.value.survey = $0.survey }
    }

    /// Removes a folder that has no certificate and needs none. Its problems are resolved.
    func remove(_ folder: String) { state.withLock { $0.remove(folder, isFixed: true) } }

    /// Removes a folder that no served host needs any more. Its problems are not reported as resolved.
    func drop(_ folder: String) { state.withLock { $0.remove(folder, isFixed: false) } }

    /// Whether files that may be in the process of being replaced have had the same state for long enough.
    /// - Parameters:
    ///   - stamp: nil if the files are gone.
    ///   - milliseconds: by the monotonic clock.
    func isSettled(_ folder: String, stamp: Int?, milliseconds: Int64, after waitMilliseconds: Int64) -> Bool {
        state.withLock { state in
            state.entries[folder]?.value.survey = state.survey
            if let seen = state.unsettled[folder], seen.stamp == stamp {
                return milliseconds - seen.milliseconds >= waitMilliseconds
            }
            state.unsettled[folder] = (stamp, milliseconds)
            return false
        }
    }

    /// Begins a survey of everything.
    func begin() {
        state.withLock { state in
            state.survey &+= 1
            state.isSurveying = true
            state.pool = SummaryPool()
        }
    }

    /// The folders that the present survey has not reached.
    func unreached() -> [String] {
        state.withLock { state in
            state.entries.filter { $0.value.value.survey != state.survey }.map(\.key)
        }
    }

    /// Stores which certificates in `config/hosts` take precedence over those of the manager.
    /// - Parameter repeats: whether they are reported without a change.
    func note(overriding folders: [String], repeats: Bool) {
        let overriding = CertificateNews.Overriding(
            count: folders.count, first: Array(folders.prefix(CertificateNews.Overriding.firstMax)))
        state.withLock { state in
            let isReported = repeats || overriding != state.overriding
            state.overriding = overriding
            if isReported, overriding.count > 0 { state.news.overriding = overriding }
        }
    }

    /// Ends a survey.
    /// - Parameter repeats: whether open problems are reported again.
    func end(repeats: Bool) {
        state.withLock { state in
            state.isSurveying = false
            state.isComplete = true
            guard repeats else { return }
            for (folder, problems) in state.problems {
                for (index, open) in problems.enumerated() where open.reported != state.survey {
                    state.problems[folder]?[index].reported = state.survey
                    state.report(open.problem)
                }
            }
        }
    }

    /// The changes since the last call. Resolved problems and renewals are reported after a survey, so that hundreds of them are
    /// one number.
    public func drain() -> CertificateNews {
        state.withLock { state in
            var news = state.news
            state.news = CertificateNews()
            if state.isSurveying {
                (state.news.ended, state.news.moreEnded) = (news.ended, news.moreEnded)
                (state.news.renewed, state.news.moreRenewed) = (news.renewed, news.moreRenewed)
                (news.ended, news.moreEnded, news.renewed, news.moreRenewed) = ([], 0, [], 0)
            }
            return news
        }
    }

    /// Updates the problems of expiry of all certificates for which they may have changed.
    public func updateExpiries(_ now: Int64) {
        state.withLock { state in
            // If the clock was set back, everything has to be updated.
            let former = state.lastExpiryUpdateSeconds
            let isBack = now < former
            state.lastExpiryUpdateSeconds = now
            guard isBack || now >= state.nextExpiryChange else { return }
            state.suspectClock(now, since: former)
            state.nextExpiryChange = .max
            for (folder, entry) in state.entries {
                if isBack || now >= entry.value.nextExpiryChange {
                    let lasting = (state.problems[folder] ?? []).filter { !$0.isOfTime }.map(\.problem)
                    updateExpiry(folder, lasting, &state, now)
                } else {
                    state.nextExpiryChange = min(state.nextExpiryChange, entry.value.nextExpiryChange)
                }
            }
        }
    }

    /// Updates an entry for a time; `lasting` are its problems except expiry.
    private func updateExpiry(_ folder: String, _ lasting: [CertificateProblem], _ state: inout State, _ now: Int64) {
        guard var entry = state.entries[folder]?.value else { return }
        var ofTime: CertificateProblem?
        entry.nextExpiryChange = .max
        if let summary = entry.summary {
            ofTime = CertificateChecks.expiry(
                of: summary.periods, now, isClockSuspect: state.isClockSuspect, file: path(folder))
            let change = summary.periods.compactMap { $0.change(after: now) }.min() ?? .max
            // The message contains the remaining or elapsed time.
            entry.nextExpiryChange =
                ofTime == nil ? change : min(change, now + CertificateRegister.messageUpdateSeconds)
        }
        entry.state = ofTime?.kind.isRefusedByClients == true ? .broken : entry.base
        state.nextExpiryChange = min(state.nextExpiryChange, entry.nextExpiryChange)
        state.put(folder, entry)
        state.set(folder, ofTime, lasting, now)
    }

    private static let messageUpdateSeconds: Int64 = 3_600

    static let soonestMax = 5
    private static let extremesSeconds: Int64 = 60

    public func survey(now: Int64) -> CertificateSurvey {
        state.withLock { state in
            var survey = CertificateSurvey()
            (survey.counts, survey.isComplete) = (state.counts.filter { $0.value > 0 }, state.isComplete)
            (survey.openProblems, survey.found) = (state.openProblems, state.found)
            let extremes = extremes(&state, now)
            survey.soonest = extremes.soonest.map { CertificateRegister.expiry($0.folder, $0.summary, now) }
            survey.judgedLifeLeftMin = extremes.oldest?.judgedLifeLeft(now)
            return survey
        }
    }

    private static func expiry(
        _ folder: String, _ summary: CertificateSummary, _ now: Int64
    ) -> CertificateSurvey.Expiry {
        CertificateSurvey.Expiry(
            folder: folder, notAfter: summary.notAfter, issuer: summary.issuer,
            lifeLeftPercent: summary.lifeLeftPercent(now))
    }

    private func extremes(_ state: inout State, _ now: Int64) -> Extremes {
        if let known = state.extremes, abs(now - known.madeSeconds) < CertificateRegister.extremesSeconds {
            return known
        }
        var extremes = Extremes(madeSeconds: now)
        var least = Double.infinity
        for (folder, entry) in state.entries {
            guard let summary = entry.value.summary else { continue }
            let left = summary.judgedLifeLeft(now)
            if left < least { (least, extremes.oldest) = (left, summary) }
            let notAfter = summary.notAfter
            let isFull = extremes.soonest.count == CertificateRegister.soonestMax
            if isFull, let last = extremes.soonest.last, notAfter >= last.summary.notAfter { continue }
            let place = extremes.soonest.firstIndex { $0.summary.notAfter > notAfter } ?? extremes.soonest.count
            extremes.soonest.insert((folder, summary), at: place)
            if isFull { extremes.soonest.removeLast() }
        }
        state.extremes = extremes
        return extremes
    }

    /// The certificates that expire before a time, in the order of their expiry.
    public func ending(before seconds: Int64, now: Int64) -> [CertificateSurvey.Expiry] {
        let found = state.withLock { state in
            state.entries.compactMap { folder, entry -> (String, CertificateSummary)? in
                guard let summary = entry.value.summary, summary.notAfter < seconds else { return nil }
                return (folder, summary)
            }
        }
        return found.map { CertificateRegister.expiry($0, $1, now) }
            .sorted { ($0.notAfter, $0.folder) < ($1.notAfter, $1.folder) }
    }

    /// Open problems of the certificates of served hosts.
    public var openProblemCounts: ProblemCounts { state.withLock { $0.openProblems } }

    /// The first open problems: errors before the others, then in the order of the files.
    public func problems(_ countMax: Int) -> [OpenProblem] {
        let all = state.withLock { Array($0.problems.values) }.joined()
        func key(_ open: OpenProblem) -> (Int, String, String) {
            (open.problem.severity == .error ? 0 : 1, open.problem.file, open.problem.id)
        }
        if all.count <= 1_000 { return Array(all.sorted { key($0) < key($1) }.prefix(countMax)) }
        // Sorting very many to show a few would take too long.
        let errors = all.lazy.filter { $0.problem.severity == .error }.prefix(countMax)
        let others = all.lazy.filter { $0.problem.severity != .error }.prefix(countMax - errors.count)
        return (Array(errors) + others).sorted { key($0) < key($1) }
    }

    func problems(of folder: String) -> [OpenProblem] { state.withLock { $0.problems[folder] ?? [] } }

    public func foldersWithErrors(_ countMax: Int) -> [String] {
        state.withLock { state in
            if state.openProblems.errors == 0 { return [] }
            return Array(
                state.problems.lazy.filter { $0.value.contains { $0.problem.severity == .error } }.map(\.key)
                    .prefix(countMax))
        }
    }

    /// The status of one folder.
    struct Entry: Sendable {
        /// The state without expiry.
        var base: CertificateState
        var state: CertificateState
        /// The last survey that has reached it.
        var survey: Int32
        /// The state of its files; 0 if there are none.
        var stamp: Int
        /// The summary of the certificate in service.
        var summary: CertificateSummary?
        /// The first names of the certificate, if several hosts may use it.
        var names: [String]?
        /// When the problem of expiry or its message changes, in seconds since 1970.
        var nextExpiryChange: Int64 = .max

        var hasFiles: Bool { stamp != 0 }
    }

    /// Stores entries behind references, because a dictionary reserves up to twice the memory of its values.
    final class Box {
        var value: Entry
        init(_ value: Entry) { self.value = value }
    }

    struct State {
        var entries: [String: Box] = [:]
        var problems: [String: [OpenProblem]] = [:]
        /// States of files that were seen, but not for long enough.
        var unsettled: [String: (stamp: Int?, milliseconds: Int64)] = [:]
        var counts: [CertificateState: Int] = [:]
        /// Open problems, and all problems since the start.
        var openProblems = ProblemCounts()
        var found = ProblemCounts()
        var news = CertificateNews()
        var overriding = CertificateNews.Overriding()
        var survey: Int32 = 0
        var isSurveying = false
        var isComplete = false
        var nextExpiryChange: Int64 = .max
        var lastExpiryUpdateSeconds: Int64 = 0
        /// Whether all certificates have expired between two updates, as when the clock jumps.
        var isClockSuspect = false
        var pool = SummaryPool()
        /// Cached for scrapes; nil after a change.
        var extremes: Extremes?
        private let bounds: Bounds

        init(bounds: Bounds) { self.bounds = bounds }

        /// Compares the time with that of the previous update, which is usually a minute ago.
        mutating func suspectClock(_ now: Int64, since former: Int64) {
            let summaries = entries.values.lazy.compactMap(\.value.summary)
            func isExpired(_ summary: CertificateSummary, _ time: Int64) -> Bool {
                summary.periods.contains { $0.verdict(time) == .expired }
            }
            if summaries.isEmpty || summaries.contains(where: { !isExpired($0, now) }) {
                isClockSuspect = false
            } else if former > 0, now - former > State.jumpSeconds,
                !summaries.contains(where: { isExpired($0, former) })
            {
                isClockSuspect = true
            }
        }

        /// Far more than the time between two updates.
        private static let jumpSeconds: Int64 = 600

        mutating func put(_ folder: String, _ entry: Entry) {
            extremes = nil
            if let box = entries[folder] {
                counts[box.value.state, default: 0] -= 1
                box.value = entry
            } else {
                entries[folder] = Box(entry)
            }
            counts[entry.state, default: 0] += 1
        }

        mutating func remove(_ folder: String, isFixed: Bool) {
            unsettled[folder] = nil
            guard let box = entries.removeValue(forKey: folder) else { return }
            extremes = nil
            counts[box.value.state, default: 0] -= 1
            let before = problems.removeValue(forKey: folder) ?? []
            for open in before { self.openProblems.count(open.problem, -1) }
            if isFixed { end(before, []) }
        }

        /// Replaces the problems of a folder. Those that were open before keep their time.
        mutating func set(
            _ folder: String, _ ofTime: CertificateProblem?, _ lasting: [CertificateProblem], _ now: Int64
        ) {
            let before = problems[folder] ?? []
            if before.isEmpty, ofTime == nil, lasting.isEmpty { return }
            var after: [OpenProblem] = []
            for problem in [ofTime].compactMap({ $0 }) + lasting
            where !after.contains(where: { $0.problem.kind == problem.kind && $0.problem.file == problem.file }) {
                let old = before.first { $0.problem.kind == problem.kind && $0.problem.file == problem.file }
                after.append(
                    OpenProblem(
                        problem: problem, folder: folder, sinceSeconds: old?.sinceSeconds ?? now,
                        isOfTime: problem == ofTime, wasThereAtFirst: old?.wasThereAtFirst ?? !isComplete,
                        reported: old?.reported ?? survey))
                if old == nil {
                    found.count(problem, 1)
                    report(problem)
                }
            }
            for open in before { self.openProblems.count(open.problem, -1) }
            for open in after { self.openProblems.count(open.problem, 1) }
            end(before, after)
            problems[folder] = after.isEmpty ? nil : after
        }

        mutating func report(_ problem: CertificateProblem) {
            if news.found.count < bounds.found { news.found.append(problem) } else { news.moreFound += 1 }
        }

        /// Reports when all problems, or all errors, of a folder are resolved.
        private mutating func end(_ before: [OpenProblem], _ after: [OpenProblem]) {
            let isError = { (open: OpenProblem) in open.problem.severity == .error }
            let left = before.first(where: isError) ?? (after.isEmpty ? before.first : nil)
            guard let left, !after.contains(where: isError) else { return }
            if news.ended.count < bounds.ended {
                news.ended.append((left.problem.file, after.isEmpty))
            } else {
                news.moreEnded += 1
            }
        }

        mutating func renewed(_ folder: String, _ notAfter: Int64) {
            if news.renewed.count < bounds.renewed {
                news.renewed.append((folder, notAfter))
            } else {
                news.moreRenewed += 1
            }
        }
    }

    /// Shares strings and lists that the certificates of one authority have in common. Each survey begins with a new pool, so that
    /// unused ones are dropped.
    struct SummaryPool {
        private var issuers: Set<String> = []
        private var periods: Set<[CertificatePeriod]> = []

        mutating func intern(_ summary: CertificateSummary) -> CertificateSummary {
            var summary = summary
            summary.issuer = issuers.insert(summary.issuer).memberAfterInsert
            summary.others = periods.insert(summary.others).memberAfterInsert
            return summary
        }
    }

    /// Values for each scrape that need a pass over all entries.
    struct Extremes {
        /// The certificates that expire first.
        var soonest: [(folder: String, summary: CertificateSummary)] = []
        /// The certificate with the lowest share by which findings are made.
        var oldest: CertificateSummary?
        var madeSeconds: Int64
    }
}

/// The status of the certificates of all served hosts.
public struct CertificateSurvey: Sendable {
    /// How many there are in each state; for `missing`, the number of hosts.
    public var counts: [CertificateState: Int] = [:]
    /// Open problems, and all problems since the start.
    public var openProblems = ProblemCounts()
    public var found = ProblemCounts()
    public var isComplete = false
    /// The certificates that expire first, with the folder's name: a host, `_wildcard.example.com` or `_default`.
    public var soonest: [Expiry] = []
    /// The lowest remaining share of a certificate's lifetime, of which at most the last 84 days count.
    public var judgedLifeLeftMin: Double?

    public struct Expiry: Sendable, Equatable {
        public var folder: String
        /// Seconds since 1970.
        public var notAfter: Int64
        public var issuer: String
        /// The remaining share of its lifetime, from 0 to 100. Nil in a report of an earlier version.
        public var lifeLeftPercent: Int?

        public init(folder: String = "", notAfter: Int64 = 0, issuer: String = "", lifeLeftPercent: Int? = nil) {
            (self.folder, self.notAfter, self.issuer) = (folder, notAfter, issuer)
            self.lifeLeftPercent = lifeLeftPercent
        }
    }
}

/// The number of problems of each severity, and of those that prevent files from being used.
public struct ProblemCounts: Sendable, Equatable {
    public var errors = 0
    public var warnings = 0
    public var notes = 0
    public var loadFailures = 0

    public init() {}

    public var all: Int { errors + warnings + notes }

    mutating func count(_ problem: CertificateProblem, _ step: Int) {
        if problem.kind.isFailureToLoad { loadFailures += step }
        switch problem.severity {
        case .error: errors += step
        case .warning: warnings += step
        case .note: notes += step
        }
    }
}
