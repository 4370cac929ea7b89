// Several threads with one store.

import Database
import Posix
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Store

struct SharedConnectionTests {
    @Test(arguments: TestEngine.available)
    func `threads with one store take turns on one connection`(engine: TestEngine) throws {
        var store = try TestDatabase(engine).store()
        try store.write { transaction throws(DatabaseError) in
            try Work.add("count", "all", state: "new", due: 0, in: transaction)
        }
        let (threads, times) = (4, 50)
        let connections = Shared<Set<Int64>>([])
        var counters: [ThreadHandle] = []
        for number in 0..<threads {
            let counter = try Thread(name: "counter \(number)", owning: store.another()) { store in
                for _ in 0..<times {
                    try? store.write { transaction throws(DatabaseError) in
                        let known: Int64 = try transaction.query("select priority from work")[0][0]
                        try transaction.execute("update work set priority = ?", known + 1)
                        if engine == .sqlite { return }
                        let connection: Int64 = try transaction.query("select pg_backend_pid()")[0][0]
                        connections.change { $0.insert(connection) }
                    }
                }
            }
            counters.append(ThreadHandle(counter))
        }
        for counter in counters { counter.join() }
        let count = try store.read { transaction throws(DatabaseError) in
            try transaction.query("select priority from work")[0][0] as Int64
        }
        #expect(count == Int64(threads * times))
        #expect(connections.value.count == (engine == .sqlite ? 0 : 1))
    }
}
