// What the register holds, behind its lock.

extension CertificateRegister {
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
