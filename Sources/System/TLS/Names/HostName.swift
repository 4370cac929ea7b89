// Host names as bytes, as clients send them in the first message of a handshake: which ones are valid, and which wildcards cover
// them.

public enum HostName {
    static let bytesMax = 253
    static let labelBytesMax = 63

    /// Lower case, digits, `-`, `_` and `.`; no empty label; not beginning with `_`, like the special folders.
    public static func isValid(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0, name.count <= bytesMax, name[0] != UInt8(ascii: "_") else { return false }
        var labelBytes = 0
        for index in name.indices {
            let byte = name[index]
            if byte == UInt8(ascii: ".") {
                if labelBytes == 0 { return false }
                labelBytes = 0
                continue
            }
            guard isAllowed(byte) else { return false }
            labelBytes += 1
            if labelBytes > labelBytesMax { return false }
        }
        return labelBytes > 0
    }

    /// With a secret of the process, so that clients cannot choose names that collide.
    public static func hash(_ name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// The wildcards that cover a host, or another wildcard, the most specific first.
    public static func wildcards(over host: String) -> [String] {
        let labels = host.split(separator: ".")
        return labels.indices.dropFirst().map { "*." + labels[$0...].joined(separator: ".") }
            .filter { $0 != host }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
