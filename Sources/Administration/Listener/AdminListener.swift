// The admin listener of a process: health, metrics and status for operators, over HTTP/1.1 on an address of its own. The link between a
// server and its manager works in the same way.
// Its socket is opened before the sandbox forbids it, and used when the process is ready.

public import Posix
import Synchronization

public final class AdminListener: Sendable {
    public let address: SocketAddress
    private let control: AdminControl
    private let thread: Mutex<ThreadHandle?>

    /// Why the listener could not start.
    public enum StartError: Error, CustomStringConvertible {
        case refused(String)
        case cannotStart(SystemError)

        public var description: String {
            switch self {
            case .refused(let reason): reason
            case .cannotStart(let error): "cannot start the admin listener: \(error)"
            }
        }
    }

    /// Starts to answer on the socket.
    public convenience init(
        _ settings: AdminSettings, _ sources: any AdminSources, on socket: ListeningSocket
    ) throws(StartError) {
        try self.init(settings, sources, on: socket, limits: AdminLimits())
    }

    convenience init(
        _ settings: AdminSettings, _ sources: any AdminSources, on socket: ListeningSocket, limits: AdminLimits
    ) throws(StartError) {
        let routes = AdminRoutes(settings, sources)
        try self.init("admin", on: socket, limits, token: settings.token) { routes.answer($0) }
    }

    /// Starts to answer the manager.
    public convenience init(_ sources: any LinkSources, on socket: ListeningSocket) throws(StartError) {
        let routes = LinkRoutes(sources: sources)
        try self.init("link", on: socket, AdminLimits(), token: nil) { routes.answer($0) }
    }

    private init(
        _ name: String, on socket: ListeningSocket, _ limits: AdminLimits, token: AdminToken?,
        answer: @escaping @Sendable (AdminRequest) -> AdminResponse
    ) throws(StartError) {
        address = socket.address
        do throws(SystemError) {
            let control = try AdminControl(socket)
            let loop = try AdminLoop(answer, token: token, limits, control)
            thread = Mutex(ThreadHandle(try Thread(name: name, owning: loop) { $0.run() }))
            self.control = control
        } catch {
            throw .cannotStart(error)
        }
    }

    /// Leaves new connections to another process that accepts from the same socket. Open connections end with their next answer.
    public func stopAccepting() { control.stopAccepting() }

    /// Ends all connections and the thread.
    public func stop() {
        guard let running = thread.exchange(nil) else { return }
        control.stop()
        running.join()
    }

    deinit { stop() }
}

/// Shared by the listener and its loop.
final class AdminControl: Sendable {
    let wakeUp: WakeUp
    private let state: Mutex<State>

    private struct State {
        var socket: ListeningSocket?
        var isStopping = false
    }

    init(_ socket: ListeningSocket) throws(SystemError) {
        wakeUp = try WakeUp()
        state = Mutex(State(socket: socket))
        wakeUp.wake()
    }

    /// The socket to accept from; nil when it was left to another process.
    var socket: ListeningSocket? { state.withLock { $0.socket } }

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
