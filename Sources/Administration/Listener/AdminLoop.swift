// The loop of the admin listener, on a thread of its own: a slow client or answer does not delay a worker, and a worker that hangs
// cannot prevent this thread from reporting it.

import HTTP
import Posix

/// The listener's connections and their poller. Only its thread uses it.
struct AdminLoop: ~Copyable {
    private let answer: @Sendable (AdminRequest) -> AdminResponse
    private let token: AdminToken?
    private let limits: AdminLimits
    private let control: AdminControl
    private let poller: Poller
    private var connections: [UInt64: AdminConnection] = [:]
    private var nextToken: UInt64 = Token.firstConnection
    /// When to accept again after descriptors had run out; nil while accepting.
    private var acceptAgainAt: Int64?
    private var listener: ListeningSocket?

    private enum Token {
        static let wakeUp: UInt64 = 0
        static let listener: UInt64 = 1
        static let firstConnection: UInt64 = 2
    }

    private static let pauseMilliseconds: Int64 = 100
    /// Connections accepted at once, so that ended ones are noticed in between.
    private static let acceptsPerRoundMax = 4

    init(
        _ answer: @escaping @Sendable (AdminRequest) -> AdminResponse, token: AdminToken?, _ limits: AdminLimits,
        _ control: AdminControl
    ) throws(SystemError) {
        let poller = try Poller(eventsMax: 64)
        guard poller.add(control.wakeUp.descriptor.number, .readable, token: Token.wakeUp) else {
            throw .exhausted("epoll_ctl")
        }
        self.poller = poller
        (self.answer, self.token, self.limits, self.control) = (answer, token, limits, control)
    }

    /// Serves until it is stopped.
    mutating func run() {
        while true {
            let count = poller.wait(milliseconds: waitMilliseconds)
            let now = Clock.monotonicMilliseconds()
            for index in 0..<count { handle(poller.event(index), now) }
            expire(now)
            if let time = acceptAgainAt, now >= time { resumeAccepting() }
            if control.isStopping { return }
        }
    }

    private var waitMilliseconds: Int32 {
        let now = Clock.monotonicMilliseconds()
        var next = now + 60_000
        for connection in connections.values { next = min(next, connection.deadline) }
        if let acceptAgainAt { next = min(next, acceptAgainAt) }
        // The coarse clock lags by up to 4 ms.
        return Int32(clamping: max(0, next - now) + 4)
    }

    private mutating func handle(_ event: Poller.Event, _ now: Int64) {
        switch event.token {
        case Token.wakeUp:
            control.wakeUp.clear()
            takeListener()
        case Token.listener: accept(now)
        default:
            // It may have been closed earlier in this round, to make room.
            guard let connection = connections[event.token] else { return }
            proceed(connection, event.token, now)
        }
    }

    /// Takes over the socket to accept from, or releases it.
    private mutating func takeListener() {
        let wanted = control.socket
        guard wanted !== listener else { return }
        if let listener, acceptAgainAt == nil { poller.remove(listener.number) }
        listener = wanted
        acceptAgainAt = nil
        if wanted == nil {
            for connection in connections.values { connection.drain() }
        }
        resumeAccepting()
    }

    private mutating func resumeAccepting() {
        acceptAgainAt = nil
        guard let listener else { return }
        if !poller.add(listener.number, .readable, token: Token.listener) { pauseAccepting() }
    }

    private mutating func pauseAccepting() {
        acceptAgainAt = Clock.monotonicMilliseconds() + AdminLoop.pauseMilliseconds
    }

    private mutating func accept(_ now: Int64) {
        guard let listener else { return }
        var peer = SocketAddress.unknown
        for _ in 0..<AdminLoop.acceptsPerRoundMax {
            switch listener.listener.accept(peer: &peer) {
            case .accepted(let number):
                if connections.count >= limits.connectionsMax { makeRoom(now) }
                let connection = AdminConnection(takingOwnershipOf: number, limits: limits, now: now)
                let token = nextToken
                nextToken += 1
                guard poller.add(number, .readable, token: token) else { return }
                connections[token] = connection
                proceed(connection, token, now)
            case .noneWaiting: return
            case .lost: continue
            case .exhausted:
                // The poller would report the waiting client again and again, so accepting pauses for a moment.
                poller.remove(listener.number)
                pauseAccepting()
                return
            }
        }
    }

    /// Closes the connection that has been idle longest, unless others have ended meanwhile.
    private mutating func makeRoom(_ now: Int64) {
        for (token, connection) in connections where connection.phase != .sending { proceed(connection, token, now) }
        guard connections.count >= limits.connectionsMax else { return }
        // The oldest of those with the same time.
        let oldest = connections.min { left, right in
            (left.value.lastMilliseconds, left.key) < (right.value.lastMilliseconds, right.key)
        }
        guard let oldest else { return }
        connections[oldest.key] = nil
    }

    private mutating func proceed(_ connection: AdminConnection, _ token: UInt64, _ now: Int64) {
        let wasSending = connection.phase == .sending
        let (answer, bearer) = (self.answer, self.token)
        connection.proceed(now: now, isLast: listener == nil) { head, bytes in
            let request = AdminRequest(head, bytes, token: bearer)
            return (answer(request), request.method != .head)
        }
        if connection.phase == .ended {
            connections[token] = nil
        } else if wasSending != (connection.phase == .sending) {
            poller.change(connection.descriptor.number, wasSending ? .readable : .writable, token: token)
        }
    }

    private mutating func expire(_ now: Int64) {
        for (token, connection) in connections where connection.deadline <= now || connection.phase == .ended {
            connections[token] = nil
        }
    }
}
