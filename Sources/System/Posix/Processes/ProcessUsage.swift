// The resources that this process uses, as the kernel counts them. The files in /proc are opened once, before the sandbox
// forbids it.

import CLinux
import Glibc
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

public enum ProcessMemory {
    /// Keeps the memory, and with it private keys, out of core dumps, and hides it from debuggers and `/proc` of all users but
    /// root. A crash still ends the process with its signal, without a core dump. Programs started from here do not inherit
    /// it. The corresponding C function is `prctl` with `PR_SET_DUMPABLE`.
    public static func forbidDumps() throws(SystemError) {
        guard associated_prctl(PR_SET_DUMPABLE, 0, 0) == 0 else { throw .last("prctl") }
    }

    /// How many bytes this process may use: the least of the machine's memory, the limits of its control groups, and its own
    /// limits. To be read before the sandbox restricts files. The corresponding C functions are `sysconf` and `getrlimit`.
    public static var limitBytes: Int {
        let machine = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        let limits = [RLIMIT_AS, RLIMIT_DATA].map { Int(clamping: rlimit(of: $0).rlim_cur) }
        return min(machine, ControlGroups().memoryBytes ?? .max, limits[0], limits[1])
    }
}

// The limits of memory and processor time of this process's control groups (cgroups), in both versions of the kernel's
// interface. A group cannot use more than the groups above it, so all of them are read. In a container, the path in /proc may
// not exist; the container's own group is then at the root.

/// The limits of the groups that a process is in. To be read before the sandbox restricts files.
public struct ControlGroups {
    /// The folders of the process's own groups by controller; "" is for version 2, which has one folder for all controllers.
    private var folders: [(controller: Substring, path: Substring)] = []
    private let read: (String) -> String?

    private static let root = "/sys/fs/cgroup"
    /// In version 1, the largest number of whole pages means "no limit".
    private static let unlimitedBytes = 1 << 60

    public init() {
        self.init { path in
            (try? File.read(path, bytesMax: 65_536)).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }

    /// - Parameter read: returns the text of a file; nil if there is none.
    init(read: @escaping (String) -> String?) {
        self.read = read
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            for controller in fields[1].split(separator: ",", omittingEmptySubsequences: false) {
                folders.append((controller, fields[2]))
            }
        }
    }

    /// The lowest memory limit of the groups, in bytes; nil without a limit.
    public var memoryBytes: Int? {
        let texts =
            texts("", "memory.max") + texts("", "memory.high") + texts("memory", "memory.limit_in_bytes")
        return texts.compactMap { Int($0) }.filter { $0 < ControlGroups.unlimitedBytes }.min()
    }

    /// How many processes of the own group, and of those below it, the kernel has ended because memory ran out; nil if unknown.
    public var outOfMemoryKills: Int? {
        let lines = texts("", "memory.events", lineCount: .max) + texts("memory", "memory.oom_control", lineCount: .max)
        // That of the own group comes first.
        let line = lines.first { $0.hasPrefix("oom_kill ") }
        return line.flatMap { Int($0.dropFirst("oom_kill ".count)) }
    }

    /// The lowest processor limit of the groups, in processors; nil without a limit.
    public var processors: Double? {
        let unified = texts("", "cpu.max").map { $0.split(separator: " ") }
        let separate = zip(texts("cpu", "cpu.cfs_quota_us"), texts("cpu", "cpu.cfs_period_us")).map { [$0, $1] }
        return (unified + separate).compactMap { pair in
            guard pair.count == 2, let quota = Double(pair[0]), let period = Double(pair[1]) else { return nil }
            return quota > 0 && period > 0 ? quota / period : nil
        }.min()
    }

    /// The texts of a file in the process's own group and in each group above it.
    private func texts(_ controller: Substring, _ name: String, lineCount: Int = 1) -> [Substring] {
        var texts: [Substring] = []
        for folder in folders where folder.controller == controller {
            let top = controller.isEmpty ? ControlGroups.root : "\(ControlGroups.root)/\(controller)"
            var path = folder.path
            while true {
                while path.last == "/" { path = path.dropLast() }
                if let text = read("\(top)\(path)/\(name)") { texts += text.split(separator: "\n").prefix(lineCount) }
                guard let slash = path.lastIndex(of: "/") else { break }
                path = path[..<slash]
            }
        }
        return texts
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
