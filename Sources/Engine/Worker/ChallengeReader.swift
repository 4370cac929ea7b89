// Answers challenges of certificate authorities (RFC 8555 §8.3). The files exist only for seconds, so they are not in the
// catalogue: a request waits until its file has been read. A thread of its own reads it, so that neither workers nor the reading
// of certificates wait for it.
//
// Any client can ask for tokens that do not exist. Each network may have only a small share of the waiting requests, so it cannot
// lock an authority out. When several connections ask for the same host and token, the file is read once.

import HTTP
import Posix
import Synchronization
import TLS

/// The result for a waiting request.
struct ChallengeAnswer: Sendable {
    /// The worker's token of the connection.
    let token: UInt64
    /// Nil if there is no file.
    let bytes: [UInt8]?
}

/// The queue and its thread.
final class ChallengeReader: Sendable {
    private let find: EngineSettings.ChallengeSource
    private let work: Semaphore
    private let state = Mutex(State())

    /// Waiting requests of all clients, and of one IPv4 address or IPv6 /64.
    static let waitingMax = 1_024
    static let waitingPerNetworkMax = 64
    private static let prefix: StaticString = "/.well-known/acme-challenge/"
    /// A token has at least 128 bits (RFC 8555 §8.3), so 22 characters; authorities use 43. A short one is a word that a client made
    /// up, and the thumbprint would be appended to it.
    private static let tokenBytes = 16...128

    /// A host and a token.
    private struct Question: Equatable {
        let host: [UInt8]
        let token: [UInt8]
    }

    private struct Waiter {
        let question: Question
        let answers: Mailbox<[ChallengeAnswer]>
        let token: UInt64
        let network: UInt64?
    }

    private struct State {
        /// The queue, newest first.
        var questions: [Question] = []
        /// The waiting requests, also while the file is read.
        var waiters: [Waiter] = []
        var isEnding = false
    }

    init(_ find: @escaping EngineSettings.ChallengeSource) throws(SystemError) {
        self.find = find
        work = try Semaphore()
        // Never joined: it may wait for the disk.
        try Thread(name: "challenges") { [self] in run() }.detach()
    }

    /// The token of a challenge's path; nil for every other path.
    static func token(of path: Span<UInt8>) -> Range<Int>? {
        let count = prefix.utf8CodeUnitCount
        guard tokenBytes.contains(path.count - count), path.hasPrefix(prefix) else { return nil }
        // RFC 8555 §8.3: the base64url alphabet, which has neither a dot nor a slash.
        for index in count..<path.count where !Base64URL.isDigit(path[index]) { return nil }
        return count..<path.count
    }

    /// Queues a request. False when too many are waiting.
    func enqueue(
        _ host: Span<UInt8>, _ token: Span<UInt8>, of remote: RemoteAddress, for connection: UInt64,
        answering answers: Mailbox<[ChallengeAnswer]>
    ) -> Bool {
        let question = unsafe Question(
            host: host.withUnsafeBytes { unsafe $0.map { Octet.lowercased($0) } },
            token: unsafe token.withUnsafeBytes { unsafe Array($0) })
        let waiter = Waiter(question: question, answers: answers, token: connection, network: remote.networkKey)
        let isNew: Bool? = state.withLock { state in
            let ofNetwork = waiter.network.map { network in state.waiters.count { $0.network == network } } ?? 0
            if state.waiters.count == ChallengeReader.waitingMax { return nil }
            if ofNetwork == ChallengeReader.waitingPerNetworkMax { return nil }
            let isNew = !state.waiters.contains { $0.question == question }
            state.waiters.append(waiter)
            // There are few of them, and the oldest is taken from the end.
            if isNew { state.questions.insert(question, at: 0) }
            return isNew
        }
        if isNew == true { work.signal() }
        return isNew != nil
    }

    private func run() {
        while true {
            work.wait()
            let question = state.withLock { state in state.isEnding ? nil : state.questions.popLast() }
            guard let question else { return }
            let bytes = find(question.host, question.token)
            let waiters = state.withLock { state in
                let waiters = state.waiters.filter { $0.question == question }
                state.waiters.removeAll { $0.question == question }
                return waiters
            }
            for waiter in waiters {
                waiter.answers.leave { $0.append(ChallengeAnswer(token: waiter.token, bytes: bytes)) }
            }
        }
    }

    /// To be called when all workers have ended. Does not wait for the disk.
    func end() {
        state.withLock { $0.isEnding = true }
        work.signal()
    }
}
