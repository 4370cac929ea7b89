// Several threads with one store.

import Database
import Posix
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
        var counters: [ThreadHandle] = []
        for number in 0..<threads {
            let counter = try Thread(name: "counter \(number)", owning: store.another()) { store in
                for _ in 0..<times {
                    try? store.write { transaction throws(DatabaseError) in
                        let known: Int64 = try transaction.query("select priority from work")[0][0]
                        try transaction.execute("update work set priority = ?", known + 1)
                    }
                }
            }
            counters.append(ThreadHandle(counter))
        }
        for counter in counters { counter.join() }
        let (count, connections) = try store.read { transaction throws(DatabaseError) in
            let connections: Int64 =
                engine == .sqlite
                ? 1
                : try transaction.query(
                    "select count(*) from pg_stat_activity where datname = current_database()")[0][0]
            return (try transaction.query("select priority from work")[0][0] as Int64, connections)
        }
        #expect(count == Int64(threads * times))
        #expect(connections == 1)
    }
}
