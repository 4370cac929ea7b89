// The exchanges of the connection that is being served: those whose answers are in the output, and at the end perhaps one
// that has no answer yet. Between two turns the list is empty.

import HTTP
import Posix
import Telemetry

/// A list of fixed size.
struct Exchanges: ~Copyable {
    private let list: UnsafeMutablePointer<Exchange>
    private(set) var count = 0
    /// What some of them refer to, when they were held between two turns.
    private var held = HeldExchanges()

    /// Requests that are answered in one turn at most.
    static let capacity = Worker.requestsPerTurnMax + 1

    init() { list = .allocate(capacity: Exchanges.capacity) }

    deinit { list.deallocate() }

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count == Exchanges.capacity }
    /// Whether the last one waits for its answer.
    var isOpen: Bool { count > 0 && !list[count - 1].isAnswered }
    /// How many have their answers.
    var answeredCount: Int { isOpen ? count - 1 : count }

    /// The last one, in its place.
    var last: UnsafeMutablePointer<Exchange> { list + (count - 1) }

    subscript(index: Int) -> Exchange { list[index] }

    mutating func append(_ exchange: Exchange) {
        precondition(count < Exchanges.capacity, "there is room for another exchange")
        (list + count).initialize(to: exchange)
        count += 1
    }

    /// Notes the answer to the last one.
    func answer(status: UInt16, bodyBytes: Int) {
        last.pointee.status = status
        last.pointee.bodyBytes = bodyBytes
        last.pointee.isAnswered = true
    }

    /// Sets down what did not get as far as the kernel: so many of the last bytes of the answers.
    func subtract(_ unsent: Int) {
        var rest = unsent
        for index in stride(from: answeredCount - 1, through: 0, by: -1) where rest > 0 {
            let bytes = min(rest, list[index].bodyBytes)
            list[index].bodyBytes -= bytes
            rest -= bytes
        }
    }

    /// Forgets those that have their answers.
    mutating func removeAnswered() {
        if isOpen {
            list[0] = list[count - 1]
            count = 1
        } else {
            removeAll()
        }
    }

    mutating func removeAll() {
        count = 0
        held.release()
    }

    /// Takes all of them away, with what they refer to.
    mutating func takeAll() -> HeldExchanges {
        let taken = HeldExchanges(copying: UnsafeBufferPointer(start: list, count: count))
        removeAll()
        return taken
    }

    /// Goes on with what was held.
    mutating func resume(_ held: HeldExchanges) {
        precondition(count == 0, "a turn begins without exchanges")
        for index in 0..<held.count { append(held[index]) }
        self.held = held
    }
}
