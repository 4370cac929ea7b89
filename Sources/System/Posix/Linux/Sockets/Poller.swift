// One epoll instance, level-triggered (edge-triggered was not faster when it was measured). Each registration has a 64-bit token,
// whose meaning the caller decides.

import CLinux
import Libc

/// Waits for many descriptors at once.
@safe public struct Poller: ~Copyable {
    private let descriptor: Descriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// What to wait for.
    public struct Interest: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let readable = Interest(rawValue: EPOLLIN.rawValue)
        public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The end of the stream or an error, but no bytes.
        public static let end = Interest(rawValue: EPOLLRDHUP.rawValue)
        /// For a descriptor that is in several pollers.
        static let shared = Interest(rawValue: EPOLLEXCLUSIVE.rawValue)
    }

    /// An event of a descriptor.
    public struct Event: Sendable {
        public let token: UInt64
        let flags: UInt32

        /// There may be bytes, the end of the stream or an error to read.
        public var isReadable: Bool { flags & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
        public var isEnd: Bool { flags & (EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
        public var isWritable: Bool { flags & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    }

    /// Throws when the process has no descriptors left.
    public init(eventsMax: Int = 512) throws(SystemError) {
        descriptor = try Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), of: "epoll_create1")
        unsafe events = .allocate(capacity: eventsMax)
    }

    deinit { unsafe events.deallocate() }

    /// False when the kernel has no memory for another descriptor, or this user's limit is reached
    /// (/proc/sys/fs/epoll/max_user_watches).
    @discardableResult
    public func add(_ fd: Int32, _ interest: Interest, token: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, fd, interest, token)
    }

    /// The same for a listener: when several workers wait for one socket, a connection wakes one of them instead of all
    /// (epoll_ctl(2), `EPOLLEXCLUSIVE`).
    public func addListener(_ fd: Int32, token: UInt64) -> Bool {
        control(EPOLL_CTL_ADD, fd, [.readable, .shared], token)
    }

    public func change(_ fd: Int32, _ interest: Interest, token: UInt64) {
        let isChanged = control(EPOLL_CTL_MOD, fd, interest, token)
        precondition(isChanged, "changing a registration needs no memory")
    }

    /// Only for descriptors that stay open: closing one removes it.
    public func remove(_ fd: Int32) {
        let isRemoved = control(EPOLL_CTL_DEL, fd, [], 0)
        precondition(isRemoved, "removing a registration needs no memory")
    }

    /// Waits for events until the time is up, and returns their number.
    public func wait(milliseconds: Int32) -> Int {
        let count = unsafe epoll_wait(descriptor.number, events.baseAddress, Int32(events.count), milliseconds)
        if count >= 0 { return Int(count) }
        precondition(errno == EINTR, "epoll_wait is given its own descriptor and buffer")
        return 0
    }

    public func event(_ index: Int) -> Event {
        let event = unsafe events[index]
        return unsafe Event(token: event.data.u64, flags: event.events)
    }

    private func control(_ operation: Int32, _ fd: Int32, _ interest: Interest, _ token: UInt64) -> Bool {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        let result = unsafe epoll_ctl(descriptor.number, operation, fd, &event)
        precondition(result == 0 || errno == ENOMEM || errno == ENOSPC, "epoll_ctl is given a descriptor it knows")
        return result == 0
    }
}
