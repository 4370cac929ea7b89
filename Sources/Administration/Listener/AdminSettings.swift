// Where the admin listener listens and who may ask it. Not reachable from outside unless somebody has thought of a token.

public import Posix

/// What the admin listener is told when it is started.
public struct AdminSettings: Sendable {
    public var address: SocketAddress
    /// What whoever asks for more than health has to show; nil where nobody has to.
    public var token: AdminToken?
    /// Who may connect to a Unix-domain socket.
    public var socketPermissions: UInt32
    /// Names by which the listener may be asked, besides addresses and `localhost`.
    public var hosts: [String]

    public init(
        address: SocketAddress, token: AdminToken? = nil, socketPermissions: UInt32 = 0o600, hosts: [String] = []
    ) {
        self.address = address
        self.token = token
        self.socketPermissions = socketPermissions
        self.hosts = hosts
    }

    /// Why these settings are not to be used; nil when they are fine.
    public var objection: String? {
        if address.isLocal || token != nil { return nil }
        return
            "others than this machine can reach \(address), and no token is set; give one with --admin-token-file or "
            + "ASSOCIATED_ADMIN_TOKEN, or listen on 127.0.0.1 or unix:/path"
    }
}
