// When connections run out of time. All deadlines of one kind lie equally far ahead, so each kind is a list in the order
// in which they were set and the next to pass is always the first: setting, moving and removing one are a few stores.

import HTTP

/// What a connection is waited for.
enum DeadlineKind: UInt8, CaseIterable {
    case idle
    /// The first message of a handshake, and the others: the time for all of them begins with the connection.
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
    var next: Int32 = -1
    var previous: Int32 = -1
    var kind: DeadlineKind?
}

/// The lists of one worker.
struct Deadlines {
    private var first: InlineArray<7, Int32> = InlineArray(repeating: -1)
    private var last: InlineArray<7, Int32> = InlineArray(repeating: -1)
    private var counts: InlineArray<7, Int> = InlineArray(repeating: 0)
    private let span: InlineArray<7, Int64>

    init(_ limits: Limits) {
        span = [
            limits.idleTimeoutMilliseconds, limits.handshakeTimeoutMilliseconds, limits.handshakeTimeoutMilliseconds,
            limits.headTimeoutMilliseconds, limits.bodyTimeoutMilliseconds, limits.writeTimeoutMilliseconds,
            limits.lingerTimeoutMilliseconds,
        ]
    }

    /// Gives a connection a new deadline in place of the one it has.
    mutating func set(_ kind: DeadlineKind, for index: Int32, now: Int64, in slots: UnsafeMutablePointer<Connection>) {
        remove(index, in: slots)
        insert(index, kind, now + span[Int(kind.rawValue)], slots)
    }

    /// Goes on to another kind without giving more time.
    mutating func change(_ index: Int32, to kind: DeadlineKind, in slots: UnsafeMutablePointer<Connection>) {
        let time = slots[Int(index)].deadline.time
        remove(index, in: slots)
        insert(index, kind, time, slots)
    }

    /// Behind all that pass earlier. A new deadline is the last of its kind; only one that was changed may have to be put
    /// further ahead, by as many places as clients have overtaken its own.
    private mutating func insert(
        _ index: Int32, _ kind: DeadlineKind, _ time: Int64, _ slots: UnsafeMutablePointer<Connection>
    ) {
        let list = Int(kind.rawValue)
        var (previous, next) = (last[list], Int32(-1))
        while previous >= 0, slots[Int(previous)].deadline.time > time {
            (previous, next) = (slots[Int(previous)].deadline.previous, previous)
        }
        slots[Int(index)].deadline = Deadline(time: time, next: next, previous: previous, kind: kind)
        if previous >= 0 { slots[Int(previous)].deadline.next = index } else { first[list] = index }
        if next >= 0 { slots[Int(next)].deadline.previous = index } else { last[list] = index }
        counts[list] += 1
    }

    mutating func remove(_ index: Int32, in slots: UnsafeMutablePointer<Connection>) {
        let deadline = slots[Int(index)].deadline
        guard let kind = deadline.kind else { return }
        let list = Int(kind.rawValue)
        if deadline.previous >= 0 {
            slots[Int(deadline.previous)].deadline.next = deadline.next
        } else {
            first[list] = deadline.next
        }
        if deadline.next >= 0 {
            slots[Int(deadline.next)].deadline.previous = deadline.previous
        } else {
            last[list] = deadline.previous
        }
        slots[Int(index)].deadline.kind = nil
        counts[list] -= 1
    }

    /// The one that has waited longest for something of a kind, if there is one.
    func oldest(_ kind: DeadlineKind) -> Int32? {
        let index = first[Int(kind.rawValue)]
        return index < 0 ? nil : index
    }

    /// How many are waited for.
    func count(_ kind: DeadlineKind) -> Int { counts[Int(kind.rawValue)] }

    /// Since when a connection has been waited for.
    func start(of index: Int32, in slots: UnsafeMutablePointer<Connection>) -> Int64 {
        let deadline = slots[Int(index)].deadline
        return deadline.time - (deadline.kind.map { span[Int($0.rawValue)] } ?? 0)
    }

    /// A connection whose time is up, if there is one.
    func nextExpired(now: Int64, in slots: UnsafeMutablePointer<Connection>) -> Int32? {
        for list in 0..<7 where first[list] >= 0 && slots[Int(first[list])].deadline.time <= now { return first[list] }
        return nil
    }

    /// Milliseconds until the next deadline; nil when there is none.
    func untilNext(now: Int64, in slots: UnsafeMutablePointer<Connection>) -> Int64? {
        var earliest: Int64?
        for list in 0..<7 where first[list] >= 0 {
            earliest = min(earliest ?? Int64.max, slots[Int(first[list])].deadline.time)
        }
        return earliest.map { max(0, $0 - now) }
    }
}
