// The CPU time that tenants' folders take in a round. A round spends a limited time on each folder of `config/apps`; the
// remaining files are read in a later round, so changes of other tenants do not wait. Expensive folders rest between rounds.

import Posix
import Synchronization
import Tenancy

/// CPU time by folder, from all threads of one round. Folders of `config/apps` have the prefix `apps/`, those of hosts have none.
final class RoundCosts: Sendable {
    private let isCounting: Bool
    private let spent = Mutex<[String: Int64]>([:])

    /// For the files of one folder of `config/apps`. Changes of other tenants wait for a running round at most.
    static let microsecondsMax: Int64 = 500_000
    /// Added for each host that an app file names, because it will be rendered.
    static let microsecondsOfHost: Int64 = 50

    /// - Parameter isCounting: false at a start, when everything must be read.
    init(isCounting: Bool = true) { self.isCounting = isCounting }

    /// The folder of an app file; nil for one directly in `config/apps`, which belongs to the operator.
    static func folder(ofApp path: String) -> String? { TenantID.folder(ofApp: path).map { "apps/\($0)" } }

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

    /// Whether no more files of a folder are read in this round.
    func isSpent(_ folder: String?) -> Bool {
        guard let folder else { return false }
        return spent.withLock { $0[folder] ?? 0 } >= RoundCosts.microsecondsMax
    }

    var milliseconds: [String: Int64] { spent.withLock { $0.mapValues { $0 / 1_000 } } }
}
