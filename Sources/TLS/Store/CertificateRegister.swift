// How the certificates of the served hosts stand, what is wrong with them and since when, and what of it is news for the log. An
// entry is small, so that a hundred thousand hosts have one; what was read is not kept here. No disk: looks are given.

import Synchronization

/// The entries, by the name of a folder below `config/hosts`: one that holds a certificate, or the one that a served host without
/// any should have. For several threads; no worker waits for it.
final class CertificateRegister: Sendable {
    /// Which certificates and problems are told one by one until the next call of `drain`.
    struct Bounds {
        var found = 256
        var ended = 20
        var renewed = 20
    }

    let state: Mutex<State>
    /// Where the certificate of a folder is, or that of its second pair.
    let path: @Sendable (_ folder: String, _ isOfSecondPair: Bool) -> String

    init(_ bounds: Bounds = Bounds(), path: @escaping @Sendable (String, Bool) -> String) {
        state = Mutex(State(bounds: bounds))
        self.path = path
    }

    func entry(_ folder: String) -> Entry? { state.withLock { $0.entries[folder]?.value } }

    /// Takes up how a certificate stands.
    /// - Parameter stamp: of its files; nil where there are none.
    func note(_ place: CertificateFolder, _ standing: CertificateStanding, stamp: Int?, now: Int64) {
        let isShared = place.host?.hasPrefix("*.") ?? true
        let names = isShared && stamp != nil ? standing.names : nil
        state.withLock { state in
            let summary = standing.summary.map { state.pool.share($0) }
            let old = state.entries[place.name]?.value.summary
            state.unsettled[place.name] = nil
            state.put(
                place.name,
                Entry(
                    base: standing.state, state: standing.state, survey: state.survey, stamp: stamp ?? 0,
                    summary: summary, names: names))
            judge(place.name, standing.problems, &state, now)
            if let old, let summary, old.fingerprint != summary.fingerprint,
                state.entries[place.name]?.value.state == .usable
            {
                state.renewed(place.name, summary.notAfter)
            }
        }
    }

    /// Keeps an entry as it is: its files are the same.
    func keep(_ folder: String) {
        state.withLock { $0.entries[folder]?.value.survey = $0.survey }
    }

    /// Forgets a folder: there is nothing in it, and nothing has to be.
    func remove(_ folder: String) { state.withLock { $0.remove(folder, isFixed: true) } }

    /// Forgets a folder that no served host needs any more. What was wrong with it may still be.
    func drop(_ folder: String) { state.withLock { $0.remove(folder, isFixed: false) } }

    /// Whether a state of files that may be in the middle of being replaced has lasted for as long as that may take.
    /// - Parameters:
    ///   - stamp: nil where the files are gone.
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

    /// Begins a survey of everything; its number.
    func begin() -> Int32 {
        state.withLock { state in
            state.survey &+= 1
            state.isSurveying = true
            state.pool = SummaryPool()
            return state.survey
        }
    }

    /// The folders that the present survey has not come upon.
    func unreached() -> [String] {
        state.withLock { state in
            state.entries.filter { $0.value.value.survey != state.survey }.map(\.key)
        }
    }

    /// Ends a survey.
    /// - Parameter repeats: whether what stood before it is news again.
    func end(repeats: Bool) {
        state.withLock { state in
            state.isSurveying = false
            state.isComplete = true
            guard repeats else { return }
            for (folder, problems) in state.problems {
                for (index, standing) in problems.enumerated() where standing.reported != state.survey {
                    state.problems[folder]?[index].reported = state.survey
                    state.tell(standing.problem)
                }
            }
        }
    }

    /// What is news since the last call. What has ended and what was renewed is told when a survey is over, so that hundreds are
    /// one number.
    func drain() -> CertificateNews {
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

    /// Has time judge all certificates for which it has something new to say.
    func judge(_ now: Int64) {
        state.withLock { state in
            // Whatever was true before a clock was put back need not be.
            let former = state.judgedSeconds
            let isBack = now < former
            state.judgedSeconds = now
            guard isBack || now >= state.nextJudgement else { return }
            state.suspectClock(now, since: former)
            state.nextJudgement = .max
            for (folder, entry) in state.entries {
                if isBack || now >= entry.value.nextJudgement {
                    let lasting = (state.problems[folder] ?? []).filter { !$0.isOfTime }.map(\.problem)
                    judge(folder, lasting, &state, now)
                } else {
                    state.nextJudgement = min(state.nextJudgement, entry.value.nextJudgement)
                }
            }
        }
    }

    /// Decides how an entry stands at a time, with what is wrong with it besides.
    private func judge(_ folder: String, _ lasting: [CertificateProblem], _ state: inout State, _ now: Int64) {
        guard var entry = state.entries[folder]?.value else { return }
        var ofTime: CertificateProblem?
        entry.nextJudgement = .max
        if let summary = entry.summary {
            ofTime = CertificateChecks.expiry(of: summary.periods, now, isClockSuspect: state.isClockSuspect) {
                path(folder, $0)
            }
            let change = summary.periods.compactMap { $0.change(after: now) }.min() ?? .max
            // How long it has been so is part of the words.
            entry.nextJudgement = ofTime == nil ? change : min(change, now + CertificateRegister.rewordSeconds)
        }
        entry.state = ofTime?.kind.isRefusedByClients == true ? .broken : entry.base
        state.nextJudgement = min(state.nextJudgement, entry.nextJudgement)
        state.put(folder, entry)
        state.set(folder, ofTime, lasting, now)
    }

    private static let rewordSeconds: Int64 = 3_600

    static let soonestMax = 5
    private static let extremesSeconds: Int64 = 60

    func survey(now: Int64) -> CertificateSurvey {
        state.withLock { state in
            var survey = CertificateSurvey()
            (survey.counts, survey.isComplete) = (state.counts.filter { $0.value > 0 }, state.isComplete)
            (survey.standing, survey.found) = (state.standing, state.found)
            let extremes = extremes(&state, now)
            survey.soonest = extremes.soonest.map { CertificateRegister.expiry($0.folder, $0.summary) }
            survey.lifeLeftMin = extremes.oldest?.lifeLeft(now)
            return survey
        }
    }

    private static func expiry(_ folder: String, _ summary: CertificateSummary) -> CertificateSurvey.Expiry {
        CertificateSurvey.Expiry(folder: folder, notAfter: summary.notAfter, issuer: summary.issuer)
    }

    private func extremes(_ state: inout State, _ now: Int64) -> Extremes {
        if let known = state.extremes, abs(now - known.madeSeconds) < CertificateRegister.extremesSeconds {
            return known
        }
        var extremes = Extremes(madeSeconds: now)
        var least = Double.infinity
        for (folder, entry) in state.entries {
            guard let summary = entry.value.summary else { continue }
            let left = summary.lifeLeft(now)
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

    /// The certificates that end before a time, the first first.
    func ending(before seconds: Int64) -> [CertificateSurvey.Expiry] {
        let found = state.withLock { state in
            state.entries.compactMap { folder, entry -> CertificateSurvey.Expiry? in
                guard let summary = entry.value.summary, summary.notAfter < seconds else { return nil }
                return CertificateRegister.expiry(folder, summary)
            }
        }
        return found.sorted { ($0.notAfter, $0.folder) < ($1.notAfter, $1.folder) }
    }

    /// The first problems that stand: errors before the others, then in the order of the files.
    func problems(_ countMax: Int) -> [StandingProblem] {
        let all = state.withLock { Array($0.problems.values) }.joined()
        func key(_ standing: StandingProblem) -> (Int, String, String) {
            (standing.problem.severity == .error ? 0 : 1, standing.problem.file, standing.problem.id)
        }
        if all.count <= 1_000 { return Array(all.sorted { key($0) < key($1) }.prefix(countMax)) }
        // Putting very many in order to show a few would keep whoever asks waiting.
        let errors = all.lazy.filter { $0.problem.severity == .error }.prefix(countMax)
        let others = all.lazy.filter { $0.problem.severity != .error }.prefix(countMax - errors.count)
        return (Array(errors) + others).sorted { key($0) < key($1) }
    }

    func problems(of folder: String) -> [StandingProblem] { state.withLock { $0.problems[folder] ?? [] } }

    /// Some folders about which an error stands.
    func foldersWithErrors(_ countMax: Int) -> [String] {
        state.withLock { state in
            if state.standing.errors == 0 { return [] }
            return Array(
                state.problems.lazy.filter { $0.value.contains { $0.problem.severity == .error } }.map(\.key)
                    .prefix(countMax))
        }
    }

    /// How one folder stands.
    struct Entry: Sendable {
        /// Time left aside.
        var base: CertificateState
        var state: CertificateState
        /// The survey that has come upon it last.
        var survey: Int32
        /// Of the files that it was made from; 0 where there are none.
        var stamp: Int
        /// Of the certificate in service.
        var summary: CertificateSummary?
        /// The names of the certificate, where it may be shown to several hosts.
        var names: [String]?
        /// When time has something new to say, in seconds since 1970.
        var nextJudgement: Int64 = .max

        var hasFiles: Bool { stamp != 0 }
    }

    /// A table of large values would have room for twice as many as it holds.
    final class Box {
        var value: Entry
        init(_ value: Entry) { self.value = value }
    }

    struct State {
        var entries: [String: Box] = [:]
        var problems: [String: [StandingProblem]] = [:]
        /// States of files that have been seen, and not for long enough to count.
        var unsettled: [String: (stamp: Int?, milliseconds: Int64)] = [:]
        var counts: [CertificateState: Int] = [:]
        /// What stands, and what was found since the start.
        var standing = ProblemCounts()
        var found = ProblemCounts()
        var news = CertificateNews()
        var survey: Int32 = 0
        var isSurveying = false
        /// Whether everything was looked at once.
        var isComplete = false
        var nextJudgement: Int64 = .max
        var judgedSeconds: Int64 = 0
        /// Whether all certificates expired between two judgements, which is what a clock that jumps looks like.
        var isClockSuspect = false
        var pool = SummaryPool()
        /// What a scrape wants to know; nil where it has changed.
        var extremes: Extremes?
        private let bounds: Bounds

        init(bounds: Bounds) { self.bounds = bounds }

        /// Compares a judgement with the one before, which comes a minute before it as a rule.
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

        /// Far more than passes between two judgements.
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
            for standing in before { self.standing.count(standing.problem, -1) }
            if isFixed { end(before, []) }
        }

        /// Puts problems in the place of those that stood: what stood before keeps its time.
        mutating func set(
            _ folder: String, _ ofTime: CertificateProblem?, _ lasting: [CertificateProblem], _ now: Int64
        ) {
            let before = problems[folder] ?? []
            if before.isEmpty, ofTime == nil, lasting.isEmpty { return }
            var after: [StandingProblem] = []
            for problem in [ofTime].compactMap({ $0 }) + lasting
            where !after.contains(where: { $0.problem.kind == problem.kind && $0.problem.file == problem.file }) {
                let old = before.first { $0.problem.kind == problem.kind && $0.problem.file == problem.file }
                after.append(
                    StandingProblem(
                        problem: problem, folder: folder, sinceSeconds: old?.sinceSeconds ?? now,
                        isOfTime: problem == ofTime, reported: old?.reported ?? survey))
                if old == nil {
                    found.count(problem, 1)
                    tell(problem)
                }
            }
            for standing in before { self.standing.count(standing.problem, -1) }
            for standing in after { self.standing.count(standing.problem, 1) }
            end(before, after)
            problems[folder] = after.isEmpty ? nil : after
        }

        mutating func tell(_ problem: CertificateProblem) {
            if news.found.count < bounds.found { news.found.append(problem) } else { news.moreFound += 1 }
        }

        /// The end of everything, or of all errors, is news.
        private mutating func end(_ before: [StandingProblem], _ after: [StandingProblem]) {
            let isError = { (standing: StandingProblem) in standing.problem.severity == .error }
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

    /// Strings and lists that the certificates of one authority have in common. A pool is filled anew with each survey, so what no
    /// certificate has any more is not kept.
    struct SummaryPool {
        private var issuers: Set<String> = []
        private var periods: Set<[CertificatePeriod]> = []

        mutating func share(_ summary: CertificateSummary) -> CertificateSummary {
            var summary = summary
            summary.issuer = issuers.insert(summary.issuer).memberAfterInsert
            summary.others = periods.insert(summary.others).memberAfterInsert
            return summary
        }
    }

    /// What is asked for with each scrape, and is found by going through everything.
    struct Extremes {
        /// The first to end.
        var soonest: [(folder: String, summary: CertificateSummary)] = []
        /// The one with the least of its life left.
        var oldest: CertificateSummary?
        var madeSeconds: Int64
    }
}

/// How the certificates of all served hosts stand.
public struct CertificateSurvey: Sendable {
    /// How many there are in each state; of `missing`, hosts.
    public var counts: [CertificateState: Int] = [:]
    /// The problems that stand, and those that were found since the start.
    public var standing = ProblemCounts()
    public var found = ProblemCounts()
    /// Whether everything was looked at once.
    public var isComplete = false
    /// The first to end, with the folder's name: a host, `_wildcard.example.com` or `_default`.
    public var soonest: [Expiry] = []
    /// How much of its life the one with the least has left.
    public var lifeLeftMin: Double?

    public struct Expiry: Sendable, Equatable {
        public var folder: String
        /// Seconds since 1970.
        public var notAfter: Int64
        public var issuer: String
    }

    public init() {}
}

/// How many problems there are of each severity, and of those that keep files from being used.
public struct ProblemCounts: Sendable, Equatable {
    public var errors = 0
    public var warnings = 0
    public var notes = 0
    public var loadFailures = 0

    public init() {}

    mutating func count(_ problem: CertificateProblem, _ step: Int) {
        if problem.kind.isFailureToLoad { loadFailures += step }
        switch problem.severity {
        case .error: errors += step
        case .warning: warnings += step
        case .note: notes += step
        }
    }
}
