// Signals as events. They are blocked in every thread, and one thread reads them from a descriptor, so that no handler
// interrupts other code.

import CLinux
import Libc

/// A descriptor from which blocked signals are read. The corresponding C function is `signalfd`.
public struct Signals: ~Copyable {
    public let descriptor: Descriptor

    /// Blocks the signals in the calling thread and in those that it starts later. To be called before any thread is started.
    public init(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        let result = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        guard result == 0 else { throw SystemError(call: "pthread_sigmask", number: result) }
        descriptor = try unsafe Descriptor(signalfd(-1, &set, Int32(SFD_CLOEXEC)), of: "signalfd")
    }

    /// Waits for the next signal; nil when the time is up. The corresponding C function is `poll`.
    public func next(timeoutMilliseconds: Int32) -> Int32? {
        var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&watched, 1, timeoutMilliseconds)
        return count == 1 ? next() : nil
    }

    public func next() -> Int32 {
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        let fd = descriptor.number
        let count = retrying { unsafe read(fd, &information, size) }
        precondition(count == size, "a signal is read whole")
        return Int32(information.ssi_signo)
    }
}
