// Which handshake makes room, as tables of networks, phases and times.

import HTTP
import Posix
import Testing

@testable import Engine

struct HandshakesTests {
    /// Handshakes in the order of their time, such as `a+` of network a with a complete first message and `b-` without; the
    /// index of the one that goes, or nil if the newcomer is refused.
    @Test(arguments: [
        ("", "a", nil), ("a+", "a", nil), ("a+ b+", "c", nil), ("a+ a+ b+", "c", 1), ("a+ a+ b+", "b", nil),
        ("b+ a+ a+ a+", "b", 3), ("b+ a- a+ a-", "b", 1), ("a- a-", "a", 0), ("b- a+ a+", "c", 2),
        ("a+ a+ b+ b+ b+", "a", nil), ("a+ a+ b+ b+ b+", "c", 4),
    ])
    func `the newest of the busiest network goes, silent ones first`(
        present: String, newcomer: String, expected: Int?
    ) throws {
        func remote(_ letter: Substring) -> RemoteAddress {
            RemoteAddress(
                family: .ipv4, high: 0, low: 0x0A00_0000 | UInt64(letter.utf8.first ?? 0) << 8, port: 1)
        }
        var table = ConnectionTable(capacity: 16, heldBytesMax: 1 << 30, Limits())
        var handshakes = Handshakes()
        var slots: [Slot] = []
        for (index, text) in present.split(separator: " ").enumerated() {
            let slot = table.insert(fd: -2)
            slot.connection.fd = 0
            slot.connection.remote = remote(text.prefix(1))
            table.deadlines.set(text.hasSuffix("+") ? .handshake : .hello, slot, now: Int64(index))
            handshakes.insert(slot)
            slots.append(slot)
        }
        let chosen = handshakes.dispensable(for: remote(newcomer.prefix(1)).networkGroup)
        #expect(chosen.flatMap { slot in slots.firstIndex { $0 == slot } } == expected)
        // Removal in any order keeps the places of the others.
        for slot in slots.reversed() + [] { handshakes.remove(slot) }
        #expect(handshakes.count == 0)
    }
}
