// What a scripted server was asked.

import Synchronization

/// The heads of requests, in the order in which they came.
final class HeardHeads: Sendable {
    private let heads = Mutex<[String]>([])

    func add(_ head: String) { heads.withLock { $0.append(head) } }

    var all: [String] { heads.withLock { $0 } }
}
