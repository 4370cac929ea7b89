// How long looks at the disk take. The thread that looks cannot say it while a file system hangs, so each look is noted here, where
// the admin listener finds it, and a thread that never goes to the disk says it in the log.

import Posix
import Synchronization

final class DiskLooks: Sendable {
    enum Looker {
        /// The thread that waits for changes: at `server.json`.
        case control
        /// The one that does its work: at everything.
        case round
    }

    private let configPath: String
    /// When each look that has not come to its end began.
    private let begun = Mutex<[Looker: Int64]>([:])

    private static let slowMilliseconds: Int64 = 10_000
    private static let tickMilliseconds: Int32 = 1_000

    init(configPath: String) { self.configPath = configPath }

    func look<Result>(_ looker: Looker, _ body: () -> Result) -> Result {
        begun.withLock { $0[looker] = Clock.monotonicMilliseconds() }
        defer { begun.withLock { $0[looker] = nil } }
        return body()
    }

    /// What to say about looks that take too long; nil as a rule.
    var complaint: String? {
        guard let first = begun.withLock({ $0.values.min() }) else { return nil }
        let milliseconds = Clock.monotonicMilliseconds() - first
        if milliseconds < DiskLooks.slowMilliseconds { return nil }
        return "looking at \(configPath) has taken \(milliseconds / 1_000) seconds; is its file system hanging?"
    }

    /// Starts the thread that says so, once each time. It ends with the process.
    func watch() throws(SystemError) {
        let thread = try Thread(name: "lookout", owning: WakeUp()) { [self] never in
            var isSaid = false
            while true {
                _ = never.wait(milliseconds: DiskLooks.tickMilliseconds)
                let slow = self.complaint
                if let slow, !isSaid { Log.warning(slow) }
                isSaid = slow != nil
            }
        }
        thread.detach()
    }
}
