// The admin listener: health, metrics and status for operators, over HTTP/1.1 on an address of its own. Its socket is opened
// before the sandbox forbids it, and used when the server is ready.

public import Posix
import Synchronization

public final class AdminListener: Sendable {
    /// The address on which it listens.
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

    /// To be called when the server begins to exit: leaves the address to the new process, if there is one. Otherwise the
    /// listener continues to answer, that the server is not ready any more.
    public func yieldAddress() {
        // The loop releases and closes the socket. If the kernel cannot steer connections, some would wait in its queue
        // otherwise.
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
/// During a restart two processes have the same address. As soon as the new one listens, which is when it is ready, it gets every
/// new connection. So no client gets the answer "not ready" from a process that is about to exit.
public final class AdminSocket: Sendable {
    private let listener: Listener
    private let file: SocketFile?

    /// Listens on the address of the settings, together with another process of this user if there is one.
    public init(_ settings: AdminSettings) throws(AdminListener.StartError) {
        if let objection = settings.objection { throw .refused(objection) }
        do throws(SystemError) {
            if let path = settings.address.path {
                listener = try Listener(replacing: path, permissions: settings.socketPermissions)
                file = SocketFile(path)
            } else {
                listener = try Listener(settings.address, sharesPort: true, backlog: 64)
                file = nil
                steerConnectionsHere()
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

    /// Steers every new connection to this socket, which is the last one of the address, and ends the steering of an earlier
    /// process.
    private func steerConnectionsHere() {
        let others = (ListeningSockets.inodes(at: address)?.count ?? 1) - 1
        if others > 0 { listener.steer(to: others..<others + 1) } else { listener.stopSteering() }
    }

    /// Whether other sockets listen on the address too.
    var isShared: Bool { (ListeningSockets.inodes(at: address)?.count ?? 0) > 1 }

    /// Removes the file of a Unix-domain socket, unless another process has replaced it.
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

    /// The socket to accept from; nil when the address was left to another process.
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

/// Limits for clients of the admin listener, in case they are not the operator's.
struct AdminLimits: Sendable {
    /// Connections at once. A further one closes the one that has been idle longest, so that a probe always gets through.
    var connectionsMax = 32
    /// A whole head.
    var headBytesMax = 8_192
    /// The time from a connection's start, or the first byte of a head, to the head's end.
    var headMilliseconds: Int64 = 5_000
    /// The time between requests: longer than the minute between two scrapes.
    var idleMilliseconds: Int64 = 75_000
    /// The time in which the client must read an answer.
    var writeMilliseconds: Int64 = 10_000
    /// How long to continue reading after the last answer, so that a reset does not destroy it.
    var lingerMilliseconds: Int64 = 1_000
}

/// A running thread that another thread than its starter may join.
final class ThreadHandle: @unchecked Sendable {
    private var thread: Thread?

    init(_ thread: consuming Thread) { self.thread = consume thread }

    func join() { if let thread = thread.take() { thread.join() } }
}
