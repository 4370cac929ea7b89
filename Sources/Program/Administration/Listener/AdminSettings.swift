// The address and the access rules of the admin listener. Other machines cannot reach it without a token.

import HTTP
public import Posix
import Service

public struct AdminSettings: Sendable {
    public var address: SocketAddress
    /// The token that a client must send for everything but health; nil for none.
    public var token: AdminToken?
    /// Allowed host names, in addition to addresses and `localhost`.
    public var hosts: [String]

    public init(address: SocketAddress, token: AdminToken? = nil, hosts: [String] = []) {
        (self.address, self.token, self.hosts) = (address, token, hosts)
    }

    /// Why these settings are unsafe; nil when they are not.
    public var objection: String? {
        if address.isLocal || token != nil { return nil }
        return
            "\(address) is reachable from other machines, so a token is required; set one with --admin-token-file or "
            + "ASSOCIATED_ADMIN_TOKEN, or listen on 127.0.0.1 or unix:/path"
    }
}

/// A token. It must never appear in messages.
public struct AdminToken: Sendable {
    private let bytes: [UInt8]

    /// Shorter ones can be guessed.
    public static let byteCountMin = 16
    private static let byteCountMax = 4_096

    /// Why a token cannot be used.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// Surrounding white space, such as the line end of its file, is removed.
    public init(_ text: some Sequence<UInt8>) throws(Problem) {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var bytes = Array(text.drop(while: isSpace))
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        // Roughly `b64token` of RFC 6750 §2.1: characters without a meaning of their own in a field value.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }) else {
            throw Problem(description: "it may contain only visible ASCII characters, and no comma or quotation mark")
        }
        guard (AdminToken.byteCountMin...AdminToken.byteCountMax).contains(bytes.count) else {
            throw Problem(
                description:
                    "it has \(bytes.count) characters; use \(AdminToken.byteCountMin) to \(AdminToken.byteCountMax), such "
                    + "as the output of `openssl rand -hex 24`")
        }
        self.bytes = bytes
    }

    /// Reads a file that contains only the token.
    public init(file: String) throws(Problem) {
        let contents: FileContents
        do { contents = try File.read(file, bytesMax: 2 * AdminToken.byteCountMax) } catch {
            throw Problem(description: "\(error)")
        }
        try self.init(contents.bytes)
    }

    func isShown(by request: ServiceRequest) -> Bool {
        guard case .once(let value) = request.field("authorization") else { return false }
        return matches(Array(value.utf8).span)
    }

    /// Whether a value of `Authorization` contains this token. The comparison takes constant time, so that the token cannot be
    /// guessed byte by byte.
    func matches(_ value: Span<UInt8>) -> Bool {
        // A scheme is compared without case (RFC 9110 §11.1).
        guard let space = value.firstIndex(of: 0x20), value.extracting(0..<space).equalsIgnoringCase("bearer") else {
            return false
        }
        var start = space
        while start < value.count, value[start] == 0x20 { start += 1 }
        let shown = value.extracting(start..<value.count)
        var difference = shown.count ^ bytes.count
        for index in 0..<shown.count { difference |= Int(shown[index] ^ bytes[index % bytes.count]) }
        return difference == 0
    }

    /// The value of `Authorization` with this token.
    public var authorization: String { "Bearer \(String(decoding: bytes, as: UTF8.self))" }
}
