// A thread with a name, to be joined. The data plane needs no more than this; there is no pool and no queue.

import CLinux
import Glibc

/// A running thread. Joined by its owner, which must do so.
public struct Thread: ~Copyable, Sendable {
    private let handle: pthread_t

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread. `name` is what `top -H` shows; the kernel keeps 15 bytes of it.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var handle = pthread_t()
        let result = unsafe pthread_create(
            &handle, nil,
            { argument in
                let start = unsafe Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                _ = unsafe associated_name_thread(start.name)
                refuseBrokenPipeSignal()
                start.body()
                return nil
            }, unsafe start.toOpaque())
        guard result == 0 else {
            unsafe start.release()
            throw SystemError(call: "pthread_create", number: result)
        }
        self.handle = handle
    }

    /// Starts a thread that has a value to itself, at one address, until its work ends; with it the value does.
    public init<Value: ~Copyable>(
        name: String, owning value: consuming Value, _ body: @escaping @Sendable (inout Value) -> Void
    ) throws(SystemError) {
        let possession = Possession(value)
        try self.init(name: name) { unsafe body(&possession.place.pointee) }
    }

    /// A value on its way to its thread, because a closure cannot hold what cannot be copied.
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

    /// Waits for the thread's end.
    public consuming func join() {
        let result = pthread_join(handle, nil)
        precondition(result == 0, "a thread is joined once, by another")
    }

    /// Leaves the thread to itself: it ends when its work does, or with the process.
    public consuming func detach() {
        let result = pthread_detach(handle)
        precondition(result == 0, "a thread is joined or left alone, once")
    }

    /// Lets all other threads go first from here on. The corresponding C function is `setpriority`, which on Linux concerns one
    /// thread. False when that is refused.
    @discardableResult
    public static func stepBack() -> Bool {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Int32(lastPriority)) == 0
    }

    static let lastPriority: UInt32 = 19
}

/// How many processors this process may keep busy: those of its affinity mask, and no more than its control groups pay for. The
/// corresponding C function is `sched_getaffinity`.
public func processorCount() -> Int {
    max(1, min(Int(associated_processor_count()), Int(clamping: Int64(paidProcessors.rounded(.up)))))
}

/// Read once, when it is first asked for.
private let paidProcessors = min(1_000_000, ControlGroups().processors ?? 1_000_000)

/// A peer that has gone is an error of the call that writes to it (`EPIPE`), whatever the program does about the signal, which
/// would end it. The corresponding C function is `pthread_sigmask`.
private func refuseBrokenPipeSignal() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    let result = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    precondition(result == 0, "a thread may block a signal")
}

/// Counts what is to be done; whoever takes one waits until there is one. The corresponding C function is `eventfd`.
public struct Semaphore: ~Copyable, Sendable {
    private let descriptor: Descriptor

    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_SEMAPHORE))
        guard number >= 0 else { throw .last("eventfd") }
        descriptor = Descriptor(takingOwnershipOf: number)
    }

    /// Lets one waiter go on, now or later.
    public func signal() {
        let result = eventfd_write(descriptor.number, 1)
        precondition(result == 0, "a semaphore takes as many signals as there is memory for work")
    }

    public func wait() {
        var count: eventfd_t = 0
        while unsafe eventfd_read(descriptor.number, &count) != 0 {
            precondition(errno == EINTR, "a semaphore is read through its own descriptor")
        }
    }
}

/// A descriptor that becomes readable when someone calls `wake`. The corresponding C function is `eventfd`.
public struct WakeUp: ~Copyable, Sendable {
    public let descriptor: Descriptor

    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else { throw .last("eventfd") }
        descriptor = Descriptor(takingOwnershipOf: number)
    }

    public func wake() {
        // EAGAIN means that the counter is at its maximum, so the sleeper is being woken already.
        var one: eventfd_t = 1
        _ = unsafe write(descriptor.number, &one, MemoryLayout<eventfd_t>.size)
    }

    /// Waits until somebody has called `wake`, and says whether that has happened in time.
    /// The corresponding C function is `poll`.
    public func wait(milliseconds: Int32) -> Bool {
        var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, milliseconds) == 1
    }

    /// Makes the descriptor unreadable again.
    public func clear() {
        var count: eventfd_t = 0
        _ = unsafe read(descriptor.number, &count, MemoryLayout<eventfd_t>.size)
    }
}
