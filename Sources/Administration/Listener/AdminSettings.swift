// Where the admin listener listens and who may ask it. It is not reachable from other machines without a token.

import HTTP
public import Posix

/// The settings of the admin listener.
public struct AdminSettings: Sendable {
    public var address: SocketAddress
    /// What a client must send for everything but health; nil for no token.
    public var token: AdminToken?
    /// Who may connect to a Unix-domain socket.
    public var socketPermissions: UInt32
    /// Names by which the listener may be asked, besides addresses and `localhost`.
    public var hosts: [String]

    public init(
        address: SocketAddress, token: AdminToken? = nil, socketPermissions: UInt32 = 0o600, hosts: [String] = []
    ) {
        (self.address, self.token, self.socketPermissions, self.hosts) = (address, token, socketPermissions, hosts)
    }

    /// Why these settings are not to be used; nil when they are fine.
    public var objection: String? {
        if address.isLocal || token != nil { return nil }
        return
            "others than this machine can reach \(address), and no token is set; give one with --admin-token-file or "
            + "ASSOCIATED_ADMIN_TOKEN, or listen on 127.0.0.1 or unix:/path"
    }
}

/// A token, which is not put into any text.
public struct AdminToken: Sendable {
    private let bytes: [UInt8]

    /// Shorter ones can be guessed by trying.
    public static let byteCountMin = 16
    private static let byteCountMax = 4_096

    /// Why a token is of no use.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// White space around it, such as the line end of its file, is not part of it.
    public init(_ text: some Sequence<UInt8>) throws(Problem) {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var bytes = Array(text.drop(while: isSpace))
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        // RFC 6750 §2.1 `b64token`, roughly: what a field value carries without a second reading.
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }) else {
            throw Problem(description: "it has characters besides visible ASCII, or a comma or quotation mark")
        }
        guard (AdminToken.byteCountMin...AdminToken.byteCountMax).contains(bytes.count) else {
            throw Problem(
                description:
                    "it has \(bytes.count) characters; take \(AdminToken.byteCountMin) or more, such as those of "
                    + "`openssl rand -hex 24`")
        }
        self.bytes = bytes
    }

    /// From a file with nothing else in it.
    public init(file: String) throws(Problem) {
        let contents: FileContents
        do { contents = try File.read(file, bytesMax: 2 * AdminToken.byteCountMax) } catch {
            throw Problem(description: "\(error)")
        }
        try self.init(contents.bytes)
    }

    /// Whether a value of `Authorization` shows this token. It takes as long for a token that differs in its first byte as
    /// for one that differs in its last, so that nobody finds it byte by byte.
    func isShown(in value: Span<UInt8>) -> Bool {
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

    /// The value of `Authorization` that shows it.
    public var authorization: String { "Bearer \(String(decoding: bytes, as: UTF8.self))" }
}
