// What the control groups (cgroups) of this process leave it of memory and of processor time, in both versions of the kernel's
// interface. A group has no more than the groups above it, so all of them are asked. In a container the path that /proc names
// may not exist; the container's own group is then the one at the top.

/// The limits of the groups that a process is in. To be asked before the process gives up its files.
public struct ControlGroups {
    /// Where the files of the process's own groups are, by controller; "" is for version 2, which has all of them in one place.
    private var folders: [(controller: Substring, path: Substring)] = []
    private let read: (String) -> String?

    private static let root = "/sys/fs/cgroup"
    /// Version 1 says "no limit" with the largest number of whole pages.
    private static let unlimitedBytes = 1 << 60

    public init() {
        self.init { path in
            (try? File.read(path, bytesMax: 65_536)).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }

    /// - Parameter read: gives the text of a file; nil where there is none.
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

    /// The least memory that one of the groups may use, in bytes; nil without a limit.
    public var memoryBytes: Int? {
        let texts =
            texts("", "memory.max") + texts("", "memory.high") + texts("memory", "memory.limit_in_bytes")
        return texts.compactMap { Int($0) }.filter { $0 < ControlGroups.unlimitedBytes }.min()
    }

    /// The least processor time that one of the groups may use, in processors; nil without a limit.
    public var processors: Double? {
        let unified = texts("", "cpu.max").map { $0.split(separator: " ") }
        let separate = zip(texts("cpu", "cpu.cfs_quota_us"), texts("cpu", "cpu.cfs_period_us")).map { [$0, $1] }
        return (unified + separate).compactMap { pair in
            guard pair.count == 2, let quota = Double(pair[0]), let period = Double(pair[1]) else { return nil }
            return quota > 0 && period > 0 ? quota / period : nil
        }.min()
    }

    /// What a file says in the process's own group and in each group above it.
    private func texts(_ controller: Substring, _ name: String) -> [Substring] {
        var texts: [Substring] = []
        for folder in folders where folder.controller == controller {
            let top = controller.isEmpty ? ControlGroups.root : "\(ControlGroups.root)/\(controller)"
            var path = folder.path
            while true {
                while path.last == "/" { path = path.dropLast() }
                if let text = read("\(top)\(path)/\(name)") { texts += text.split(separator: "\n").prefix(1) }
                guard let slash = path.lastIndex(of: "/") else { break }
                path = path[..<slash]
            }
        }
        return texts
    }
}
