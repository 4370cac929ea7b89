// Slow work on another thread, for a thread that must not wait for a disk.

/// Runs one job at a time. Used by one thread.
public final class Background {
    private let isDone: WakeUp
    private var thread: Thread?

    public init() throws(SystemError) { isDone = try WakeUp() }

    public var descriptor: Int32 { isDone.descriptor.number }

    public var isBusy: Bool { thread != nil }

    /// Starts a job; none may be running. If no thread can be started, the job runs at once.
    public func start(_ work: @escaping @Sendable () -> Void) {
        precondition(!isBusy, "one piece of work at a time")
        do {
            thread = try Thread(name: "control work") { [self] in
                work()
                isDone.wake()
            }
        } catch {
            work()
            isDone.wake()
        }
    }

    /// Call it when the descriptor is readable.
    public func finish() {
        isDone.clear()
        if let thread = thread.take() { thread.join() }
    }

    /// Waits for the job at most this long, and returns whether it is done.
    public func wait(milliseconds: Int32) -> Bool {
        guard isDone.wait(milliseconds: milliseconds) else { return false }
        finish()
        return true
    }
}

extension Background: @unchecked Sendable {}

/// Holds the result of a job for the thread that joins it.
public final class JobResult<Value>: @unchecked Sendable {
    public var value: Value?

    public init() {}
}
