// How many connections each address has, over all workers. A table of counters instead of a dictionary: nothing is
// allocated for a new address, and a flood of addresses cannot make it grow.

import Posix
import Synchronization

/// Counters for addresses. Two addresses may share one, which makes the limit a little stricter for both; with 65,536
/// counters and a secret seed nobody can arrange for it.
final class AddressCounts: @unchecked Sendable {
    private let counters: UnsafeMutablePointer<Atomic<UInt32>>
    private let seed = UInt64.random(in: .min ... .max)
    private let limit: UInt32

    private static let slotCount = 65_536

    /// Nil when there is no limit to keep.
    init?(limit: Int) {
        if limit == 0 { return nil }
        self.limit = UInt32(limit)
        counters = .allocate(capacity: AddressCounts.slotCount)
        for slot in 0..<AddressCounts.slotCount { (counters + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        for slot in 0..<AddressCounts.slotCount { (counters + slot).deinitialize(count: 1) }
        counters.deallocate()
    }

    /// What became of asking for one more connection.
    enum Admission {
        case counted(slot: Int32)
        case notCounted
        case tooMany
    }

    func admit(_ remote: RemoteAddress) -> Admission {
        guard let key = remote.networkKey else { return .notCounted }
        let slot = Int32(truncatingIfNeeded: ((key ^ seed) &* 0x9E37_79B9_7F4A_7C15) >> 48)
        let count = counters[Int(slot)].add(1, ordering: .relaxed).newValue
        if count <= limit { return .counted(slot: slot) }
        release(slot)
        return .tooMany
    }

    func release(_ slot: Int32) {
        counters[Int(slot)].subtract(1, ordering: .relaxed)
    }
}
