// What this process takes of the machine, as the kernel counts it. The files under /proc are opened once, so that a process
// that may open nothing any more can still say.

import CLinux
import Glibc

/// The process's own figures. For several threads.
public final class ProcessUsage: Sendable {
    private let statm: Opened?
    private let descriptors: Opened?
    /// Seconds since 1970; nil where the kernel does not tell.
    public let startSeconds: Double?

    private final class Opened: Sendable {
        let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    public init() {
        statm = ProcessUsage.open("/proc/self/statm", O_RDONLY)
        descriptors = ProcessUsage.open("/proc/self/fd", O_RDONLY | O_DIRECTORY)
        startSeconds = ProcessUsage.start()
    }

    private static func open(_ path: String, _ flags: Int32) -> Opened? {
        let number = associated_open(path, flags, 0)
        return number < 0 ? nil : Opened(Descriptor(takingOwnershipOf: number))
    }

    /// Bytes of memory: the whole address space, and what of it is in the machine's memory.
    public var memoryBytes: (virtual: Int, resident: Int)? {
        guard let statm = statm?.descriptor.number else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { pread(statm, $0.baseAddress, $0.count, 0) }
        let fields = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        guard fields.count > 2, let virtual = Int(fields[0]), let resident = Int(fields[1]) else { return nil }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        return (virtual * page, resident * page)
    }

    /// Seconds of processor time that all threads have taken. The corresponding C function is `getrusage`.
    public var processorSeconds: Double {
        var usage = rusage()
        let result = getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        precondition(result == 0, "a process may ask what it has used")
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    /// How many descriptors are open.
    public var descriptorCount: Int? {
        guard let own = descriptors?.descriptor.number else { return nil }
        let copy = associated_duplicate(own)
        guard copy >= 0 else { return nil }
        guard let stream = fdopendir(copy) else {
            closeDescriptor(copy)
            return nil
        }
        defer { closedir(stream) }
        rewinddir(stream)
        var count = 0
        while let entry = readdir(stream) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        // The copy that the list was read through is among them.
        return count - 1
    }

    /// The kernel counts from when the machine was started (proc(5), field 22 of stat).
    private static func start() -> Double? {
        guard let text = try? File.read("/proc/self/stat", bytesMax: 4_096).bytes,
            let machine = try? File.read("/proc/stat", bytesMax: 4_194_304).bytes
        else { return nil }
        // The name of the program may have spaces and parentheses in it; the last one ends it.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: text[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        let line = String(decoding: machine, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard let line, let boot = Double(line.dropFirst(6)) else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
