// How many connections each address has, over all workers, and for IPv6 each of the networks around it. Tables of counters
// instead of a dictionary: nothing is allocated for a new address, and a flood of addresses cannot make them grow.

import Posix
import Synchronization

/// Counters for addresses. Two addresses may share one, which makes the limit a little stricter for both; with 65,536
/// counters and secret factors nobody can arrange for it.
@safe final class AddressCounts: @unchecked Sendable {
    private let counters: UnsafeMutablePointer<Atomic<UInt32>>
    private let seed = UInt64.random(in: .min ... .max)
    private let factor = UInt64.random(in: .min ... .max) | 1
    private let limit: UInt32
    /// How often networks were refused since the last report. Asked for with a refusal, and never with an admission.
    private let refused = Mutex<[RemoteAddress: Int]>([:])

    /// Further networks are not counted: those of a flood come early.
    private static let refusedMax = 1_024
    private static let slotCount = 65_536
    /// An IPv6 /64, the /56 that it is in, and the /48. A customer has one of the three, and which is not to be seen from
    /// outside; a mobile network puts a telephone into each /64. So each is 256 times as large as the one before it and may
    /// have four times as many connections: a /48 a quarter of all that there are by default.
    private static let levelCount = 3
    /// What a connection counts in the middle of a handshake, which costs more than anything else that is asked for: a quarter
    /// of an address's connections may be in one at once.
    private static let handshakeWeight: UInt32 = 4

    /// Nil when there is no limit to keep.
    init?(limit: Int) {
        if limit == 0 { return nil }
        self.limit = UInt32(limit)
        let count = AddressCounts.slotCount * AddressCounts.levelCount
        unsafe counters = .allocate(capacity: count)
        for slot in 0..<count { unsafe (counters + slot).initialize(to: Atomic(0)) }
    }

    deinit {
        let count = AddressCounts.slotCount * AddressCounts.levelCount
        for slot in 0..<count { unsafe (counters + slot).deinitialize(count: 1) }
        unsafe counters.deallocate()
    }

    /// What a connection counts.
    func weight(inHandshake: Bool) -> UInt32 { inHandshake ? min(limit, AddressCounts.handshakeWeight) : 1 }

    /// Counts a connection. False where its address, or a network that it is in, has too many. Those on this machine are not
    /// counted.
    func admit(_ remote: RemoteAddress, weight: UInt32) -> Bool {
        for level in 0..<levels(remote) {
            let count = unsafe counters[slot(remote, level)].add(weight, ordering: .relaxed).newValue
            if count <= limit << UInt32(2 * level) { continue }
            for counted in 0...level { subtract(weight, remote, counted) }
            noteRefusal(of: remote)
            return false
        }
        return true
    }

    private func noteRefusal(of remote: RemoteAddress) {
        var network = remote
        network.port = 0
        if remote.family == .ipv6 { network.low = 0 }
        refused.withLock { refused in
            if refused.count < AddressCounts.refusedMax || refused[network] != nil { refused[network, default: 0] += 1 }
        }
    }

    /// The network that was refused most since the last call, and how often: an IPv4 address or an IPv6 /64.
    func takeMostRefused() -> (network: String, count: Int)? {
        let refused = refused.withLock { refused in
            defer { refused = [:] }
            return refused
        }
        guard let (network, count) = refused.max(by: { $0.value < $1.value }) else { return nil }
        return (network.family == .ipv6 ? "\(network)/64" : "\(network)", count)
    }

    /// Takes back what was counted, or a part of it.
    func release(_ remote: RemoteAddress, weight: UInt32) {
        for level in 0..<levels(remote) { subtract(weight, remote, level) }
    }

    private func subtract(_ weight: UInt32, _ remote: RemoteAddress, _ level: Int) {
        unsafe counters[slot(remote, level)].subtract(weight, ordering: .relaxed)
    }

    private func levels(_ remote: RemoteAddress) -> Int {
        if remote.networkKey == nil { return 0 }
        return remote.family == .ipv6 ? AddressCounts.levelCount : 1
    }

    private func slot(_ remote: RemoteAddress, _ level: Int) -> Int {
        let key = (remote.networkKey ?? 0) >> UInt64(8 * level)
        let product = (key ^ seed).multipliedFullWidth(by: factor)
        return level * AddressCounts.slotCount + Int((product.high ^ product.low) >> 48)
    }
}
