// The keys under `limits` in `server.json`: one for each property of `Limits`, with the same name and its allowed values.

import HTTP

package struct LimitKey: Sendable, CustomStringConvertible {
    package let name: String
    let allowed: ClosedRange<Int>
    let set: @Sendable (Int, inout Limits) -> Void

    private init<Number: FixedWidthInteger & SendableMetatype>(
        _ name: String, _ allowed: ClosedRange<Int>, _ path: any WritableKeyPath<Limits, Number> & Sendable
    ) {
        (self.name, self.allowed) = (name, allowed)
        set = { $1[keyPath: path] = Number($0) }
    }

    package var description: String { name }

    private static let milliseconds = 1...3_600_000

    // Keys that findings name.
    package static let filesPerHostMax = LimitKey("filesPerHostMax", 1...1_000_000, \.filesPerHostMax)
    package static let foldersPerHostMax = LimitKey("foldersPerHostMax", 1...1_000_000, \.foldersPerHostMax)
    package static let bytesPerHostMax = LimitKey("bytesPerHostMax", 65_536...1 << 40, \.bytesPerHostMax)
    package static let appFilesMax = LimitKey("appFilesMax", 1...10_000_000, \.appFilesMax)
    package static let filesPerAppFolderMax = LimitKey("filesPerAppFolderMax", 1...1_000_000, \.filesPerAppFolderMax)
    package static let foldersPerAppFolderMax = LimitKey(
        "foldersPerAppFolderMax", 1...1_000_000, \.foldersPerAppFolderMax)
    package static let bytesPerAppFolderMax = LimitKey("bytesPerAppFolderMax", 65_536...1 << 40, \.bytesPerAppFolderMax)

    static let all = [
        LimitKey("headBytesMax", 1_024...1_048_576, \.head.headBytesMax),
        LimitKey("requestLineBytesMax", 256...65_536, \.head.requestLineBytesMax),
        LimitKey("fieldCountMax", 8...10_000, \.head.fieldCountMax),
        LimitKey("bodyBytesMax", 0...1_073_741_824, \.bodyBytesMax),
        LimitKey("handshakeTimeoutMilliseconds", milliseconds, \.handshakeTimeoutMilliseconds),
        LimitKey("handshakesMax", 16...4_194_304, \.handshakesMax),
        LimitKey("headTimeoutMilliseconds", milliseconds, \.headTimeoutMilliseconds),
        LimitKey("bodyTimeoutMilliseconds", milliseconds, \.bodyTimeoutMilliseconds),
        LimitKey("bodyBytesPerSecondMin", 0...1_073_741_824, \.bodyBytesPerSecondMin),
        LimitKey("writeTimeoutMilliseconds", milliseconds, \.writeTimeoutMilliseconds),
        LimitKey("writeBytesPerSecondMin", 0...1_073_741_824, \.writeBytesPerSecondMin),
        LimitKey("idleTimeoutMilliseconds", milliseconds, \.idleTimeoutMilliseconds),
        LimitKey("lingerTimeoutMilliseconds", milliseconds, \.lingerTimeoutMilliseconds),
        LimitKey("requestsPerConnectionMax", 1...Int(UInt32.max), \.requestsPerConnectionMax),
        LimitKey("bytesPerConnectionMax", 65_536...1 << 50, \.bytesPerConnectionMax),
        LimitKey("connectionsMax", 16...4_194_304, \.connectionsMax),
        LimitKey("connectionsPerAddressMax", 0...4_194_304, \.connectionsPerAddressMax),
        LimitKey("heldBytesMax", Limits.heldBytesMin...1 << 50, \.heldBytesMax),
        LimitKey("drainTimeoutMilliseconds", milliseconds, \.drainTimeoutMilliseconds),
        LimitKey("drainIdleMilliseconds", milliseconds, \.drainIdleMilliseconds),
        filesPerHostMax, foldersPerHostMax, bytesPerHostMax, appFilesMax, filesPerAppFolderMax, foldersPerAppFolderMax,
        bytesPerAppFolderMax,
    ]
}
