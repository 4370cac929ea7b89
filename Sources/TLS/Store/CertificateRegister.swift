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
}
