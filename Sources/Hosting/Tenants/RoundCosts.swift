// What the folders of tenants cost a round. A round may spend so much on each folder of `config/apps`; the rest of its files is for
// another round, so that changes of other tenants do not wait for them. Folders that cost much rest between rounds.

import Posix
import Synchronization

/// Computing time by folder, from all threads of one round: those of hosts by their names, those of `config/apps` with `apps/` before.
final class RoundCosts: Sendable {
    private let isCounting: Bool
    private let spent = Mutex<[String: Int64]>([:])

    /// For the files of one folder of `config/apps`. A change of another tenant waits for a round that has begun, and no longer.
    static let microsecondsMax: Int64 = 500_000
    /// For each host that an app file names, because it will be made again.
    static let microsecondsOfHost: Int64 = 50

    /// - Parameter isCounting: not at a start, which everything waits for.
    init(isCounting: Bool = true) { self.isCounting = isCounting }

    /// The folder of an app file; nil for one directly in `config/apps`, which is the operator's.
    static func folder(ofApp path: String) -> String? { AppTree.topFolder(of: path).map { "apps/\($0)" } }

    func measure<Result>(_ folder: String?, _ work: () -> Result) -> Result {
        guard isCounting, let folder else { return work() }
        let began = Clock.threadMicroseconds()
        let result = work()
        add(Clock.threadMicroseconds() - began, to: folder)
        return result
    }

    func add(_ microseconds: Int64, to folder: String?) {
        if isCounting, let folder { spent.withLock { $0[folder, default: 0] += microseconds } }
    }

    /// Whether no more of a folder is to be read in this round.
    func isSpent(_ folder: String?) -> Bool {
        guard let folder else { return false }
        return spent.withLock { $0[folder] ?? 0 } >= RoundCosts.microsecondsMax
    }

    var milliseconds: [String: Int64] { spent.withLock { $0.mapValues { $0 / 1_000 } } }
}
