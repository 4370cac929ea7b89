// Questions that only the disk can answer, the clients that wait for the answers, and the threads that find them, so that a worker
// never waits for a disk. Clients of equal questions get one answer. Networks take turns, and if too many clients wait, the newest one
// of the network with the most gets none (`FairLine`). A question for which no client waits any more is dropped.

import Synchronization

/// Thread-safe. A worker asks, gets replies in its mailbox, and takes back the question of a client that has gone.
public final class AnswerQueue<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    public struct Reply: Sendable {
        /// The worker's token of the connection.
        public let token: UInt64
        /// Nil if too many clients wait.
        public let answer: Answer?
    }

    /// Replies for the connections of one worker.
    public typealias Replies = Mailbox<[Reply]>

    public struct Client: Sendable {
        let token: UInt64
        let network: UInt64
        let replies: Replies

        public init(token: UInt64, network: UInt64, replies: Replies) {
            (self.token, self.network, self.replies) = (token, network, replies)
        }
    }

    private struct Entry {
        let question: Question
        /// Nil to refresh what `answer` remembers.
        let client: Client?
    }

    private struct State {
        var line = FairLine<Entry>()
        var refreshes: Set<Question> = []
        /// The questions that threads are answering, with the clients that wait for them.
        var current: [Question: [Client]] = [:]
        /// How many questions of each network threads are answering, if that has a limit.
        var running: [UInt64: Int] = [:]
        var isEnding = false

        mutating func add(_ question: Question, _ client: Client?) {
            let hash = UInt64(UInt(bitPattern: question.hashValue))
            line.add(Entry(question: question, client: client), group: client?.network ?? UInt64.max, member: hash)
        }

        /// Takes a question out of the line, with all that ask the same.
        mutating func takeNext(perNetworkMax: Int) -> (question: Question, network: UInt64)? {
            let running = running
            guard let next = line.takeNext(skipping: { running[$0, default: 0] >= perNetworkMax }) else { return nil }
            let network = next.client?.network ?? UInt64.max
            if perNetworkMax < .max { self.running[network, default: 0] += 1 }
            let same = [next] + line.removeAll { $0.question == next.question }
            current[next.question] = same.compactMap(\.client)
            refreshes.remove(next.question)
            return (next.question, network)
        }

        /// - Returns: the clients that wait for the answer.
        mutating func finish(_ question: Question, of network: UInt64) -> [Client] {
            if let count = running[network] { running[network] = count > 1 ? count - 1 : nil }
            return current.removeValue(forKey: question) ?? []
        }
    }

    private let waitingMax: Int
    private let perNetworkMax: Int
    private let threads: [String]
    private let answer: @Sendable (Question) -> Answer
    /// At least one signal for each entry in the line.
    private let work: Semaphore
    private let state = Mutex(State())

    /// - Parameters:
    ///   - waitingMax: how many clients may wait, and how many refreshes.
    ///   - perNetworkMax: how many threads may work for clients of one network at once.
    ///   - threads: the names of the threads.
    ///   - answer: may wait for the disk.
    public init(
        waitingMax: Int, perNetworkMax: Int = .max, threads: [String], answer: @escaping @Sendable (Question) -> Answer
    ) throws(SystemError) {
        (self.waitingMax, self.perNetworkMax) = (waitingMax, perNetworkMax)
        (self.threads, self.answer) = (threads, answer)
        work = try Semaphore()
    }

    /// Asks for a client. There is one reply, unless the client is forgotten.
    public func ask(_ question: Question, for client: Client) {
        let dropped = state.withLock { state -> Client? in
            if let clients = state.current[question] {
                if clients.count >= waitingMax { return client }
                state.current[question]?.append(client)
                return nil
            }
            state.add(question, client)
            work.signal()
            if state.line.count - state.refreshes.count <= waitingMax { return nil }
            let last = state.line.takeLast()
            if let last, last.client == nil { state.refreshes.remove(last.question) }
            return last?.client
        }
        guard let dropped else { return }
        dropped.replies.leave { $0.append(Reply(token: dropped.token, answer: nil)) }
    }

    /// Has a question answered for which no client waits, unless too many are queued.
    public func refresh(_ question: Question) {
        state.withLock { state in
            guard state.refreshes.count < waitingMax, state.current[question] == nil,
                state.refreshes.insert(question).inserted
            else { return }
            state.add(question, nil)
            work.signal()
        }
    }

    /// To be called when a client that waits has gone.
    /// - Returns: whether its question was still in the line, so that it is not answered for this client.
    @discardableResult
    public func forget(_ token: UInt64, of replies: Replies) -> Bool {
        func isGone(_ client: Client) -> Bool { client.token == token && client.replies === replies }
        return state.withLock { state in
            if !state.line.removeAll(where: { $0.client.map(isGone) ?? false }).isEmpty { return true }
            for question in state.current.keys { state.current[question]?.removeAll(where: isGone) }
            return false
        }
    }

    /// How many questions and clients wait.
    var waitingCount: Int { state.withLock { $0.line.count + $0.current.values.reduce(0) { $0 + $1.count } } }

    /// Starts the threads. If one cannot be started, `end` ends the others.
    public func start() throws(SystemError) {
        for name in threads {
            // Never joined: it may wait for the disk.
            try Thread(name: name) { self.run() }.detach()
        }
    }

    /// Answers until the end.
    func run() {
        while true {
            work.wait()
            if state.withLock({ $0.isEnding }) { return }
            answerNext()
        }
    }

    /// Answers everything that is queued now.
    public func answerAll() { while answerNext() {} }

    /// Ends the threads, without waiting for an answer in progress.
    public func end() {
        state.withLock { $0.isEnding = true }
        for _ in threads { work.signal() }
    }

    @discardableResult
    private func answerNext() -> Bool {
        guard let (question, network) = state.withLock({ $0.takeNext(perNetworkMax: perNetworkMax) }) else {
            return false
        }
        let answer = answer(question)
        let (clients, isMoreWaiting) = state.withLock { ($0.finish(question, of: network), $0.line.count > 0) }
        // It may have been passed over.
        if perNetworkMax < .max, isMoreWaiting { work.signal() }
        for client in clients {
            client.replies.leave { $0.append(Reply(token: client.token, answer: answer)) }
        }
        return true
    }
}
