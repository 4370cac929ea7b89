// Watches directories. The kernel reports which name in which of them was written, created or removed. The caller decides which
// directories to watch and what the changes mean.

import CLinux
import Libc

/// An inotify instance. It watches each added directory, even after a rename, but not its subdirectories.
public struct Watch: ~Copyable, Sendable {
    public let descriptor: Descriptor

    /// A change of a name.
    public struct Event: Hashable, Sendable {
        /// The number that `add` returned for the directory; -1 when events were lost.
        public let directory: Int32
        /// Empty when it is about the directory itself.
        public let name: String
        let mask: UInt32

        public var isFolder: Bool { mask & UInt32(IN_ISDIR) != 0 }
        /// The name was created; its content may not be written yet.
        public var isCreation: Bool { mask & UInt32(IN_CREATE) != 0 }
        /// The name was created, or moved here.
        public var isArrival: Bool { mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 }
        /// The name was deleted, or moved away.
        public var isRemoval: Bool { mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 }
        /// The directory is no longer watched: it was removed.
        public var isEnd: Bool { mask & UInt32(IN_IGNORED) != 0 }
        /// The directory itself was moved, with everything in it.
        public var isMoveOfDirectory: Bool { mask & UInt32(IN_MOVE_SELF) != 0 }
        /// The kernel's queue overflowed: events were lost.
        public var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
    }

    /// The error of `add` when the system allows no more directories.
    public static let full = SystemError(call: "inotify_add_watch", number: ENOSPC)

    public init() throws(SystemError) {
        descriptor = try Descriptor(inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)), of: "inotify_init1")
    }

    /// Watches a directory, with links followed, and returns its number, which is the same if it was added before. Writing is
    /// reported when the writer closes the file, so that it is complete. The corresponding C function is
    /// `inotify_add_watch`.
    public func add(_ path: String) throws(SystemError) -> Int32 {
        let mask =
            IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_MOVE_SELF
            | Int32(IN_ONLYDIR)
        let number = unsafe inotify_add_watch(descriptor.number, path, UInt32(bitPattern: mask))
        guard number >= 0 else { throw .last("inotify_add_watch") }
        return number
    }

    /// Stops watching a directory, which may have been removed already.
    public func remove(_ directory: Int32) { _ = inotify_rm_watch(descriptor.number, directory) }

    /// The next events, equal ones once. Does not wait, and does not go on for as long as others make changes: while there are more, the
    /// descriptor stays readable.
    public func takeEvents() -> [Event] {
        var events: [Event] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: Watch.bytesMax, alignment: 8) { buffer in
            let count = retrying { unsafe Libc.read(descriptor.number, buffer.baseAddress, buffer.count) }
            if count > 0 { unsafe Watch.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: &events) }
        }
        var known: Set<Event> = []
        return events.filter { known.insert($0).inserted }
    }

    /// Some thousand events.
    static let bytesMax = 65_536

    private static func append(_ bytes: UnsafeRawBufferPointer, to events: inout [Event]) {
        let headBytes = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headBytes <= bytes.count {
            let head = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let name = unsafe bytes[offset + headBytes..<offset + headBytes + Int(head.len)].prefix { $0 != 0 }
            unsafe events.append(
                Event(directory: head.wd, name: String(decoding: name, as: UTF8.self), mask: head.mask))
            offset += headBytes + Int(head.len)
        }
    }
}
