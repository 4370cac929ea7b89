// A simple model of a connection: a table of the states that each event may lead to. A run of random events is compared
// with it in each round. The kernel shows what happened to a connection before the worker looks, and the worker's tables show
// the result afterwards. The run fails on a transition that is not in the table, and if one in the table never happens.

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
        /// Bytes have arrived; `shortRead` if the unit that they belong to is incomplete.
        case readable, shortRead
        /// The client has received something; `shortWrite` if there is more to send than it has room for.
        case writable, shortWrite
        /// There are bytes to read while there is something to send.
        case wantReadDuringWrite
        /// The client sends no more.
        case ended
        /// The connection was reset.
        case error
        case timeout
        /// A certificate or the answer to a challenge is there, or known to be missing.
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

        /// The transitions of the table that have not happened.
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
    /// The model's own descriptors, in the places of closed ones: code that closes a descriptor twice closes one of these.
    private var canaries: [Int32] = []
    /// What has contradicted the model.
    private(set) var problem: String?
    /// The number of connections that had made room for others, before and after a round.
    private var evictions: (before: UInt64, after: UInt64) = (0, 0)

    /// A flight of a handshake goes into an empty socket, and the server sends nothing before it.
    static let states =
        Phase.allCases.map { State(phase: $0) } + [.idle, .head, .body].map { State(phase: $0, isSending: true) }
    /// Rare: the kernel adds an alert to the unsent bytes, however many there are.
    private static let rareStates = [State(phase: .lingering, isSending: true)]

    /// Including earlier runs.
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
        // Nothing is received meanwhile. A client may end its handshake, but few do just then.
        case .certificate, .challenge: return [.found, .timeout]
        }
    }

    /// The state that may follow a round in which this has happened; nil is the end.
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
        // A client that receives or sends enough gets more time.
        case .timeout: return [state, nil]
        case .found: return state.phase == .certificate || state.phase == .challenge ? ways : []
        }
    }

    /// Phases follow each other in one direction, except for repeated requests and interrupting certificates.
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

    /// Checks what the poller has reported, before the worker does.
    mutating func begin(_ worker: borrowing Worker, _ eventCount: Int, now: Int64) {
        looks = Self.look(worker)
        evictions.before = worker.accounting.counters.value(of: .connectionsClosed(.evicted))
        for index in 0..<eventCount {
            let event = worker.poller.event(index)
            guard event.token >> 32 != 0 else { continue }
            guard let slot = worker.table.slot(of: event.token).map({ worker.table.number($0) }),
                let unread = looks[slot]?.unread
            else {
                problem = problem ?? "something is heard of a connection that has ended"
                continue
            }
            // The worker waits for only one of the two, so that both mean an error or the end.
            if event.isReadable, event.isWritable {
                looks[slot]?.events.insert(.error)
            } else if event.isWritable {
                looks[slot]?.events.insert(.writable)
            } else {
                looks[slot]?.events.insert(unread > 0 ? .readable : .ended)
            }
        }
        for (slot, look) in looks {
            if worker.table.slot(slot).connection.deadline.time <= now { looks[slot]?.events.insert(.timeout) }
            if looks[slot]?.events.isEmpty == true, look.state.isSending, look.unread > 0 {
                looks[slot]?.events.insert(.wantReadDuringWrite)
            }
        }
    }

    /// Checks the worker's reaction.
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
        // A client of the same round may have the place now.
        if canary == fd { canaries.append(canary) } else if null == fd { canaries.append(null) }
        if canary >= 0, canary != fd { close(canary) }
        if canaries.count > 40 { release(canaries.removeFirst()) }
    }

    private mutating func release(_ canary: Int32) {
        var status = stat()
        let isOurs = fstat(canary, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
        if isOurs { close(canary) } else { problem = problem ?? "descriptor \(canary) was closed twice" }
    }

    /// Releases the model's descriptors.
    mutating func finish() { while let canary = canaries.popLast() { release(canary) } }

    private mutating func follow(_ before: Look, _ after: Look?) -> String? {
        var events = before.events
        // The progress of the handshake shows that it was read, but its time may be over in the same round.
        if before.state.phase == .certificate || before.state.phase == .challenge, after?.state != before.state,
            after != nil || events.isEmpty
        {
            events.insert(.found)
        }
        // No busy connection makes room while there is memory.
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

    /// The facts that must not change, and those that must.
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
        for index in 0..<worker.table.slotCount where worker.table.slot(index).connection.fd >= 0 {
            let connection = worker.table.slot(index).connection
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
