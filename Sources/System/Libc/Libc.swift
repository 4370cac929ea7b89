// The C library under one name, and under common names what Linux and macOS call differently. `CPosix` has the functions that differ.

#if canImport(Darwin)
    @_exported public import Darwin

    public typealias DirectoryStream = UnsafeMutablePointer<DIR>
    public let streamSocket = SOCK_STREAM
    public let datagramSocket = SOCK_DGRAM
#else
    @_exported public import Glibc

    public typealias DirectoryStream = OpaquePointer
    public let streamSocket = Int32(SOCK_STREAM.rawValue)
    public let datagramSocket = Int32(SOCK_DGRAM.rawValue)
#endif
