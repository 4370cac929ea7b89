// What the admin listener and its loop say to each other: which socket to accept from, and when to stop.

import Posix
import Synchronization

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

    /// What to accept from; nil while somebody else does.
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
