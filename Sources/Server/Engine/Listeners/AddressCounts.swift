// Counts the connections of each address over all workers, and for IPv6 also of the networks that contain it. These are tables of
// counters instead of a dictionary: a new address needs no allocation, and a flood of addresses cannot make them grow.

import Posix
import Synchronization

/// Counters for addresses. Two addresses may share a counter, which makes the limit a little stricter for both. There are 65,536
/// counters with secret factors, so no client can choose an address that shares one.
@safe final class AddressCounts: @unchecked Sendable {
    private let counters: UnsafeMutablePointer<Atomic<UInt32>>
    private let seed = UInt64.random(in: .min ... .max)
    private let factor = UInt64.random(in: .min ... .max) | 1
    private let limit: UInt32
    /// How often each network was refused since the last report. Locked only for a refusal, never for an admission.
    private let refused = Mutex<[RemoteAddress: Int]>([:])

    /// How many networks are counted; those of a flood come early.
    private static let refusedMax = 1_024
    private static let slotCount = 65_536
    /// An IPv6 /64, and the /56 and /48 that contain it. A customer has one of the three, and which one is not visible from
    /// outside; a mobile network gives each phone a /64. Each level is 256 times as large as the one before it and may have four
    /// times as many connections: by default a /48 may have a quarter of all connections.
    private static let levelCount = 3
    /// The weight of a connection in its handshake, which is the most expensive operation: a quarter of an address's connections
    /// may be in one at once.
    private static let handshakeWeight: UInt32 = 4

    /// Nil without a limit.
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

    /// - Parameter cost: of its signature, as a multiple of an ordinary one. Eight of them are always allowed.
    func weight(inHandshake: Bool, cost: Int = 1) -> UInt32 {
        if !inHandshake { return 1 }
        let weight = AddressCounts.handshakeWeight
        return min(limit, max(weight, min(limit / 8, weight * UInt32(cost))))
    }

    /// Counts a connection. False when its address, or a network that contains it, has too many. Clients on this machine are not
    /// counted.
    func add(_ remote: RemoteAddress, weight: UInt32) -> Bool {
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

    /// The network that was refused most often since the last call, an IPv4 address or an IPv6 /64, and how often.
    func takeMostRefused() -> (network: String, count: Int)? {
        guard let (network, count) = refused.exchange([:]).max(by: { $0.value < $1.value }) else { return nil }
        return (network.family == .ipv6 ? "\(network)/64" : "\(network)", count)
    }

    /// Subtracts the weight of a connection, or a part of it.
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
