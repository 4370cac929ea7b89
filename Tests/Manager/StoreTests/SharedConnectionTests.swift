// Several threads with one store.

import Database
import Glibc
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

    @Test func `in an outage, threads fail together and not one after the other`() throws {
        let database = try TestDatabase(.sqlite)
        var limits = ConnectionLimits()
        (limits.lockWaitMilliseconds, limits.retryMilliseconds) = (500, 0)
        let store = try Store(database.connect(limits), keys: database.keys(), schema: Schema(Store.tables))
        let (threads, causes, isHeld) = (12, Shared<[DatabaseError.Cause]>([]), Shared(false))
        let holder = try Thread(name: "holder", owning: try database.connect()) { connection in
            _ = try? connection.write { transaction throws(DatabaseError) in
                try transaction.execute("update secret set sealed = sealed")
                isHeld.change { $0 = true }
                while causes.value.count < threads { usleep(1_000) }
            }
        }
        while !isHeld.value { usleep(1_000) }
        let began = Clock.monotonicMilliseconds()
        var writers: [ThreadHandle] = []
        for number in 0..<threads {
            let writer = try Thread(name: "writer \(number)", owning: store.another()) { store in
                do throws(DatabaseError) { try store.tryWriting() } catch { causes.change { $0.append(error.cause) } }
            }
            writers.append(ThreadHandle(writer))
        }
        for writer in writers { writer.join() }
        holder.join()
        #expect(causes.value == Array(repeating: .locked, count: threads))
        // One after the other, it would be six seconds.
        #expect(Clock.monotonicMilliseconds() - began < 4_000)
    }
}
