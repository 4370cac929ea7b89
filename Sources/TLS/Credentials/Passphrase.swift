// Where the passphrase of an encrypted private key comes from: asked for by the key's path, at the moment it is needed.

/// A source of passphrases for private keys.
public struct Passphrase: Sendable {
    /// Called with the path of a key that is encrypted; nil when there is none for it.
    let bytes: @Sendable (_ path: String) -> [UInt8]?
    /// Why there is none, for the message that says so.
    private(set) var absence: @Sendable () -> String = { "none is given" }

    public init(_ bytes: @escaping @Sendable (_ path: String) -> [UInt8]?) { self.bytes = bytes }

    /// The same one for all keys.
    public init(_ text: [UInt8]) { bytes = { _ in text } }

    /// The first line of a file, read when it is needed.
    public init(file: String) {
        bytes = { _ in
            guard let content = try? SecretBytes(reading: file, bytesMax: CertificateLimits.passphraseBytesMax) else {
                return nil
            }
            return Array(content.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
        }
        absence = {
            do {
                _ = try SecretBytes(reading: file, bytesMax: CertificateLimits.passphraseBytesMax)
            } catch {
                return "the passphrase file \(file) cannot be read: \(error)"
            }
            return "the first line of \(file) is too long for one"
        }
    }
}
