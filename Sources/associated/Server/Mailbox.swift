// What one thread leaves for another, merged until that takes it. Neither waits for the other.

import Posix
import Synchronization

final class Mailbox<Content: Sendable>: Sendable {
    private let content: Mutex<Content>
    private let empty: Content
    private let hasContent: WakeUp

    init(_ empty: Content) throws(SystemError) {
        content = Mutex(empty)
        self.empty = empty
        hasContent = try WakeUp()
    }

    /// Readable when something was left.
    var descriptor: Int32 { hasContent.descriptor.number }

    func leave(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        hasContent.wake()
    }

    func take() -> Content {
        hasContent.clear()
        return content.withLock { content in
            defer { content = empty }
            return content
        }
    }

    /// Waits until something is left, or for a while; below 0 without an end.
    func wait(milliseconds: Int32) { _ = hasContent.wait(milliseconds: milliseconds) }
}
