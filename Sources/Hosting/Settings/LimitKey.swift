// The keys under `limits` in `server.json`: one for each of `Limits`, by the same name, with the values that make sense.

import HTTP

enum LimitKey: String, CaseIterable {
    case headBytesMax
    case requestLineBytesMax
    case fieldCountMax
    case bodyBytesMax
    case handshakeTimeoutMilliseconds
    case handshakesMax
    case headTimeoutMilliseconds
    case bodyTimeoutMilliseconds
    case bodyBytesPerSecondMin
    case writeTimeoutMilliseconds
    case writeBytesPerSecondMin
    case idleTimeoutMilliseconds
    case lingerTimeoutMilliseconds
    case requestsPerConnectionMax
    case bytesPerConnectionMax
    case connectionsMax
    case connectionsPerAddressMax
    case heldBytesMax
    case drainTimeoutMilliseconds
    case drainIdleMilliseconds
    case filesPerHostMax
    case foldersPerHostMax
    case bytesPerHostMax
    case appFilesMax
    case filesPerAppFolderMax
    case foldersPerAppFolderMax
    case bytesPerAppFolderMax

    var allowed: ClosedRange<Int> {
        switch self {
        case .headBytesMax: 1_024...1_048_576
        case .requestLineBytesMax: 256...65_536
        case .fieldCountMax: 8...10_000
        case .bodyBytesMax: 0...1_073_741_824
        case .requestsPerConnectionMax: 1...Int(UInt32.max)
        case .bytesPerConnectionMax: 65_536...1 << 50
        case .bodyBytesPerSecondMin, .writeBytesPerSecondMin: 0...1_073_741_824
        case .connectionsMax, .handshakesMax: 16...4_194_304
        case .connectionsPerAddressMax: 0...4_194_304
        case .filesPerHostMax, .foldersPerHostMax, .filesPerAppFolderMax, .foldersPerAppFolderMax: 1...1_000_000
        case .appFilesMax: 1...10_000_000
        case .bytesPerHostMax, .bytesPerAppFolderMax: 65_536...1 << 40
        case .heldBytesMax: Limits.heldBytesMin...1 << 50
        case .handshakeTimeoutMilliseconds, .headTimeoutMilliseconds, .bodyTimeoutMilliseconds,
            .writeTimeoutMilliseconds, .idleTimeoutMilliseconds,
            .lingerTimeoutMilliseconds, .drainTimeoutMilliseconds, .drainIdleMilliseconds:
            1...3_600_000
        }
    }

    func set(_ value: Int, in limits: inout Limits) {
        switch self {
        case .headBytesMax: limits.head.headBytesMax = value
        case .requestLineBytesMax: limits.head.requestLineBytesMax = value
        case .fieldCountMax: limits.head.fieldCountMax = value
        case .bodyBytesMax: limits.bodyBytesMax = UInt64(value)
        case .handshakeTimeoutMilliseconds: limits.handshakeTimeoutMilliseconds = Int64(value)
        case .handshakesMax: limits.handshakesMax = value
        case .headTimeoutMilliseconds: limits.headTimeoutMilliseconds = Int64(value)
        case .bodyTimeoutMilliseconds: limits.bodyTimeoutMilliseconds = Int64(value)
        case .writeTimeoutMilliseconds: limits.writeTimeoutMilliseconds = Int64(value)
        case .idleTimeoutMilliseconds: limits.idleTimeoutMilliseconds = Int64(value)
        case .lingerTimeoutMilliseconds: limits.lingerTimeoutMilliseconds = Int64(value)
        case .requestsPerConnectionMax: limits.requestsPerConnectionMax = UInt32(value)
        case .connectionsMax: limits.connectionsMax = value
        case .drainTimeoutMilliseconds: limits.drainTimeoutMilliseconds = Int64(value)
        case .drainIdleMilliseconds: limits.drainIdleMilliseconds = Int64(value)
        case .connectionsPerAddressMax: limits.connectionsPerAddressMax = value
        case .heldBytesMax: limits.heldBytesMax = value
        case .bytesPerConnectionMax: limits.bytesPerConnectionMax = value
        case .writeBytesPerSecondMin: limits.writeBytesPerSecondMin = value
        case .filesPerHostMax: limits.filesPerHostMax = value
        case .foldersPerHostMax: limits.foldersPerHostMax = value
        case .bytesPerHostMax: limits.bytesPerHostMax = value
        case .appFilesMax: limits.appFilesMax = value
        case .filesPerAppFolderMax: limits.filesPerAppFolderMax = value
        case .foldersPerAppFolderMax: limits.foldersPerAppFolderMax = value
        case .bytesPerAppFolderMax: limits.bytesPerAppFolderMax = value
        case .bodyBytesPerSecondMin: limits.bodyBytesPerSecondMin = value
        }
    }
}
