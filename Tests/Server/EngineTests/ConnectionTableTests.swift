// The connection that a token is for, and the one that makes room for others.

import HTTP
import Testing

@testable import Engine

struct ConnectionTableTests {
    @Test func `an event of a closed connection does not reach the next one in its slot`() {
        var table = ConnectionTable(capacity: 2, heldBytesMax: .max, Limits())
        let first = table.insert(fd: 7)
        let token = table.token(first)
        #expect(table.slot(of: token) == first)
        table.remove(first)
        #expect(table.slot(of: token) == nil)
        let second = table.insert(fd: 7)
        #expect(second == first, "a slot is used again")
        #expect(table.slot(of: token) == nil)
        #expect(table.slot(of: table.token(second)) == second)
    }

    /// A table with connections that have deadlines of these kinds, set one after the other, and hold this number of bytes
    /// more than an empty connection.
    private func with<Result>(
        _ connections: [(kind: DeadlineKind, bytes: Int)], _ body: (borrowing ConnectionTable) -> Result
    ) -> Result {
        var table = ConnectionTable(capacity: 16, heldBytesMax: .max, Limits())
        var slots: [Slot] = []
        for (index, connection) in connections.enumerated() {
            let slot = table.insert(fd: Int32(index))
            Array(repeating: 0 as UInt8, count: connection.bytes).withUnsafeBytes {
                slot.connection.held = HeldBytes(copying: $0)
            }
            // Some get their kind before their bytes, others change it afterwards.
            table.deadlines.set(index % 2 == 0 ? connection.kind : .head, slot, now: Int64(index))
            table.updateHeldBytes(of: slot)
            table.deadlines.set(connection.kind, slot, now: Int64(index))
            slots.append(slot)
        }
        defer { for slot in slots { slot.connection.held.release() } }
        return body(table)
    }

    @Test(
        arguments: [
            ([], nil), ([(.idle, 0)], 0), ([(.idle, 0), (.head, 1)], 1), ([(.head, 9_000), (.idle, 0), (.idle, 0)], 0),
            ([(.head, 1_000), (.idle, 0), (.idle, 0)], 1),
            // The oldest of one kind does not matter to the others.
            ([(.head, 0), (.head, 90_000), (.idle, 9_000), (.idle, 9_000)], 0),
            ([(.idle, 9_000), (.idle, 0), (.idle, 0), (.head, 9_000), (.head, 9_000)], 3),
        ] as [([(DeadlineKind, Int)], Int?)])
    func `closes the oldest connection of the kind with the most memory`(
        connections: [(DeadlineKind, Int)], expected: Int?
    ) {
        #expect(
            with(connections.map { ($0, $1) }) { table in table.deadlines.heaviest.map { table.number($0) } }
                == expected)
    }

    @Test(
        arguments: [
            ([], nil), ([.body, .write], nil), ([.head, .idle], 0), ([.head, .idle, .idle], 1),
            ([.idle, .hello, .head], 1),
            ([.handshake, .handshake], 0), ([.linger], 0),
        ] as [([DeadlineKind], Int?)])
    func `the oldest silent or idle connection is dispensable`(
        kinds: [DeadlineKind], expected: Int?
    ) {
        #expect(
            with(kinds.map { ($0, 0) }) { table in table.deadlines.dispensable.map { table.number($0) } } == expected)
    }
}
