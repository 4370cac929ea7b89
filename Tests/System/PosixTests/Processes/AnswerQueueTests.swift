// Questions with the clients that wait for them: each is answered once, and only as long as a client waits.

import Synchronization
import Testing

@testable import Posix

struct AnswerQueueTests {
    private typealias Queue = AnswerQueue<String, Int>
    private let replies: Queue.Replies
    private let asked = Questions()

    private final class Questions: Sendable {
        let list = Mutex<[String]>([])
    }

    init() throws { replies = try Queue.Replies([]) }

    private func queue(waitingMax: Int = 100) throws -> Queue {
        try Queue(waitingMax: waitingMax, threads: ["answers"]) { [asked] question in
            asked.list.withLock { $0.append(question) }
            return question.utf8.count
        }
    }

    private func client(_ token: UInt64, _ network: UInt64 = 1) -> Queue.Client {
        Queue.Client(token: token, network: network, replies: replies)
    }

    private func take() -> [String] { replies.take().map { "\($0.token): \($0.answer.map(String.init) ?? "none")" } }

    @Test func `answers all clients of a question together, and asks once`() throws {
        let (queue, other) = (try queue(), try Queue.Replies([]))
        queue.ask("one", for: client(1))
        queue.refresh("one")
        queue.ask("one", for: Queue.Client(token: 2, network: 2, replies: other))
        queue.ask("three", for: client(3))
        queue.answerAll()
        #expect(take() == ["1: 3", "3: 5"])
        #expect(other.take().map(\.token) == [2])
        #expect(asked.list.withLock { $0 } == ["one", "three"])
    }

    @Test func `networks take turns`() throws {
        let queue = try queue()
        for token in 0..<50 { queue.ask("a\(token)", for: client(UInt64(token), 1)) }
        queue.ask("other", for: client(99, 2))
        queue.answerAll()
        #expect(take().prefix(3) == ["0: 2", "99: 5", "1: 2"])
    }

    /// While it answers a0, another thread finds only what is of other networks.
    @Test(arguments: [(1, ["a0", "other"]), (2, ["a0", "other", "a1"]), (.max, ["a0", "other", "a1"])])
    func `one network has no more threads than it may have`(most: Int, whileFirst: [String]) throws {
        final class Itself: Sendable { let queue = Mutex<Queue?>(nil) }
        let (itself, seen) = (Itself(), Questions())
        let queue = try Queue(waitingMax: 100, perNetworkMax: most, threads: ["answers"]) { [asked] question in
            asked.list.withLock { $0.append(question) }
            if question == "a0" {
                itself.queue.withLock { $0 }?.answerAll()
                seen.list.withLock { $0 = asked.list.withLock { $0 } }
            }
            return question.utf8.count
        }
        itself.queue.withLock { $0 = queue }
        for token in 0..<2 { queue.ask("a\(token)", for: client(UInt64(token), 1)) }
        queue.ask("other", for: client(99, 2))
        queue.answerAll()
        #expect(seen.list.withLock { $0 } == whileFirst)
        #expect(take().count == 3 && queue.waitingCount == 0)
    }

    @Test func `a question for which no client waits any more is dropped`() throws {
        let (queue, other) = (try queue(), try Queue.Replies([]))
        queue.ask("gone", for: client(1))
        queue.ask("stays", for: client(2))
        queue.ask("stays", for: client(3))
        queue.refresh("refreshed")
        queue.forget(1, of: replies)
        queue.forget(3, of: replies)
        queue.forget(2, of: other)
        #expect(queue.waitingCount == 2)
        queue.answerAll()
        #expect(take() == ["2: 5"])
        #expect(asked.list.withLock { $0 }.sorted() == ["refreshed", "stays"])
        #expect(queue.waitingCount == 0)
    }

    @Test func `if too many wait, the newest of the network with most gets no answer`() throws {
        let queue = try queue(waitingMax: 4)
        for token in 0..<4 { queue.ask("a\(token)", for: client(UInt64(token), 1)) }
        #expect(take().isEmpty)
        queue.ask("b", for: client(10, 2))
        #expect(take() == ["3: none"])
        queue.ask("a4", for: client(4, 1))
        #expect(take() == ["4: none"])
        queue.answerAll()
        #expect(take().sorted() == ["0: 2", "10: 1", "1: 2", "2: 2"].sorted())
    }

    @Test func `limits refreshes, but they displace no client`() throws {
        let queue = try queue(waitingMax: 3)
        for number in 0..<10 { queue.refresh("r\(number)") }
        for token in 0..<3 { queue.ask("a\(token)", for: client(UInt64(token), UInt64(token))) }
        queue.answerAll()
        #expect(take().count == 3)
        #expect(asked.list.withLock { $0.count } == 6)
    }

    @Test func `does not answer after the end`() throws {
        let queue = try queue()
        queue.ask("one", for: client(1))
        queue.end()
        queue.run()
        #expect(asked.list.withLock { $0 }.isEmpty)
    }
}
