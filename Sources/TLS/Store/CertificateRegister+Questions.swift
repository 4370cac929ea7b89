// What metrics, the status and the log ask of the register. Whatever is asked with each scrape costs nothing at a hundred
// thousand hosts; what goes through all of them is kept until something changes, or for a minute.

import Synchronization

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

extension CertificateRegister {
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
}
