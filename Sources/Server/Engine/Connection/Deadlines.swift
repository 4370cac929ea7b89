// The deadlines of connections. All deadlines of one kind have the same time span, so each kind has a list in the order in which
// they were set, and the first one always expires next: setting, moving and removing one are a few stores. The lists also decide
// which connection to close when others need room.

import HTTP

/// What a connection has a deadline for.
enum DeadlineKind: UInt8, CaseIterable {
    case idle
    /// The first message of a handshake, and its other messages. The time for both begins with the connection.
    case hello
    case handshake
    case head
    case body
    case write
    case linger
}

/// A connection's place in one of the lists.
struct Deadline {
    var time: Int64 = 0
    fileprivate var next: Slot?
    fileprivate var previous: Slot?
    fileprivate(set) var kind: DeadlineKind?
}

/// The lists of one worker.
struct Deadlines {
    private var lists: InlineArray<7, List>

    private struct List {
        let span: Int64
        var first: Slot?
        var last: Slot?
        var count = 0
        /// The sum of its connections' `countedBytes`.
        var heldBytes = 0
    }

    init(_ limits: Limits) {
        lists = [
            List(span: limits.idleTimeoutMilliseconds), List(span: limits.handshakeTimeoutMilliseconds),
            List(span: limits.handshakeTimeoutMilliseconds), List(span: limits.headTimeoutMilliseconds),
            List(span: limits.bodyTimeoutMilliseconds), List(span: limits.writeTimeoutMilliseconds),
            List(span: limits.lingerTimeoutMilliseconds),
        ]
    }

    /// Replaces a connection's deadline.
    mutating func set(_ kind: DeadlineKind, _ slot: Slot, now: Int64) {
        remove(slot)
        insert(slot, kind, now + lists[Int(kind.rawValue)].span)
    }

    /// Changes the kind but not the time.
    mutating func change(_ slot: Slot, to kind: DeadlineKind) {
        let time = slot.connection.deadline.time
        remove(slot)
        insert(slot, kind, time)
    }

    /// Inserts after all earlier deadlines. A new deadline is the last of its kind; one that has changed its kind may have to be
    /// inserted further ahead.
    private mutating func insert(_ slot: Slot, _ kind: DeadlineKind, _ time: Int64) {
        let list = Int(kind.rawValue)
        var (previous, next) = (lists[list].last, nil as Slot?)
        while let other = previous, other.connection.deadline.time > time {
            (previous, next) = (other.connection.deadline.previous, other)
        }
        slot.connection.deadline = Deadline(time: time, next: next, previous: previous, kind: kind)
        if let previous = previous {
            previous.connection.deadline.next = slot
        } else {
            lists[list].first = slot
        }
        if let next = next {
            next.connection.deadline.previous = slot
        } else {
            lists[list].last = slot
        }
        lists[list].count += 1
        lists[list].heldBytes += slot.connection.countedBytes
    }

    mutating func remove(_ slot: Slot) {
        let deadline = slot.connection.deadline
        guard let kind = deadline.kind else { return }
        let (list, previous, next) = (Int(kind.rawValue), deadline.previous, deadline.next)
        if let previous = previous {
            previous.connection.deadline.next = next
        } else {
            lists[list].first = next
        }
        if let next = next {
            next.connection.deadline.previous = previous
        } else {
            lists[list].last = previous
        }
        slot.connection.deadline.kind = nil
        lists[list].count -= 1
        lists[list].heldBytes -= slot.connection.countedBytes
    }

    /// Updates the memory of a kind after a connection's has changed.
    mutating func addHeldBytes(_ bytes: Int, to kind: DeadlineKind?) {
        if let kind { lists[Int(kind.rawValue)].heldBytes += bytes }
    }

    /// How many connections have a deadline of a kind.
    func count(_ kind: DeadlineKind) -> Int { lists[Int(kind.rawValue)].count }

    /// The connection with the earliest deadline of a kind.
    private func oldest(_ kind: DeadlineKind) -> Slot? { lists[Int(kind.rawValue)].first }

    /// The oldest connection of the kind that uses most memory.
    var heaviest: Slot? {
        var (heaviest, most): (Slot?, Int) = (nil, 0)
        for list in 0..<7 where lists[list].heldBytes > most {
            (heaviest, most) = (lists[list].first, lists[list].heldBytes)
        }
        return heaviest
    }

    /// The connection to close when the table is full: the oldest of those that have not sent a request, or of the idle ones,
    /// whichever are more.
    var dispensable: Slot? {
        let unheard = count(.hello) + count(.handshake) + count(.head)
        if unheard == 0 || unheard < count(.idle) + count(.linger) { return oldest(.idle) ?? oldest(.linger) }
        guard let hello = oldest(.hello), let head = oldest(.head) else {
            return oldest(.hello) ?? oldest(.head) ?? oldest(.handshake)
        }
        return start(of: hello) <= start(of: head) ? hello : head
    }

    /// When a connection's deadline was set.
    private func start(of slot: Slot) -> Int64 {
        slot.connection.deadline.time - (slot.connection.deadline.kind.map { lists[Int($0.rawValue)].span } ?? 0)
    }

    /// A connection whose deadline has passed.
    func nextExpired(now: Int64) -> Slot? {
        for list in 0..<7 {
            if let slot = lists[list].first, slot.connection.deadline.time <= now { return slot }
        }
        return nil
    }

    /// Milliseconds until the next deadline; nil when there is none.
    func untilNext(now: Int64) -> Int64? {
        var earliest: Int64?
        for list in 0..<7 {
            if let slot = lists[list].first {
                earliest = min(earliest ?? Int64.max, slot.connection.deadline.time)
            }
        }
        return earliest.map { max(0, $0 - now) }
    }
}
