// Opens the listening sockets of all workers, as a table with a row for each worker, and hands the rows over to the workers.

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

/// Opens sockets for workers, and owns those that are not handed over yet.
@safe public final class WorkerListeners {
    private(set) var addresses: [SocketAddress] = []
    /// For each address, the sockets that listened there before.
    private var olderSockets: [Set<UInt64>] = []
    private var inodes: [Set<UInt64>] = []
    private let rows: [UnsafeMutableBufferPointer<Listener>]
    private var opened: [Int]
    private var isTaken: [Bool]

    /// Seconds that the kernel waits for a client's first bytes before it hands over the connection. One is enough for clients
    /// that send at once. More would lose connections: those that wait in the kernel are reset when the listener closes, so
    /// `drainIdleMilliseconds` is a little longer.
    private static let deferAcceptSeconds: Int32 = 1

    init(workerCount: Int, addressCount: Int) {
        unsafe rows = (0..<workerCount).map { _ in .allocate(capacity: addressCount) }
        opened = Array(repeating: 0, count: workerCount)
        isTaken = Array(repeating: false, count: workerCount)
    }

    /// Opens the socket of one worker for one address. The first worker's port is used by the others.
    func open(_ source: ListenerSource, worker: Int, index: Int) throws(SystemError) {
        let listener: Listener
        // Before this process's sockets are among them.
        if worker == 0 { olderSockets.append(ListeningSockets.inodes(at: source.address) ?? []) }
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

    /// The sockets of each address, once all are open.
    var sharedAddresses: [SharedAddress] {
        addresses.indices.map { SharedAddress(address: addresses[$0], own: inodes[$0], olderSockets: olderSockets[$0]) }
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

/// The sockets of this and other processes at one address, by inode, while a new server replaces an old one. The kernel has a
/// list of them in the order in which they began to listen. Through any of them a process can steer new connections to a part of
/// the list. An exiting process steers them to the other process's sockets. That setting outlives it, so the remaining process
/// ends it.
struct SharedAddress {
    private let address: SocketAddress
    private let own: Set<UInt64>
    /// The sockets of other processes that listened before this process's, and still did at the last check.
    private var olderSockets: Set<UInt64>

    init(address: SocketAddress, own: Set<UInt64>, olderSockets: Set<UInt64>) {
        self.address = address
        self.own = own
        self.olderSockets = olderSockets
    }

    var hasOlderSockets: Bool { !olderSockets.isEmpty }

    /// Checks again. If the kernel does not list its sockets, nothing changes.
    mutating func refresh() {
        if let present = ListeningSockets.inodes(at: address) { olderSockets.formIntersection(present) }
    }

    /// The positions of other processes' sockets in the list; empty when there are none.
    mutating func otherSockets() -> Range<Int> {
        if own.isEmpty { return 0..<0 }
        guard let present = ListeningSockets.inodes(at: address) else {
            // The position after this process's; if there is no socket, the kernel ignores it.
            return olderSockets.isEmpty ? own.count..<own.count + 1 : 0..<olderSockets.count
        }
        olderSockets.formIntersection(present)
        return olderSockets.isEmpty ? own.count..<own.union(present).count : 0..<olderSockets.count
    }
}
