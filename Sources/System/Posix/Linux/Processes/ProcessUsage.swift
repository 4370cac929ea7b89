// The resources that this process uses, as the kernel counts them. The files in /proc are opened once, before the sandbox
// forbids it.

import CLinux
import CPosix
import Libc
import Synchronization

/// The process's resource figures. Thread-safe.
public final class ProcessUsage: Sendable {
    private let statm: Int32?
    private let descriptors: Int32?
    /// A list of descriptors has one position, which all its readers share.
    private let counting = Mutex(())
    /// When the process was started, in seconds since 1970; nil if the kernel does not say.
    public let startSeconds: Double?

    public init() {
        statm = try? Descriptor.open("/proc/self/statm", O_RDONLY).release()
        descriptors = try? Descriptor.open("/proc/self/fd", O_RDONLY | O_DIRECTORY).release()
        startSeconds = ProcessUsage.start()
    }

    deinit { for number in [statm, descriptors].compactMap(\.self) { closeDescriptor(number) } }

    /// Bytes of the whole address space, and the bytes that are in physical memory.
    public var memoryBytes: (virtual: Int, resident: Int)? {
        guard let statm else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe pread(statm, $0.baseAddress, $0.count, 0) }
        let fields = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        guard fields.count > 2, let virtual = Int(fields[0]), let resident = Int(fields[1]) else { return nil }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        return (virtual * page, resident * page)
    }

    /// Seconds of processor time that all threads have used. The corresponding C function is `getrusage`.
    public var processorSeconds: Double {
        var usage = rusage()
        let result = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        precondition(result == 0, "a process may ask what it has used")
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    /// The number of open descriptors.
    public var descriptorCount: Int? {
        guard let descriptors else { return nil }
        return counting.withLock { _ in ProcessUsage.count(descriptors) }
    }

    private static func count(_ descriptors: Int32) -> Int? {
        let copy = associated_duplicate(descriptors)
        guard copy >= 0 else { return nil }
        guard let stream = unsafe fdopendir(copy) else {
            closeDescriptor(copy)
            return nil
        }
        defer { unsafe closedir(stream) }
        unsafe rewinddir(stream)
        var count = 0
        while let entry = unsafe readdir(stream) {
            if unsafe entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        // Without the copy that was used to read the list.
        return count - 1
    }

    /// The kernel states it in ticks since the machine was started (proc(5), field 22 of stat).
    private static func start() -> Double? {
        guard let text = try? File.read("/proc/self/stat", bytesMax: 4_096).bytes,
            let machine = try? File.read("/proc/stat", bytesMax: 4_194_304).bytes
        else { return nil }
        // The program's name may contain spaces and parentheses; the last parenthesis ends it.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = String(decoding: text[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        let line = String(decoding: machine, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("btime ") }
        guard let line, let boot = Double(line.dropFirst(6)) else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// The machine that this process runs on.
public enum HostMachine {
    /// Its name; in a container, the container's. The corresponding C function is `gethostname`.
    public static var name: String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe gethostname(bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count - 1)
        }
        guard result == 0 else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
}
