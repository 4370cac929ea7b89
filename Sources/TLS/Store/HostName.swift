// Which names may become part of a path. The name comes from an unknown client, so only what a host name needs is let
// through: nothing that leads out of the folder, and nothing that reads as one of our own folders (`_default`).

enum HostName {
    static let bytesMax = 253
    static let labelBytesMax = 63

    /// Lower case, digits, `-`, `_` and `.`; no empty label; not beginning with `_`, as our own folders do.
    static func isValid(_ name: Span<UInt8>) -> Bool {
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

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
