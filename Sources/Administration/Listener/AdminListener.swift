// The admin listener, for operators: health, metrics and status, over HTTP/1.1 on an address of its own. Its socket is
// opened before the server gives up the right to open anything, and used when the server is ready.

public import Posix
import Synchronization

public final class AdminListener: Sendable {
    /// Where it listens, or did.
    public let address: SocketAddress
    private let control: AdminControl
    private let thread: Mutex<ThreadHandle?>

    /// Why the listener could not start.
    public enum StartError: Error, CustomStringConvertible {
        case refused(String)
        case cannotListen(SocketAddress, SystemError)
        case cannotStart(SystemError)

        public var description: String {
            switch self {
            case .refused(let reason): reason
            case .cannotListen(let address, let error):
                "cannot listen on \(address) for admin: \(error.reason)\(error.remedy(listeningOn: address))"
            case .cannotStart(let error): "cannot start the admin listener: \(error)"
            }
        }
    }

    /// Starts to answer on the socket.
    public convenience init(
        _ settings: AdminSettings, _ sources: any AdminSources, on socket: AdminSocket
    ) throws(StartError) {
        try self.init(settings, sources, on: socket, limits: AdminLimits())
    }

    init(
        _ settings: AdminSettings, _ sources: any AdminSources, on socket: AdminSocket, limits: AdminLimits
    ) throws(StartError) {
        address = socket.address
        do throws(SystemError) {
            let control = try AdminControl(socket)
            let loop = try AdminLoop(settings, sources, limits, control)
            thread = Mutex(ThreadHandle(try Thread(name: "admin", owning: loop) { $0.run() }))
            self.control = control
        } catch {
            throw .cannotStart(error)
        }
    }

    /// To be called when the server begins to end: leaves the address to the process that takes over, if there is one.
    /// Otherwise it goes on answering, that the server is not ready any more.
    public func yield() {
        // The loop has it last, and closes it: where the kernel cannot be told whose the connections are, some would wait
        // here for nobody otherwise.
        if control.socket?.isShared == true { control.stopAccepting() }
    }

    /// Ends all connections and the thread.
    public func stop() {
        let running = thread.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        control.stop()
        running.join()
        control.socket?.removeFile()
    }

    deinit { stop() }
}

/// A listening socket for the admin listener.
///
/// Two processes have the same address while a new server takes over from an old one. From the moment the new one listens, every new
/// connection is its own, and it is ready then: no client is told by a process that is about to exit that the server is not ready.
public final class AdminSocket: Sendable {
    private let listener: Listener
    private let file: SocketFile?

    /// Listens at the address of the settings, beside another process of this user if there is one.
    public init(_ settings: AdminSettings) throws(AdminListener.StartError) {
        if let objection = settings.objection { throw .refused(objection) }
        do throws(SystemError) {
            if let path = settings.address.path {
                listener = try Listener(replacing: path, permissions: settings.socketPermissions)
                file = SocketFile(path)
            } else {
                listener = try Listener(settings.address, sharesPort: true, backlog: 64)
                file = nil
                takeAll()
            }
        } catch {
            throw .cannotListen(settings.address, error)
        }
    }

    public var address: SocketAddress { listener.address }

    var number: Int32 { listener.descriptor.number }

    func accept() -> Listener.Acceptance {
        var peer = SocketAddress.unknown
        return listener.accept(peer: &peer)
    }

    /// Has every new connection come here, of several sockets at the address, of which this is the last. What an earlier
    /// process had told the kernel ends with it.
    private func takeAll() {
        let others = (ListeningSockets.inodes(at: address)?.count ?? 1) - 1
        if others > 0 { listener.lead(to: others..<others + 1) } else { listener.leadNowhere() }
    }

    /// Whether others listen at the address too.
    var isShared: Bool { (ListeningSockets.inodes(at: address)?.count ?? 0) > 1 }

    /// Removes the path of a Unix-domain socket, unless it leads to another one by now.
    func removeFile() { file?.remove() }
}

/// Shared by the listener and its loop.
final class AdminControl: Sendable {
    let wakeUp: WakeUp
    private let state: Mutex<State>

    private struct State {
        var socket: AdminSocket?
        var isStopping = false
    }

    init(_ socket: AdminSocket) throws(SystemError) {
        wakeUp = try WakeUp()
        state = Mutex(State(socket: socket))
        wakeUp.wake()
    }

    /// What to accept from; nil while another process does.
    var socket: AdminSocket? { state.withLock { $0.socket } }

    func stopAccepting() {
        state.withLock { $0.socket = nil }
        wakeUp.wake()
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.wake()
    }
}

/// Bounds on clients of the admin listener. Operators are few, or the listener has a token; the bounds are for all others.
struct AdminLimits: Sendable {
    /// Connections at once. One more ends the one that has been silent for longest, so that a probe always gets through.
    var connectionsMax = 32
    /// A head, all of it.
    var headBytesMax = 8_192
    /// From a connection's start, or the first byte of a head, to the head's end.
    var headMilliseconds: Int64 = 5_000
    /// Between requests: longer than the minute between two scrapes.
    var idleMilliseconds: Int64 = 75_000
    /// For an answer to be taken.
    var writeMilliseconds: Int64 = 10_000
    /// For reading on after the last answer, so that it is seen instead of a reset.
    var lingerMilliseconds: Int64 = 1_000
}

/// A running thread, which one thread starts and perhaps another joins.
final class ThreadHandle: @unchecked Sendable {
    private var thread: Thread?

    init(_ thread: consuming Thread) { self.thread = consume thread }

    func join() { if let thread = thread.take() { thread.join() } }
}
