// Which connection a token is for.

import Testing

@testable import Engine

struct ConnectionTableTests {
    @Test func `what is heard of a connection that has ended is not heard by the next in its slot`() {
        var table = ConnectionTable(capacity: 2)
        let first = table.insert(fd: 7)
        let token = table.token(first)
        #expect(table.index(of: token) == first)
        table.remove(first)
        #expect(table.index(of: token) == nil)
        let second = table.insert(fd: 7)
        #expect(second == first, "a slot is used again")
        #expect(table.index(of: token) == nil)
        #expect(table.index(of: table.token(second)) == second)
    }
}
