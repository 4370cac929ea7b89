// The keys under `limits` in `server.json`: one for each property of `Limits`, with the same name, its default and its allowed
// values.

import HTTP

package struct LimitKey: Sendable, CustomStringConvertible {
    package let name: String
    /// What it limits; docs/limits.md begins with the same words.
    let help: String
    let usual: Int
    let allowed: ClosedRange<Int>
    let set: @Sendable (Int, inout Limits) -> Void

    private init<Number: FixedWidthInteger & SendableMetatype>(
        _ name: String, _ help: String, _ allowed: ClosedRange<Int>,
        _ path: any WritableKeyPath<Limits, Number> & Sendable
    ) {
        (self.name, self.help, self.allowed, usual) = (name, help, allowed, Int(Limits()[keyPath: path]))
        set = { $1[keyPath: path] = Number($0) }
    }

    package var description: String { name }

    private static let milliseconds = 1...3_600_000

    // Keys that findings name.
    package static let filesPerHostMax = LimitKey(
        "filesPerHostMax", "files in the folders of one host", 1...1_000_000, \.filesPerHostMax)
    package static let foldersPerHostMax = LimitKey(
        "foldersPerHostMax", "folders of one host", 1...1_000_000, \.foldersPerHostMax)
    package static let bytesPerHostMax = LimitKey(
        "bytesPerHostMax", "bytes of a host's files that are kept in memory", 65_536...1 << 40, \.bytesPerHostMax)
    package static let appFilesMax = LimitKey(
        "appFilesMax", "files, links and folders directly in `config/apps`", 1...10_000_000, \.appFilesMax)
    package static let filesPerAppFolderMax = LimitKey(
        "filesPerAppFolderMax", "files in one folder of `config/apps`", 1...1_000_000, \.filesPerAppFolderMax)
    package static let foldersPerAppFolderMax = LimitKey(
        "foldersPerAppFolderMax", "folders in one folder of `config/apps`", 1...1_000_000, \.foldersPerAppFolderMax)
    package static let bytesPerAppFolderMax = LimitKey(
        "bytesPerAppFolderMax", "bytes of the app files in one folder of `config/apps`", 65_536...1 << 40,
        \.bytesPerAppFolderMax)

    static let all = [
        LimitKey(
            "headBytesMax", "a request's head, up to and including its empty line", 1_024...1_048_576,
            \.head.headBytesMax),
        LimitKey(
            "requestLineBytesMax", "method, target and version of a request", 256...65_536, \.head.requestLineBytesMax),
        LimitKey("fieldCountMax", "fields of a request's head", 8...10_000, \.head.fieldCountMax),
        LimitKey("bodyBytesMax", "a request's body with its framing", 0...1_073_741_824, \.bodyBytesMax),
        LimitKey("handshakeTimeoutMilliseconds", "a whole TLS handshake", milliseconds, \.handshakeTimeoutMilliseconds),
        LimitKey("handshakesMax", "concurrent handshakes", 16...4_194_304, \.handshakesMax),
        LimitKey(
            "headTimeoutMilliseconds", "from a head's first byte to its last", milliseconds, \.headTimeoutMilliseconds),
        LimitKey("bodyTimeoutMilliseconds", "for a request's body", milliseconds, \.bodyTimeoutMilliseconds),
        LimitKey("bodyBytesPerSecondMin", "speed of a request's body", 0...1_073_741_824, \.bodyBytesPerSecondMin),
        LimitKey(
            "writeTimeoutMilliseconds", "for a client to receive its answer", milliseconds, \.writeTimeoutMilliseconds),
        LimitKey(
            "writeBytesPerSecondMin", "speed at which a client receives", 0...1_073_741_824, \.writeBytesPerSecondMin),
        LimitKey("idleTimeoutMilliseconds", "idle time between two requests", milliseconds, \.idleTimeoutMilliseconds),
        LimitKey("lingerTimeoutMilliseconds", "reading after a refusal", milliseconds, \.lingerTimeoutMilliseconds),
        LimitKey(
            "requestsPerConnectionMax", "requests of one connection", 1...Int(UInt32.max), \.requestsPerConnectionMax),
        LimitKey(
            "bytesPerConnectionMax", "received bytes of one connection", 65_536...1 << 50, \.bytesPerConnectionMax),
        LimitKey("connectionsMax", "connections of all workers together", 16...4_194_304, \.connectionsMax),
        LimitKey(
            "connectionsPerAddressMax", "connections from one IPv4 address or one IPv6 /64", 0...4_194_304,
            \.connectionsPerAddressMax),
        LimitKey("heldBytesMax", "memory of all connections", Limits.heldBytesMin...1 << 50, \.heldBytesMax),
        LimitKey(
            "drainTimeoutMilliseconds", "to finish open requests after SIGTERM", milliseconds,
            \.drainTimeoutMilliseconds),
        LimitKey(
            "drainIdleMilliseconds", "how long a stopping server waits for requests that are on their way",
            milliseconds, \.drainIdleMilliseconds),
        filesPerHostMax, foldersPerHostMax, bytesPerHostMax, appFilesMax, filesPerAppFolderMax, foldersPerAppFolderMax,
        bytesPerAppFolderMax,
    ]
}
