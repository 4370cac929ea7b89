// Finds the sockets that listen on an address. Sockets of several processes may share one (SO_REUSEPORT) without knowing of each
// other; the kernel's table, /proc/net/tcp, has a line for each. Listening sockets come first in it, before the connections.

import CLinux
import Libc

public enum ListeningSockets {
    /// Four hundred thousand sockets.
    private static let bytesMax = 64 * 1024 * 1024
    private static let isListening: Substring = "0A"

    /// The inodes of the sockets of all processes that listen on exactly this address; nil if the kernel does not say.
    static func inodes(at address: SocketAddress) -> Set<UInt64>? {
        guard let name = name(of: address),
            let table = try? File.read(address.isIPv6 ? "/proc/net/tcp6" : "/proc/net/tcp", bytesMax: bytesMax)
        else { return nil }
        // The first line names the columns.
        let lines = String(decoding: table.bytes, as: UTF8.self).split(separator: "\n").dropFirst()
        let listening = lines.lazy.map { $0.split(separator: " ") }.prefix { $0.count > 9 && $0[3] == isListening }
        return Set(listening.filter { $0[1] == name }.compactMap { UInt64($0[9]) })
    }

    /// A process that listens on exactly this address, if this user may see its descriptors.
    public static func process(at address: SocketAddress) -> Int32? {
        guard let inodes = inodes(at: address), let processes = try? Directory.entries("/proc") else { return nil }
        let targets = Set(inodes.map { "socket:[\($0)]" })
        return processes.lazy.compactMap { Int32($0.name) }.first { process in
            let folder = "/proc/\(process)/fd"
            return (try? Directory.entries(folder))?.contains {
                File.linkTarget("\(folder)/\($0.name)").map(targets.contains) ?? false
            } ?? false
        }
    }

    /// An address as the table writes it: the 32-bit words of the address in host byte order, and the port.
    static func name(of address: SocketAddress) -> String? {
        if address.isUnix { return nil }
        var text = unsafe withUnsafeBytes(of: address.storage) { raw in
            stride(from: address.isIPv6 ? 8 : 4, to: address.isIPv6 ? 24 : 8, by: 4)
                .map { unsafe hexadecimal(raw.loadUnaligned(fromByteOffset: $0, as: UInt32.self), digits: 8) }.joined()
        }
        text += ":" + hexadecimal(UInt32(address.port), digits: 4)
        return text
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
