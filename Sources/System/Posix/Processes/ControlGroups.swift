// The limits of memory and processor time of this process's control groups (cgroups), in both versions of the kernel's
// interface. A group cannot use more than the groups above it, so all of them are read. In a container, the path in /proc may
// not exist; the container's own group is then at the root.

import CPosix

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

public enum ProcessMemory {
    /// Keeps the memory, and with it private keys, out of core dumps, and hides it from debuggers and `/proc` of all users but
    /// root. A crash still ends the process with its signal, without a core dump. Programs started from here do not inherit
    /// it. The corresponding C function is `prctl` with `PR_SET_DUMPABLE`.
    public static func forbidDumps() throws(SystemError) {
        guard associated_forbid_dumps() == 0 else { throw .last("prctl") }
    }

    /// How many bytes this process may use: the least of the machine's memory, the limits of its control groups, and its own
    /// limits. To be read before the sandbox restricts files. The corresponding C functions are `sysconf` and `getrlimit`.
    public static var limitBytes: Int {
        min(Int(clamping: associated_memory_limit()), ControlGroups().memoryBytes ?? .max)
    }
}
