// The lines of a response's head. The control plane writes the field lines once, when a catalogue is built; the data plane
// puts the status line and the date before them and `connection` behind them, by copying.

/// The first line of a response.
public enum StatusLine {
    /// `HTTP/1.1 200 OK` and its line end. A server speaks its own highest version, whatever the client's (RFC 9110 §2.5).
    public static func bytes(_ status: Status) -> [UInt8] {
        Array("HTTP/1.1 \(status.rawValue) \(status.reason)\r\n".utf8)
    }
}

/// The field lines of a response as bytes, without `date`, `connection` and the empty line at the end.
public struct FieldLines: Sendable, Hashable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Field lines that were made of this before.
    public init(prepared lines: UnsafeRawBufferPointer) { bytes = Array(lines) }

    /// Adds a field. Its value is ours or the operator's and was checked when it was read: a line break in it is a bug.
    public mutating func add(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { value in
            for byte in value {
                precondition(
                    byte >= 0x20 && byte != 0x7F || byte == Octet.tab, "a field value has no control characters")
            }
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(Octet.space)
            bytes.append(contentsOf: value)
            bytes.append(Octet.carriageReturn)
            bytes.append(Octet.lineFeed)
        }
    }
}
