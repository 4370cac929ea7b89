// The listening sockets that the parent has passed to this server. They decide where it listens, even if `server.json` has changed
// since.

import Engine
import Hosting
import Posix

struct ServerSockets {
    let groups: [ListenerGroup]
    let admin: ListeningSocket?

    /// Call it once, before any thread starts.
    init(_ inheritance: Inheritance) throws {
        var (groups, admin) = ([ListenerGroup](), ListeningSocket?.none)
        for group in inheritance.groups {
            let sockets = try group.numbers.map { try ListeningSocket(inheriting: $0, named: group.purpose.rawValue) }
            if group.purpose == .admin {
                admin = sockets[0]
            } else {
                groups.append(
                    ListenerGroup(
                        sockets, isSecure: group.purpose == .https, expectsProxyHeader: group.expectsProxyHeader))
            }
        }
        (self.groups, self.admin) = (groups, admin)
    }

    /// The settings with the addresses of these sockets.
    func replacingAddresses(of settings: ServerSettings) -> ServerSettings {
        var settings = settings
        settings.http = groups.filter { !$0.isSecure }.map { $0.sockets[0].address }
        settings.https = groups.filter(\.isSecure).map { $0.sockets[0].address }
        guard let admin else {
            settings.admin = nil
            return settings
        }
        // A Unix-domain socket was bound under another name, and then put in its place.
        if !admin.address.isUnix { settings.admin?.address = admin.address }
        return settings
    }
}
