// Percent-encoding in a request's path (RFC 3986 §2.1).

public enum PercentEncoding {
    /// Decodes a path into `target`, which is at least as long, and says how many bytes came out. Nil for what must not
    /// become part of a name: an encoded slash is not a separator, and a zero byte ends a name for some readers only.
    public static func decode(_ path: Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> Int? {
        precondition(target.count >= path.count, "decoding never makes a path longer")
        var count = 0
        var index = 0
        while index < path.count {
            var byte = path[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard index + 1 < path.count, let high = Octet.hexValue(path[index]),
                    let low = Octet.hexValue(path[index + 1])
                else { return nil }
                byte = high << 4 | low
                index += 2
                if byte == UInt8(ascii: "/") || byte == 0 { return nil }
            }
            target[count] = byte
            count += 1
        }
        return count
    }
}
