// Directories under observation. The kernel says which name in which of them was written to, came or went; what that means,
// and which directories are worth watching, is the caller's business.

import CLinux
import Glibc

/// An inotify instance. Each directory is watched on its own, whatever its name becomes; what is below it is not.
public struct Watch: ~Copyable, Sendable {
    public let descriptor: Descriptor
    private let directoriesMax: Int32

    /// What happened to a name.
    public struct Event: Sendable {
        /// The directory, by the number that `add` gave; -1 when events were lost.
        public let directory: Int32
        /// Empty when it is about the directory itself.
        public let name: String
        let mask: UInt32

        public var isFolder: Bool { mask & UInt32(IN_ISDIR) != 0 }
        /// The name is new, and its content may be still to come.
        public var isCreation: Bool { mask & UInt32(IN_CREATE) != 0 }
        /// Something new has this name: it was made, or moved here.
        public var isArrival: Bool { mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 }
        /// What had this name is gone, or was moved away.
        public var isRemoval: Bool { mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 }
        /// The directory is no longer watched: it was removed.
        public var isEnd: Bool { mask & UInt32(IN_IGNORED) != 0 }
        /// Somebody moved the directory, with everything in it, to another name.
        public var isMoveOfDirectory: Bool { mask & UInt32(IN_MOVE_SELF) != 0 }
        /// There were more events than the kernel keeps: anything may have happened.
        public var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
    }

    /// - Parameter directoriesMax: how many directories may be watched, where that is less than the system allows.
    public init(directoriesMax: Int32 = .max) throws(SystemError) {
        self.directoriesMax = directoriesMax
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { throw .last("inotify_init1") }
        descriptor = Descriptor(takingOwnershipOf: number)
    }

    /// Watches a directory, links followed. The same directory has the same number, however often it is added. Writing is
    /// told when the writer closes the file: nobody wants to read half of it.
    /// The corresponding C function is `inotify_add_watch`.
    public func add(_ path: String) throws(SystemError) -> Int32 {
        let mask =
            IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_MOVE_SELF
            | Int32(IN_ONLYDIR)
        let number = unsafe inotify_add_watch(descriptor.number, path, UInt32(bitPattern: mask))
        guard number >= 0 else { throw .last("inotify_add_watch") }
        // They are numbered from 1 on.
        guard number <= directoriesMax else {
            remove(number)
            throw SystemError(call: "inotify_add_watch", number: ENOSPC)
        }
        return number
    }

    /// Lets go of a directory, which may have ended by itself already.
    public func remove(_ directory: Int32) { _ = inotify_rm_watch(descriptor.number, directory) }

    /// What has happened since the last call, without waiting for more.
    public func take() -> [Event] {
        var events: [Event] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 8) { buffer in
            while true {
                let count = retrying { unsafe Glibc.read(descriptor.number, buffer.baseAddress, buffer.count) }
                if count <= 0 { return }
                unsafe Watch.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: &events)
            }
        }
        return events
    }

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
