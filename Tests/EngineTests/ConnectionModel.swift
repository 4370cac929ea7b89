// What a connection may do, as simply as it can be said: a table of where each event may lead from each state. A play of
// random events is held to it round by round. What happened to a connection is taken from the kernel before the worker looks,
// what became of it is looked up after; where the table has nothing, or has something that never came, the play fails.

import Foundation
import Posix
import Telemetry

@testable import Engine

/// The connections of one worker, as they were seen between two rounds.
struct ConnectionModel {
    enum Phase: CaseIterable {
        case proxyHeader, handshake, certificate, idle, head, body, challenge, lingering

        init(_ phase: Connection.Phase) {
            switch phase {
            case .proxyHeader: self = .proxyHeader
            case .handshake: self = .handshake
            case .certificate: self = .certificate
            case .idle: self = .idle
            case .head: self = .head
            case .body: self = .body
            case .challenge: self = .challenge
            case .lingering: self = .lingering
            }
        }
    }

    struct State: Hashable, CustomStringConvertible {
        var phase: Phase
        var isSending = false

        var description: String { isSending ? "\(phase), sending" : "\(phase)" }
    }

    enum Event: CaseIterable {
        /// Nothing has happened to this connection.
        case silence
        /// Bytes have come; `shortRead` where they end before what they are part of does.
        case readable, shortRead
        /// The client has taken something; `shortWrite` where there is more to send than it has room for.
        case writable, shortWrite
        /// There are bytes to read while there is something to send.
        case wantReadDuringWrite
        /// The client sends no more.
        case ended
        /// The connection was reset.
        case error
        case timeout
        /// What was waited for is there, or is not to be had: a certificate, or the answer to a challenge.
        case found
        /// It made room for others.
        case eviction
    }

    /// How a connection looked between two rounds, and what has happened to it since.
    private struct Look {
        var fd: Int32
        var generation: UInt32
        var state: State
        var requestCount: UInt32
        var isSecure: Bool
        var outgoing: Int
        var unread: Int
        var events: Set<Event> = []
    }

    /// What has happened so far.
    struct Coverage {
        fileprivate struct Pair: Hashable {
            let state: State
            let event: Event
        }

        fileprivate var entered: Set<State> = []
        fileprivate var left: Set<State> = []
        fileprivate var seen: Set<Pair> = []

        /// What has not, of all that can.
        var unseen: [String] {
            ConnectionModel.states.filter { !entered.contains($0) }.map { "\($0): never entered" }
                + ConnectionModel.states.filter { !left.contains($0) }.map { "\($0): never left" }
                + ConnectionModel.states.flatMap { state in
                    ConnectionModel.events(in: state).filter { !seen.contains(Pair(state: state, event: $0)) }
                        .map { "\(state): no \($0)" }
                }
        }
    }

    private var looks: [Int: Look] = [:]
    private(set) var coverage: Coverage
    /// Descriptors of our own, in the places of those that were closed: whoever closes one twice closes one of these.
    private var canaries: [Int32] = []
    /// What has contradicted the model.
    private(set) var problem: String?
    /// How many connections had made room for others, before and behind a round.
    private var evictions: (before: UInt64, after: UInt64) = (0, 0)

    /// A flight of a handshake goes into an empty socket, and nothing of ours comes before it.
    static let states =
        Phase.allCases.map { State(phase: $0) } + [.idle, .head, .body].map { State(phase: $0, isSending: true) }
    /// Seldom seen: the kernel adds an alert to what waits already, however much that is.
    private static let rareStates = [State(phase: .lingering, isSending: true)]

    /// Of plays that went before, too.
    init(coverage: Coverage) { self.coverage = coverage }

    /// What can happen in a state.
    static func events(in state: State) -> [Event] {
        if state.isSending { return [.writable, .shortWrite, .wantReadDuringWrite, .error, .timeout] }
        switch state.phase {
        case .proxyHeader, .body: return [.readable, .shortRead, .ended, .error, .timeout]
        case .handshake, .head: return [.readable, .shortRead, .ended, .error, .timeout, .eviction]
        case .idle: return [.readable, .ended, .error, .timeout, .eviction]
        // Both directions have ended then, which the kernel reports like an error.
        case .lingering: return [.readable, .error, .timeout]
        // Nothing is received meanwhile, so nobody says that the client is gone.
        case .certificate, .challenge: return [.found, .timeout]
        }
    }

    /// Where a round may lead in which this has happened; nil is the end.
    private static func successors(of look: Look, on event: Event) -> Set<State?> {
        let (state, ways) = (look.state, ways(from: look.state.phase))
        switch event {
        case .silence, .wantReadDuringWrite: return [state]
        case .readable, .shortRead: return state.isSending ? [] : ways
        case .writable, .shortWrite: return state.isSending ? ways : []
        case .ended: return state.isSending ? [] : [nil]
        case .eviction: return [nil]
        case .error: return state.isSending || look.unread == 0 ? [nil] : ways
        case .timeout where state.phase == .head && !state.isSending:
            return [State(phase: .head, isSending: true), State(phase: .lingering), nil]
        // Whoever takes or sends enough gets more time.
        case .timeout: return [state, nil]
        case .found: return state.phase == .certificate || state.phase == .challenge ? ways : []
        }
    }

    /// Phases follow each other in one direction, but for requests, which come again, and certificates, which interrupt.
    private static func ways(from phase: Phase) -> Set<State?> {
        let requests: Set<Phase> = [.idle, .head, .body, .challenge, .lingering]
        let phases: Set<Phase> =
            switch phase {
            case .proxyHeader: Set(Phase.allCases)
            case .handshake, .certificate: requests.union([.handshake, .certificate])
            case .idle, .head, .body, .challenge: requests
            case .lingering: [.lingering]
            }
        return Set((states + rareStates).filter { phases.contains($0.phase) }.map(Optional.some)).union([nil])
    }

    /// Looks at what the poller has reported, before the worker does.
    mutating func begin(_ worker: borrowing Worker, _ eventCount: Int, now: Int64) {
        looks = Self.look(worker)
        evictions.before = worker.accounting.counters.value(of: .connectionsClosed(.evicted))
        for index in 0..<eventCount {
            let event = worker.poller.event(index)
            guard event.token >> 32 != 0 else { continue }
            guard let slot = worker.table.slot(of: event.token).map({ $0 - worker.table.slots }),
                let unread = looks[slot]?.unread
            else {
                problem = problem ?? "something is heard of a connection that has ended"
                continue
            }
            // Only one of the two is waited for, so that both are an error or the end of everything.
            if event.isReadable, event.isWritable {
                looks[slot]?.events.insert(.error)
            } else if event.isWritable {
                looks[slot]?.events.insert(.writable)
            } else {
                looks[slot]?.events.insert(unread > 0 ? .readable : .ended)
            }
        }
        for (slot, look) in looks {
            if worker.table.slots[slot].deadline.time <= now { looks[slot]?.events.insert(.timeout) }
            if looks[slot]?.events.isEmpty == true, look.state.isSending, look.unread > 0 {
                looks[slot]?.events.insert(.wantReadDuringWrite)
            }
        }
    }

    /// Looks at what the worker has made of it.
    mutating func end(_ worker: borrowing Worker) {
        let present = Self.look(worker)
        evictions.after = worker.accounting.counters.value(of: .connectionsClosed(.evicted))
        for (slot, before) in looks {
            let after = present[slot].flatMap { $0.generation == before.generation ? $0 : nil }
            if after == nil { guardPlace(before.fd) }
            if let problem = follow(before, after) { self.problem = self.problem ?? "slot \(slot): \(problem)" }
        }
        for (slot, look) in present {
            if let before = looks[slot], before.generation > look.generation { problem = "slot \(slot) went back" }
            if !(Self.states + Self.rareStates).contains(look.state) {
                problem = problem ?? "slot \(slot) is in no state: \(look.state)"
            }
            coverage.entered.insert(look.state)
        }
    }

    private mutating func guardPlace(_ fd: Int32) {
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let canary = fcntl(null, F_DUPFD_CLOEXEC, fd)
        if null != fd { close(null) }
        // Whoever came in the same round may have taken the place.
        if canary == fd { canaries.append(canary) } else if null == fd { canaries.append(null) }
        if canary >= 0, canary != fd { close(canary) }
        if canaries.count > 40 { release(canaries.removeFirst()) }
    }

    private mutating func release(_ canary: Int32) {
        var status = stat()
        let isOurs = fstat(canary, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
        if isOurs { close(canary) } else { problem = problem ?? "descriptor \(canary) was closed twice" }
    }

    /// Gives back what the model has itself.
    mutating func finish() {
        while let canary = canaries.popLast() { release(canary) }
    }

    private mutating func follow(_ before: Look, _ after: Look?) -> String? {
        var events = before.events
        // That it was read shows only in the handshake's going on, whose time may be over in the same round.
        if before.state.phase == .certificate || before.state.phase == .challenge, after?.state != before.state,
            after != nil || events.isEmpty
        {
            events.insert(.found)
        }
        // Nothing busy makes room, as long as there is memory.
        if after == nil, events.isEmpty, evictions.after > evictions.before, !before.state.isSending,
            before.state.phase != .body
        {
            evictions.before += 1
            events = [.eviction]
        }
        if events.isEmpty { events = [.silence] }
        let allowed = events.reduce(into: Set<State?>()) { $0.formUnion(Self.successors(of: before, on: $1)) }
        if !allowed.contains(after?.state) {
            return "\(before.state) led to \(after?.state.description ?? "the end") on \(events)"
        }
        if let after, let problem = Self.contradiction(before, after, events) { return problem }
        if after?.state != before.state { coverage.left.insert(before.state) }
        if events.contains(.readable), let phase = after?.state.phase, after?.state.isSending == false,
            [.proxyHeader, .handshake, .head, .body].contains(phase), before.state.phase == phase
        {
            events.insert(.shortRead)
        }
        if events.contains(.writable), after?.state.isSending == true { events.insert(.shortWrite) }
        for event in events { coverage.seen.insert(Coverage.Pair(state: before.state, event: event)) }
        return nil
    }

    /// What must not change, and what must.
    private static func contradiction(_ before: Look, _ after: Look, _ events: Set<Event>) -> String? {
        if after.requestCount < before.requestCount { return "requests were forgotten" }
        if before.isSecure, !after.isSecure, after.state.phase != .lingering { return "a session was lost" }
        if !before.isSecure, after.isSecure, before.state.phase != .proxyHeader { return "a session came from nowhere" }
        if before.state.isSending, after.state.isSending, after.requestCount == before.requestCount {
            let isMoved = after.outgoing != before.outgoing
            if events == [.writable], !isMoved { return "nothing was sent to a client that has room" }
            if !events.contains(.writable), isMoved { return "what was to be sent has changed in silence" }
        }
        if !events.isDisjoint(with: [.wantReadDuringWrite]), after.unread < before.unread {
            return "something was read while something was to be sent"
        }
        return nil
    }

    private static func look(_ worker: borrowing Worker) -> [Int: Look] {
        var looks: [Int: Look] = [:]
        for index in 0..<worker.table.slotCount where worker.table.slots[index].fd >= 0 {
            let connection = worker.table.slots[index]
            var unread: Int32 = 0
            _ = ioctl(connection.fd, UInt(FIONREAD), &unread)
            looks[index] = Look(
                fd: connection.fd, generation: connection.generation,
                state: State(phase: Phase(connection.phase), isSending: connection.interest == .writable),
                requestCount: connection.requestCount, isSecure: connection.session != nil,
                outgoing: connection.outgoing?.count ?? 0, unread: Int(unread))
        }
        return looks
    }
}
