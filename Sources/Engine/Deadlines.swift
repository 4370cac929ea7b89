// When connections run out of time. All deadlines of one kind lie equally far ahead, so each kind is a list in the order
// in which they were set and the next to pass is always the first: setting, moving and removing one are a few stores.

import HTTP

/// What a connection is waited for.
enum DeadlineKind: UInt8, CaseIterable {
    case idle
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
    private var first: InlineArray<6, Int32> = InlineArray(repeating: -1)
    private var last: InlineArray<6, Int32> = InlineArray(repeating: -1)
    private var span: InlineArray<6, Int64>

    init(_ limits: Limits) {
        span = [
            limits.idleTimeoutMilliseconds, limits.handshakeTimeoutMilliseconds, limits.headTimeoutMilliseconds,
            limits.bodyTimeoutMilliseconds,
            limits.writeTimeoutMilliseconds, limits.lingerTimeoutMilliseconds,
        ]
    }

    /// Gives a connection a new deadline in place of the one it has.
    mutating func set(_ kind: DeadlineKind, for index: Int32, now: Int64, in slots: UnsafeMutablePointer<Connection>) {
        remove(index, in: slots)
        let list = Int(kind.rawValue)
        let tail = last[list]
        slots[Int(index)].deadline = Deadline(time: now + span[list], next: -1, previous: tail, kind: kind)
        if tail >= 0 { slots[Int(tail)].deadline.next = index } else { first[list] = index }
        last[list] = index
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
    }

    /// A connection whose time is up, if there is one.
    func nextExpired(now: Int64, in slots: UnsafeMutablePointer<Connection>) -> Int32? {
        for list in 0..<6 where first[list] >= 0 && slots[Int(first[list])].deadline.time <= now { return first[list] }
        return nil
    }

    /// Milliseconds until the next deadline; nil when there is none.
    func untilNext(now: Int64, in slots: UnsafeMutablePointer<Connection>) -> Int64? {
        var earliest: Int64?
        for list in 0..<6 where first[list] >= 0 {
            earliest = min(earliest ?? Int64.max, slots[Int(first[list])].deadline.time)
        }
        return earliest.map { max(0, $0 - now) }
    }
}
