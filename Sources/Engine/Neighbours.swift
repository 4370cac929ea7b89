// The other processes at an address, while a new server takes over from an old one. The kernel keeps the sockets that share
// an address in a list, in the order in which they began to listen, and can be told by any of them which part of the list
// new connections go to. A process that is about to leave leads them to those who stay; what it told the kernel outlives it,
// so whoever is left alone puts an end to it.

import Posix

/// The sockets at one address, ours and others', by inode.
struct Neighbours {
    private let address: SocketAddress
    private let own: Set<UInt64>
    /// Others' that listened before ours did, and still do when they were last looked for.
    private var elders: Set<UInt64>

    init(address: SocketAddress, own: Set<UInt64>, elders: Set<UInt64>) {
        self.address = address
        self.own = own
        self.elders = elders
    }

    var hasElders: Bool { !elders.isEmpty }

    /// Looks again. Where the kernel does not tell, nobody has gone.
    mutating func look() {
        if let present = ListeningSockets.inodes(at: address) { elders.formIntersection(present) }
    }

    /// Which sockets of the list belong to others, who shall have the connections; empty when there are none.
    mutating func others() -> Range<Int> {
        if own.isEmpty { return 0..<0 }
        guard let present = ListeningSockets.inodes(at: address) else {
            // The one behind ours, if there is one; otherwise the kernel ignores what it is told.
            return elders.isEmpty ? own.count..<own.count + 1 : 0..<elders.count
        }
        elders.formIntersection(present)
        return elders.isEmpty ? own.count..<own.union(present).count : 0..<elders.count
    }
}
