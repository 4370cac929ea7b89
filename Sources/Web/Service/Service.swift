// The HTTP server of the control plane, on an address of its own: what operators, the manager and tools ask. The public ports are the
// engine's. Its socket is opened before the sandbox forbids it, and used when the process is ready.

public import Posix
import Synchronization

public final class Service: Sendable {
    public let address: SocketAddress
    let control: ServiceControl
    private let thread: Mutex<ThreadHandle?>

    /// Starts to answer on the socket.
    /// - Parameter name: of its threads.
    public init(
        _ name: String, _ router: Router, on socket: ListeningSocket, limits: ServiceLimits = ServiceLimits()
    ) throws(SystemError) {
        address = socket.address
        control = try ServiceControl(socket, limits)
        let loop = try ServiceLoop(router, limits, control)
        do throws(SystemError) {
            try control.handlers.start()
            thread = Mutex(ThreadHandle(try Thread(name: name, owning: loop) { $0.run() }))
        } catch {
            control.handlers.end()
            throw error
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

/// Shared by the service and its loop.
final class ServiceControl: Sendable {
    let wakeUp: WakeUp
    let handlers: AnswerQueue<ServiceCall, ServiceResponse>
    let replies: AnswerQueue<ServiceCall, ServiceResponse>.Replies
    private let state: Mutex<State>

    private struct State {
        var socket: ListeningSocket?
        var isStopping = false
    }

    init(_ socket: ListeningSocket, _ limits: ServiceLimits) throws(SystemError) {
        wakeUp = try WakeUp()
        replies = try Mailbox([])
        handlers = try AnswerQueue(
            waitingMax: limits.waitingMax, perNetworkMax: limits.handlersPerClientMax,
            threads: (1...limits.handlerThreads).map { "handler \($0)" }
        ) { call in call.handler(call.request) }
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
        handlers.end()
        wakeUp.wake()
    }
}

/// Limits for the clients of a service, in case they are not the operator's.
public struct ServiceLimits: Sendable {
    /// Connections at once. A further one closes the one that has been idle longest, so that a probe always gets through.
    public var connectionsMax = 32
    /// A whole head.
    public var headBytesMax = 8_192
    /// The time from a connection's start, or the first byte of a head, to the head's end.
    public var headMilliseconds: Int64 = 5_000
    /// The time from the end of a head to that of its body.
    public var bodyMilliseconds: Int64 = 30_000
    /// The time in which a handler must answer.
    public var answerMilliseconds: Int64 = 30_000
    /// The time between requests: longer than the minute between two scrapes.
    public var idleMilliseconds: Int64 = 75_000
    /// The time in which the client must read an answer.
    public var writeMilliseconds: Int64 = 10_000
    /// How long to continue reading after the last answer, so that a reset does not destroy it.
    public var lingerMilliseconds: Int64 = 1_000
    /// The threads on which handlers run, and the clients that may wait for them.
    public var handlerThreads = 2
    public var waitingMax = 32
    /// How many of them may work at once for who pays for a request, or for a network of strangers.
    public var handlersPerClientMax = Int.max

    public init() {}
}
