// A named thread. The data plane needs no more than this; there is no pool and no queue.

import CPosix
import Libc
public import Synchronization

/// A running thread. Its owner must join or detach it.
public struct Thread: ~Copyable, Sendable {
    private let handle: UInt

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
    }

    /// A limit of data (`ulimit -d`) counts the whole of each stack, whether it is used or not. Nothing here recurses deeply.
    private static let stackBytes = 1 << 20

    /// Starts a thread. `top -H` shows its `name`, of which the kernel stores 15 bytes.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var handle: UInt = 0
        let result = unsafe associated_start_thread(
            &handle, Thread.stackBytes,
            { argument in
                Thread.run(unsafe Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue())
                // Threads that read many files leave much behind.
                associated_trim_arena()
                return nil
            }, unsafe start.toOpaque())
        guard result == 0 else {
            unsafe start.release()
            throw SystemError(call: "pthread_create", number: result)
        }
        self.handle = handle
    }

    private static func run(_ start: consuming Start) {
        _ = unsafe associated_name_thread(start.name)
        refuseBrokenPipeSignal()
        start.body()
    }

    /// Starts a thread that owns a value at a fixed address. The value is destroyed when the thread's work ends.
    public init<Value: ~Copyable>(
        name: String, owning value: consuming Value, _ body: @escaping @Sendable (inout Value) -> Void
    ) throws(SystemError) {
        let possession = Possession(value)
        try self.init(name: name) { unsafe body(&possession.place.pointee) }
    }

    /// Holds the value on its way to the thread, because a closure cannot capture a noncopyable value.
    @safe private final class Possession<Value: ~Copyable>: @unchecked Sendable {
        let place: UnsafeMutablePointer<Value>

        init(_ value: consuming Value) {
            unsafe place = .allocate(capacity: 1)
            unsafe place.initialize(to: value)
        }

        deinit {
            unsafe place.deinitialize(count: 1)
            unsafe place.deallocate()
        }
    }

    /// Waits until the thread has ended.
    public consuming func join() {
        let result = associated_join_thread(handle)
        precondition(result == 0, "a thread is joined once, by another")
    }

    /// Lets the thread run without an owner, until its work or the process ends.
    public consuming func detach() {
        let result = associated_detach_thread(handle)
        precondition(result == 0, "a thread is joined or detached once")
    }

    /// Names the calling thread. The name of the first thread is that of the process in `ps -e` and `top`. The corresponding C
    /// function is `pthread_setname_np`.
    public static func nameCurrent(_ name: String) { _ = unsafe associated_name_thread(name) }

    /// Gives the calling thread the lowest priority. The corresponding C function is `setpriority`, which on Linux affects one
    /// thread. False when the kernel refuses it.
    @discardableResult
    public static func lowerPriority() -> Bool { associated_lower_priority(lastPriority) == 0 }

    static let lastPriority: Int32 = 19

    /// Lets other threads run first. A thread of the lowest priority is not interrupted at once when another one becomes ready. The
    /// corresponding C function is `sched_yield`.
    public static func yield() { _ = sched_yield() }
}

/// How many processors this process may use: those of its affinity mask, but no more than its control groups allow. The
/// corresponding C function is `sched_getaffinity`.
public func processorCount() -> Int {
    max(1, min(Int(associated_processor_count()), Int(clamping: Int64(allowedProcessors.rounded(.up)))))
}

/// The limit of the control groups, read at the first use.
private let allowedProcessors = min(1_000_000, ControlGroups().processors ?? 1_000_000)

/// Blocks SIGPIPE, which would end the process: writing to a closed connection then fails with `EPIPE`. The corresponding C
/// function is `pthread_sigmask`.
private func refuseBrokenPipeSignal() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    let result = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    precondition(result == 0, "a thread may block a signal")
}

/// A descriptor that becomes readable when `wake` is called. The corresponding C functions are `eventfd` and `kqueue`.
public struct WakeUp: ~Copyable, Sendable {
    public let descriptor: Descriptor

    public init() throws(SystemError) {
        descriptor = try Descriptor(associated_make_event(), of: "eventfd")
    }

    public func wake() { associated_signal_event(descriptor.number) }

    /// Waits for a call of `wake`; false when the time is up. The corresponding C function is `poll`.
    public func wait(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, milliseconds) == 1
    }

    /// Makes the descriptor unreadable again.
    public func clear() { associated_clear_event(descriptor.number) }
}

extension Mutex where Value: Sendable {
    /// Puts a value in the place of the present one, which is returned.
    public func exchange(_ value: Value) -> Value {
        withLock { present in
            defer { present = value }
            return present
        }
    }
}

/// Messages from one thread to another, merged until they are taken. Neither thread waits for the other.
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
        return content.exchange(empty)
    }

    /// Waits for a message, at most this long; forever if negative.
    public func wait(milliseconds: Int32) { _ = hasContent.wait(milliseconds: milliseconds) }
}

/// A running thread that another thread than its starter may join.
public final class ThreadHandle: Sendable {
    private let thread: Mutex<Thread?>

    public init(_ thread: consuming Thread) { self.thread = Mutex(consume thread) }

    /// Waits until the thread has ended. A second call does nothing.
    public func join() {
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }
}
