// What a catalogue does not know yet. A server answers before it has looked for the hosts that have files of their own and no
// app file that names them, because looking takes the longer the more hosts there are. Until it has, a host is asked for by
// its name, so that nobody is told that there is nothing, or what a wildcard has, where there is something.

/// Hosts that may have files which nobody has read.
public final class UnreadHosts: Sendable {
    private let isThere: @Sendable (String) -> Bool

    /// - Parameter isThere: whether there are files of a host, in lower case, a wildcard with its asterisk. Workers ask it.
    public init(_ isThere: @escaping @Sendable (String) -> Bool) { self.isThere = isThere }

    /// The same by the key of a host: that of a wildcard begins with its dot.
    func has(_ key: UnsafeRawBufferPointer) -> Bool {
        isThere((key.first == UInt8(ascii: ".") ? "*" : "") + String(decoding: key, as: UTF8.self))
    }
}
