// The value of `Host`, and the authority of an absolute target: a name or an address, and a port that nobody needs
// (RFC 9110 §7.2). Anything with a second reading (user information, lists, encoded bytes) is refused.

enum HostField {
    /// The host in `bytes[start..<end]` without port and one trailing dot, or nil when it is malformed. Empty is allowed:
    /// RFC 9112 §3.2 lets a client say that its target has no authority.
    static func read(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> ByteRange? {
        if start == end { return ByteRange(start, end) }
        if bytes[start] == UInt8(ascii: "[") { return readAddress(bytes, start, end) }
        var index = start
        while index < end, Octet.isHost(bytes[index]) { index += 1 }
        guard index > start, isPort(bytes, index, end) else { return nil }
        let isDotted = index - start > 1 && bytes[index - 1] == UInt8(ascii: ".")
        return ByteRange(start, isDotted ? index - 1 : index)
    }

    /// An IPv6 address in brackets. It never names a site, so its form is all that is checked.
    private static func readAddress(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> ByteRange? {
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]"), from: start, to: end), close - start > 2 else {
            return nil
        }
        for index in start + 1..<close {
            let byte = bytes[index]
            guard Octet.hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
                return nil
            }
        }
        return isPort(bytes, close + 1, end) ? ByteRange(start, close + 1) : nil
    }

    /// Nothing, a lone colon, or a colon and a number up to 65535.
    private static func isPort(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        if start == end { return true }
        guard bytes[start] == UInt8(ascii: ":"), end - start <= 6 else { return false }
        var port = 0
        for index in start + 1..<end {
            guard Octet.isDigit(bytes[index]) else { return false }
            port = port * 10 + Int(bytes[index] - 0x30)
        }
        return port <= 65_535
    }
}
