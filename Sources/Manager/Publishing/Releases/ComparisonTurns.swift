// Whose files are being compared. Comparing large files takes seconds, so a tenant has one thread for it, and one whose comparison took
// long makes room for others before its next.

import Glibc
import Posix
import Synchronization

final class ComparisonTurns: Sendable {
    private struct State {
        var comparing: Set<String> = []
        /// Until when a tenant waits after a long comparison, on the monotonic clock.
        var rests: [String: Int64] = [:]
    }

    private let state = Mutex(State())

    /// All of them leave some threads for what is quick.
    private static let tenantsMax = 4
    /// A usual comparison takes milliseconds.
    private static let waitMilliseconds: Int64 = 3_000
    /// After a long comparison, a tenant waits three times as long, so that a few tenants do not keep all others out.
    private static let restFactor: Int64 = 3
    private static let restFreeMilliseconds: Int64 = 500

    /// Takes the turn of a tenant.
    /// - Parameter waits: whether to wait for it. What is due does not, and does not rest either.
    func begin(_ tenant: String, waits: Bool) throws(APIProblem) {
        let now = Clock.monotonicMilliseconds()
        let rest = state.withLock { $0.rests[tenant] ?? 0 } - now
        if rest > 0, waits {
            throw APIProblem(
                .tooMany, "the last comparison took long; the next one may begin in \(rest / 1_000 + 1) seconds")
        }
        let end = now + (waits ? ComparisonTurns.waitMilliseconds : 0)
        while !state.withLock({
            $0.comparing.count < ComparisonTurns.tenantsMax && $0.comparing.insert(tenant).inserted
        }) {
            if Clock.monotonicMilliseconds() >= end {
                throw APIProblem(.tooMany, "other releases are being compared; try again in a moment")
            }
            usleep(5_000)
        }
    }

    /// - Parameter began: on the monotonic clock.
    func end(_ tenant: String, began: Int64) {
        let now = Clock.monotonicMilliseconds()
        state.withLock { state in
            state.comparing.remove(tenant)
            state.rests = state.rests.filter { $0.value > now }
            if now - began > ComparisonTurns.restFreeMilliseconds {
                state.rests[tenant] = now + (now - began) * ComparisonTurns.restFactor
            }
        }
    }
}
