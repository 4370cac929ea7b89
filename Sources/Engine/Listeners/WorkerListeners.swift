// The listening sockets of all workers while they are being opened: a table with a row per worker, handed over row by row.

import Posix

/// Where a listening socket comes from.
enum ListenerSource {
    case address(SocketAddress)
    case inherited(InheritedSocket)

    var address: SocketAddress {
        switch self {
        case .address(let address): address
        case .inherited(let socket): socket.address
        }
    }
}

/// Opens sockets for workers and owns those not handed over yet.
@safe public final class WorkerListeners {
    private(set) var addresses: [SocketAddress] = []
    /// What else listens at each address, from before we came.
    private var elders: [Set<UInt64>] = []
    private var inodes: [Set<UInt64>] = []
    private let rows: [UnsafeMutableBufferPointer<Listener>]
    private var opened: [Int]
    private var isTaken: [Bool]

    /// Seconds that the kernel waits for a client's first bytes before it hands over a silent connection. One is enough for
    /// those who ask at once, and no more, because who waits in the kernel is lost when the listener closes:
    /// `drainIdleMilliseconds` is a little longer.
    private static let deferAcceptSeconds: Int32 = 1

    init(workerCount: Int, addressCount: Int) {
        unsafe rows = (0..<workerCount).map { _ in .allocate(capacity: addressCount) }
        opened = Array(repeating: 0, count: workerCount)
        isTaken = Array(repeating: false, count: workerCount)
    }

    /// Opens the socket of one worker for one address; the first worker's choice of port holds for the others.
    func open(_ source: ListenerSource, worker: Int, index: Int) throws(SystemError) {
        let listener: Listener
        // Looked for before ours are among them.
        if worker == 0 { elders.append(ListeningSockets.inodes(at: source.address) ?? []) }
        switch source {
        case .inherited(let socket):
            listener = try Listener(sharing: socket)
        case .address(let wanted) where worker == 0:
            listener = try Listener(wanted, sharesPort: !wanted.isUnix)
        case .address(let wanted) where wanted.isUnix:
            listener = try unsafe Listener(sharing: rows[0][index])
        case .address:
            listener = try Listener(addresses[index], sharesPort: true)
        }
        if worker == 0 {
            addresses.append(listener.address)
            inodes.append([])
        }
        if listener.inode != 0 { inodes[index].insert(listener.inode) }
        listener.deferAccept(seconds: WorkerListeners.deferAcceptSeconds)
        unsafe (rows[worker].baseAddress! + index).initialize(to: listener)
        opened[worker] += 1
    }

    /// Who is where, once all are open.
    var neighbours: [Neighbours] {
        addresses.indices.map { Neighbours(address: addresses[$0], own: inodes[$0], elders: elders[$0]) }
    }

    /// Hands a worker its listeners.
    func take(_ worker: Int) -> UnsafeMutableBufferPointer<Listener> {
        precondition(!isTaken[worker], "a worker takes its listeners once")
        isTaken[worker] = true
        return unsafe rows[worker]
    }

    deinit {
        for worker in unsafe rows.indices where !isTaken[worker] {
            for index in 0..<opened[worker] { unsafe (rows[worker].baseAddress! + index).deinitialize(count: 1) }
            unsafe rows[worker].deallocate()
        }
    }
}

/// The sockets at one address, ours and others', by inode, while a new server takes over from an old one. The kernel keeps
/// them in a list, in the order in which they began to listen, and any of them can tell it which part of the list new
/// connections go to. A process that is about to leave leads them to those who stay; what it told the kernel outlives it,
/// so the process that is left alone puts an end to it.
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
