// The loop of a service, on a thread of its own: a slow client does not delay a worker, a slow handler delays no quick one, and a
// worker that hangs cannot prevent this thread from reporting it.

import HTTP
import Posix

/// The connections of a service and their poller. Only its thread uses it.
struct ServiceLoop: ~Copyable {
    private let router: Router
    private let limits: ServiceLimits
    private let control: ServiceControl
    private let poller: Poller
    private var connections: [UInt64: Client] = [:]
    private var nextToken: UInt64 = Token.firstConnection
    /// When to accept again after descriptors had run out; nil while accepting.
    private var acceptAgainAt: Int64?
    private var listener: ListeningSocket?
    /// Connections that continue in the next round.
    private var interrupted: Set<UInt64> = []

    private struct Client {
        let connection: ServiceConnection
        /// Those who pay take turns, and networks of strangers.
        let network: UInt64
    }

    private enum Token {
        static let wakeUp: UInt64 = 0
        static let listener: UInt64 = 1
        static let replies: UInt64 = 2
        static let firstConnection: UInt64 = 3
    }

    private static let pauseMilliseconds: Int64 = 100
    /// Connections accepted at once, so that ended ones are noticed in between.
    private static let acceptsPerRoundMax = 4

    init(_ router: Router, _ limits: ServiceLimits, _ control: ServiceControl) throws(SystemError) {
        let poller = try Poller(eventsMax: 64)
        guard poller.add(control.wakeUp.descriptor.number, .readable, token: Token.wakeUp),
            poller.add(control.replies.descriptor, .readable, token: Token.replies)
        else { throw .exhausted("epoll_ctl") }
        self.poller = poller
        (self.router, self.limits, self.control) = (router, limits, control)
    }

    /// Serves until it is stopped.
    mutating func run() {
        while true {
            let count = poller.wait(milliseconds: interrupted.isEmpty ? waitMilliseconds : 0)
            let (now, tokens) = (Clock.monotonicMilliseconds(), interrupted)
            interrupted = []
            for index in 0..<count { handle(poller.event(index), now) }
            for token in tokens {
                if let client = connections[token] { proceed(client, token, from: client.connection.phase, now) }
            }
            expire(now)
            if let time = acceptAgainAt, now >= time { resumeAccepting() }
            if control.isStopping { return }
        }
    }

    private var waitMilliseconds: Int32 {
        let now = Clock.monotonicMilliseconds()
        var next = now + 60_000
        for client in connections.values { next = min(next, client.connection.deadline) }
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
        case Token.replies:
            for reply in control.replies.take() {
                guard let client = connections[reply.token] else { continue }
                let phase = client.connection.phase
                client.connection.take(reply.answer, now: now)
                proceed(client, reply.token, from: phase, now)
            }
        default:
            // It may have been closed earlier in this round, to make room.
            guard let client = connections[event.token] else { return }
            if client.connection.phase == .waiting, event.isEnd { client.connection.end() }
            proceed(client, event.token, from: client.connection.phase, now)
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
            let now = Clock.monotonicMilliseconds()
            // What has arrived is answered.
            for (token, client) in connections {
                proceed(client, token, from: client.connection.phase, now)
                client.connection.drain()
            }
        }
        resumeAccepting()
    }

    private mutating func resumeAccepting() {
        acceptAgainAt = nil
        guard let listener else { return }
        if !poller.add(listener.number, .readable, token: Token.listener) { pauseAccepting() }
    }

    private mutating func pauseAccepting() {
        acceptAgainAt = Clock.monotonicMilliseconds() + ServiceLoop.pauseMilliseconds
    }

    private mutating func accept(_ now: Int64) {
        guard let listener else { return }
        var peer = SocketAddress.unknown
        for _ in 0..<ServiceLoop.acceptsPerRoundMax {
            switch listener.listener.accept(peer: &peer) {
            case .accepted(let number):
                if connections.count >= limits.connectionsMax { makeRoom() }
                let connection = ServiceConnection(takingOwnershipOf: number, limits: limits, now: now)
                let client = Client(connection: connection, network: RemoteAddress(peer).networkGroup)
                let token = nextToken
                nextToken += 1
                guard poller.add(number, .readable, token: token) else { return }
                connections[token] = client
                proceed(client, token, from: .readingHead, now)
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

    /// Closes the connection that has been idle longest; first of those that have no request, last of those that wait for a handler.
    private mutating func makeRoom() {
        func order(_ entry: (key: UInt64, value: Client)) -> (Int, Int64, UInt64) {
            let connection = entry.value.connection
            let rank =
                switch connection.phase {
                case .ended: 0
                case .readingHead, .lingering: 1
                case .readingBody, .sending: 2
                case .waiting: 3
                }
            // The oldest of those with the same time.
            return (rank, connection.lastMilliseconds, entry.key)
        }
        if let oldest = connections.min(by: { order($0) < order($1) }) { remove(oldest.key) }
    }

    private mutating func remove(_ token: UInt64) {
        connections[token] = nil
        control.handlers.forget(token, of: control.replies)
    }

    /// - Parameter phase: what the poller waits for.
    private mutating func proceed(_ client: Client, _ token: UInt64, from phase: ServiceConnection.Phase, _ now: Int64)
    {
        let (connection, control) = (client.connection, control)
        let continues = connection.proceed(now: now, isLast: listener == nil, router) { call in
            let payer = call.request.payer.map { UInt64(truncatingIfNeeded: $0.hashValue) }
            control.handlers.ask(
                call, for: .init(token: token, network: payer ?? client.network, replies: control.replies))
        }
        if continues { interrupted.insert(token) }
        if connection.phase == .ended {
            remove(token)
        } else if phase.interest != connection.phase.interest {
            poller.change(connection.descriptor.number, connection.phase.interest, token: token)
        }
    }

    private mutating func expire(_ now: Int64) {
        for (token, client) in connections where client.connection.deadline <= now || client.connection.phase == .ended
        {
            let phase = client.connection.phase
            let isDropped = control.handlers.forget(token, of: control.replies)
            client.connection.expire(now: now, hasBegun: !isDropped)
            proceed(client, token, from: phase, now)
        }
    }
}
