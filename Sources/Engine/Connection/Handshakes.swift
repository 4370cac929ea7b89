// The connections of one worker in a handshake, by network, and which of them makes room for another.

import Posix

/// The handshakes in progress. An array without links, so that it is searched quickly.
@safe struct Handshakes {
    private var entries: [(slot: Slot, network: UInt64)] = unsafe []
    private var counts: [UInt64: Int] = [:]

    var count: Int { unsafe entries.count }

    mutating func insert(_ slot: Slot) {
        let network = unsafe slot.pointee.remote.networkGroup
        unsafe slot.pointee.handshakeIndex = Int32(entries.count)
        unsafe entries.append((slot, network))
        counts[network, default: 0] += 1
    }

    mutating func remove(_ slot: Slot) {
        let index = unsafe Int(slot.pointee.handshakeIndex)
        let network = unsafe entries[index].network
        counts[network, default: 0] -= 1
        if counts[network] == 0 { counts[network] = nil }
        let last = unsafe entries.removeLast()
        if unsafe index == entries.count { return }
        unsafe entries[index] = last
        unsafe last.slot.pointee.handshakeIndex = Int32(index)
    }

    /// The handshake to end, of the network that has most: its oldest one whose client has sent no complete message, or else its
    /// newest. So one that waits for a file or a signature never makes room for another network with as many.
    /// - Parameter network: that of a new handshake. Nil is returned if that is the one to refuse.
    func dispensable(for network: UInt64? = nil) -> Slot? {
        var (busiest, most) = (network, network.map { counts[$0, default: 0] + 1 } ?? 0)
        for (other, count) in counts where count > most { (busiest, most) = (other, count) }
        var (silent, newest): (Slot?, Slot?) = (nil, nil)
        for index in unsafe entries.indices where unsafe entries[index].network == busiest {
            let slot = unsafe entries[index].slot
            let time = unsafe slot.pointee.deadline.time
            if unsafe slot.pointee.deadline.kind == .hello,
                unsafe silent.map({ unsafe time < $0.pointee.deadline.time }) ?? true
            {
                unsafe silent = slot
            }
            if unsafe newest.map({ unsafe time > $0.pointee.deadline.time }) ?? true { unsafe newest = slot }
        }
        return unsafe silent ?? (busiest == network ? nil : newest)
    }
}
