// Where the passphrase of an encrypted private key comes from: asked for by the key's path, at the moment it is needed.

/// A source of passphrases for private keys.
public struct Passphrase: Sendable {
    /// Called with the path of a key that is encrypted; nil when there is none for it.
    let bytes: @Sendable (_ path: String) -> [UInt8]?

    public init(_ bytes: @escaping @Sendable (_ path: String) -> [UInt8]?) { self.bytes = bytes }

    /// The same one for all keys.
    public init(_ text: [UInt8]) { bytes = { _ in text } }

    /// The content of a file, as written by an editor: without the line's end.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }
}
