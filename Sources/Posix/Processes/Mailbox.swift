// Messages from one thread to another, merged until they are taken. Neither thread waits for the other.

import Synchronization

/// Content that one thread changes and another takes.
public final class Mailbox<Content: Sendable>: Sendable {
    private let content: Mutex<Content>
    private let empty: Content
    private let hasContent: WakeUp

    public init(_ empty: Content) throws(SystemError) {
        content = Mutex(empty)
        self.empty = empty
        hasContent = try WakeUp()
    }

    /// Readable when there is a message.
    public var descriptor: Int32 { hasContent.descriptor.number }

    public func leave(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        hasContent.wake()
    }

    public func take() -> Content {
        hasContent.clear()
        return content.withLock { content in
            defer { content = empty }
            return content
        }
    }

    /// Waits for a message, at most this long; forever if negative.
    public func wait(milliseconds: Int32) { _ = hasContent.wait(milliseconds: milliseconds) }
}
