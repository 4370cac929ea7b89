// The connections of one worker in a handshake, by network, and which of them makes room for another.

import Posix

/// The handshakes in progress. An array without links, so that it is searched quickly.
struct Handshakes {
    private var entries: [(slot: Slot, network: UInt64)] = []
    private var counts: [UInt64: Int] = [:]

    var count: Int { entries.count }

    mutating func insert(_ slot: Slot) {
        let network = slot.connection.remote.networkGroup
        slot.connection.handshakeIndex = Int32(entries.count)
        entries.append((slot, network))
        counts[network, default: 0] += 1
    }

    mutating func remove(_ slot: Slot) {
        let index = Int(slot.connection.handshakeIndex)
        let network = entries[index].network
        counts[network, default: 0] -= 1
        if counts[network] == 0 { counts[network] = nil }
        let last = entries.removeLast()
        if index == entries.count { return }
        entries[index] = last
        last.slot.connection.handshakeIndex = Int32(index)
    }

    /// The handshake to end, of the network that has most: its oldest one whose client has sent no complete message, or else its
    /// newest. So one that waits for a file or a signature never makes room for another network with as many.
    /// - Parameter network: that of a new handshake. Nil is returned if that is the one to refuse.
    func dispensable(for network: UInt64? = nil) -> Slot? {
        var (busiest, most) = (network, network.map { counts[$0, default: 0] + 1 } ?? 0)
        for (other, count) in counts where count > most { (busiest, most) = (other, count) }
        var (silent, newest): (Slot?, Slot?) = (nil, nil)
        for index in entries.indices where entries[index].network == busiest {
            let slot = entries[index].slot
            let time = slot.connection.deadline.time
            if slot.connection.deadline.kind == .hello,
                silent.map({ time < $0.connection.deadline.time }) ?? true
            {
                silent = slot
            }
            if newest.map({ time > $0.connection.deadline.time }) ?? true { newest = slot }
        }
        return silent ?? (busiest == network ? nil : newest)
    }
}
