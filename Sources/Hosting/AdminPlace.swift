// Where the admin listener is to be, and who may ask it: what `server.json` says about it.

public import Posix

/// The settings of the admin listener.
public struct AdminPlace: Sendable {
    public var address: SocketAddress
    /// A file with the token that those who ask have to show; nil where there is none.
    public var tokenFile: String?
    /// Who may connect to a Unix-domain socket.
    public var socketPermissions: UInt32 = 0o600
    /// Names that it may be asked by, besides addresses and `localhost`.
    public var hosts: [String] = []

    /// Nobody but this machine reaches it, unless somebody says where else.
    public static let defaultAddress = "127.0.0.1:9464"

    public init(address: SocketAddress = SocketAddress(AdminPlace.defaultAddress)!) { self.address = address }
}
