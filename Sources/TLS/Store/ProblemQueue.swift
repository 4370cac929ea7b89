// Problems on their way to the log. Workers find them in the middle of a handshake and must not wait or write; whoever logs
// fetches them. A problem that waits already is not queued twice.

import Synchronization

/// A bounded queue of problems, for several threads.
final class ProblemQueue: Sendable {
    private let countMax: Int
    private let waiting = Mutex<[CertificateProblem]>([])

    init(countMax: Int) { self.countMax = countMax }

    func add(_ problems: [CertificateProblem]) {
        if problems.isEmpty { return }
        waiting.withLock { waiting in
            for problem in problems where waiting.count < countMax && !waiting.contains(problem) {
                waiting.append(problem)
            }
        }
    }

    func drain() -> [CertificateProblem] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
