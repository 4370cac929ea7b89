// Where the admin listener accepts. Opened before the server gives up the right to open anything, and used when it is ready.
//
// Two processes have the same address while a new server takes over from an old one. From the moment the new one listens,
// every new connection is its own, and it is ready then: nobody is told by a process that is about to end that the server
// is not ready.

public import Posix

/// A listening socket for the admin listener.
public final class AdminSocket: Sendable {
    private let listener: Listener
    private let file: SocketFile?

    /// Listens at the address of the settings, beside another process of this user if there is one.
    public init(_ settings: AdminSettings) throws(AdminListener.StartError) {
        if let objection = settings.objection { throw .refused(objection) }
        do throws(SystemError) {
            if let path = settings.address.path {
                listener = try Listener(replacing: path, permissions: settings.socketPermissions)
                file = SocketFile(path)
            } else {
                listener = try Listener(settings.address, sharesPort: true, backlog: 64)
                file = nil
                takeAll()
            }
        } catch {
            throw .cannotListen(settings.address, error)
        }
    }

    public var address: SocketAddress { listener.address }

    var number: Int32 { listener.descriptor.number }

    func accept() -> Listener.Acceptance {
        var peer = SocketAddress.unknown
        return listener.accept(peer: &peer)
    }

    /// Has every new connection come here, of several sockets at the address, of which this is the last. What an earlier
    /// process had told the kernel ends with it.
    private func takeAll() {
        let others = (ListeningSockets.inodes(at: address)?.count ?? 1) - 1
        if others > 0 { listener.lead(to: others..<others + 1) } else { listener.leadNowhere() }
    }

    /// Whether others listen at the address too.
    var hasNeighbours: Bool { (ListeningSockets.inodes(at: address)?.count ?? 0) > 1 }

    /// Removes the path of a Unix-domain socket, unless it leads to another one by now.
    func removeFile() { file?.remove() }
}
