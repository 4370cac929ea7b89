// Where the passphrase of an encrypted private key comes from: asked for by the key's path, at the moment it is needed.

import Posix

/// A source of passphrases for private keys.
public struct Passphrase: Sendable {
    enum Answer: Sendable {
        case text([UInt8])
        case unreadable(file: String, FileError)
    }

    /// Called with the path of a key that is encrypted; nil when there is none for it.
    let answer: @Sendable (_ path: String) -> Answer?
    /// Changes when the answers may have changed, so that keys are tried again.
    let stamp: @Sendable () -> Int

    public init(_ bytes: @escaping @Sendable (_ path: String) -> [UInt8]?) {
        answer = { path in bytes(path).map { .text($0) } }
        stamp = { 0 }
    }

    /// The same one for all keys.
    public init(_ text: [UInt8]) { self.init { _ in text } }

    /// The first line of a file, read when it is needed.
    public init(file: String) {
        answer = { _ in
            do throws(FileError) {
                let content = try SecretBytes(reading: file, bytesMax: CertificateLimits.passphraseBytesMax)
                return .text(Array(content.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }))
            } catch {
                return .unreadable(file: file, error)
            }
        }
        stamp = { (try? File.status(file)).hashValue }
    }
}
