// The listening sockets of the parent, by address. A set is a value that shares its sockets with others: an upgrade makes the set of
// the new settings, which has the open sockets of addresses that stay; whichever set is dropped closes what only it had.

import Libc
public import Posix
public import Settings

public struct ListeningSet: Sendable {
    /// The sockets at one address.
    struct Entry: Sendable {
        let purpose: Inheritance.Purpose
        let expectsProxyHeader: Bool
        /// The address of the settings, which may have port 0; nil for a socket from systemd.
        let wanted: Wanted?
        var permissions: UInt32?
        let sockets: [ListeningSocket]
    }

    /// What makes an open socket fit for an address of the settings. Its permissions do not: a second socket at the same path would
    /// replace the first, although the upgrade may fail yet.
    struct Wanted: Equatable, Sendable {
        let address: String
        let servesBothFamilies: Bool

        init(_ address: SocketAddress) {
            (self.address, servesBothFamilies) = (address.description, address.servesBothFamilies)
        }
    }

    private(set) var entries: [Entry] = []
    /// The server's user, if it is another one: the owner of socket files.
    private var account: Account?

    /// Of the manager's socket, if it is a path, and of the link between it and the server.
    private static let managerPermissions: UInt32 = 0o600

    /// With the sockets that systemd has opened, if any; `http` and `https` of the settings are ignored then. Called once, before any
    /// thread is started.
    public init() throws {
        for (name, socket) in try ListeningSocket.takeActivated() {
            guard let purpose = Inheritance.Purpose(rawValue: name), !purpose.isAdmin else {
                throw Refusal.failure(
                    "unknown protocol of the inherited socket \"\(name)\"; "
                        + "set FileDescriptorName=http or FileDescriptorName=https in its socket unit")
            }
            entries.append(Entry(purpose: purpose, expectsProxyHeader: false, wanted: nil, sockets: [socket]))
        }
    }

    /// Whether systemd has opened the sockets.
    public var isActivated: Bool { entries.contains { $0.wanted == nil } }

    /// The set for these settings. Sockets that are open stay open, however many workers there are now: a client may wait in the queue of
    /// each of them.
    /// - Parameter socketCount: how many sockets to open for each new TCP address.
    /// - Parameter link: the path where the manager asks the server; nil if none is wanted. Its socket may not listen yet (`openLink`).
    public func adapted(to settings: ServerSettings, socketCount: Int, link: String? = nil) throws -> ListeningSet {
        let account: Account? = if let name = settings.user { try Account(name) } else { nil }
        let places = self.places(of: settings, link: link)
        let wanted = places.map { Wanted($0.1) }
        // Each at most once: several addresses may have port 0.
        var left = entries.filter { $0.sockets.allSatisfy(\.isReachable) }
        let open = zip(places, wanted).map { place, wanted in
            let index =
                left.firstIndex { $0.wanted == wanted && $0.purpose == place.0 }
                ?? left.firstIndex { $0.wanted == wanted }
            return index.map { left.remove(at: $0) }
        }
        // All of them before the first is opened, which would look like another server's.
        for (index, place) in places.enumerated() where open[index] == nil && !place.0.isAdmin {
            try ListeningSet.checkOwner(of: place.1, settings)
        }
        var set = self
        set.account = account
        set.entries = entries.filter { $0.wanted == nil }.map { entry in
            Entry(
                purpose: entry.purpose, expectsProxyHeader: settings.proxyProtocol.covers(entry.sockets[0].address),
                wanted: nil, sockets: entry.sockets)
        }
        for (index, (purpose, address, permissions)) in places.enumerated() {
            let count = purpose.isAdmin || address.isUnix ? 1 : socketCount
            do throws(SystemError) {
                let sockets: [ListeningSocket]
                if let entry = open[index] {
                    sockets = entry.sockets
                } else if purpose == .link, let path = address.path {
                    sockets = [try ListeningSocket(laterAt: path)]
                } else if address.isUnix {
                    // The path belongs to the server's user, who may have a folder that root should not write to.
                    sockets = [
                        try Privileges.acting(as: account) { () throws(SystemError) in
                            try ListeningSet.open(address, permissions)
                        }
                    ]
                } else {
                    sockets = try ListeningSet.open(
                        address, count: count, sharesPort: settings.reusesPort && !purpose.isAdmin)
                }
                set.entries.append(
                    Entry(
                        purpose: purpose,
                        expectsProxyHeader: !purpose.isAdmin && settings.proxyProtocol.covers(address),
                        wanted: wanted[index], permissions: permissions, sockets: sockets))
            } catch {
                throw ListeningSet.refusal(of: address, purpose, error)
            }
        }
        // What prevents it is said when the manager is to be started.
        try? set.openLink()
        return set
    }

    private var link: ListeningSocket? { entries.first { $0.purpose == .link }?.sockets[0] }

    var isLinkOpen: Bool { link?.isListening ?? true }

    /// Listens where the manager asks, unless it does already. The servers that have the socket accept from then on.
    func openLink() throws(Refusal) {
        guard let link, !link.isListening, let path = link.address.path else { return }
        do throws(SystemError) {
            try Privileges.acting(as: account) { () throws(SystemError) in
                try ListeningSet.checkOwner(of: path)
                try link.listen(permissions: ListeningSet.managerPermissions)
            }
        } catch { throw .failure(ListeningSet.refusal(of: path, error)) }
    }

    /// Where to listen, and with which permissions at a path.
    private func places(
        of settings: ServerSettings, link: String?
    ) -> [(Inheritance.Purpose, SocketAddress, UInt32?)] {
        var places: [(Inheritance.Purpose, SocketAddress, UInt32?)] = []
        if let place = settings.admin {
            places.append((.admin, place.address, place.address.isUnix ? place.socketPermissions : nil))
        }
        if let link {
            if let address = SocketAddress("unix:\(link)") {
                places.append((.link, address, ListeningSet.managerPermissions))
            } else {
                Log.warning(ListeningSet.refusal(of: link, SystemError(call: "bind", number: ENAMETOOLONG)))
            }
        }
        if !isActivated {
            places = settings.http.map { (.http, $0, nil) } + settings.https.map { (.https, $0, nil) } + places
        }
        return places
    }

    public func addresses(_ purpose: Inheritance.Purpose) -> [SocketAddress] {
        entries.filter { $0.purpose == purpose }.map { $0.sockets[0].address }
    }

    /// What a server is given.
    var groups: [Inheritance.Group] {
        entries.map {
            Inheritance.Group(
                purpose: $0.purpose, expectsProxyHeader: $0.expectsProxyHeader, numbers: $0.sockets.map(\.number))
        }
    }

    /// Gives the files of sockets that stayed open the permissions of the settings, which may be new.
    func setPermissions() {
        for entry in entries {
            guard let path = entry.sockets[0].address.path, let permissions = entry.permissions,
                entry.sockets[0].isListening
            else { continue }
            do throws(SystemError) {
                // The path belongs to the server's user, who could put a link there.
                try Privileges.acting(as: account) { () throws(SystemError) in
                    try File.setPermissions(permissions, of: path)
                }
            } catch {
                Log.warning(
                    "cannot change the permissions of \(path): \(error.reason); they stay as they were until a restart")
            }
        }
    }

    /// Closes all sockets but those of admin listeners, which answer until their processes have exited.
    mutating func closeForClients() { entries.removeAll { !$0.purpose.isAdmin } }

    mutating func closeAll() { entries = [] }

    /// A socket of the manager. The manager opens it itself, so nothing listens there while there is no manager.
    public static func openForManager(
        _ purpose: Inheritance.Purpose, _ settings: ServerSettings
    ) throws -> ListeningSocket? {
        guard let address = purpose == .api ? settings.manager.api : settings.manager.admin else { return nil }
        let account: Account? = if let name = settings.user { try Account(name) } else { nil }
        do throws(SystemError) {
            guard address.isUnix else { return try first(address, sharesPort: false) }
            return try Privileges.acting(as: account) { () throws(SystemError) in
                try open(address, managerPermissions)
            }
        } catch { throw refusal(of: address, purpose, error) }
    }

    private static func open(_ address: SocketAddress, _ permissions: UInt32?) throws(SystemError) -> ListeningSocket {
        guard let path = address.path, let permissions else { return try ListeningSocket(address, sharesPort: false) }
        try checkOwner(of: path)
        return try ListeningSocket(replacing: path, permissions: permissions)
    }

    /// One for each worker: the kernel spreads connections over them. Port 0 is settled by the first.
    private static func open(
        _ address: SocketAddress, count: Int, sharesPort: Bool
    ) throws(SystemError) -> [ListeningSocket] {
        let first = try ListeningSet.first(address, sharesPort: sharesPort || count > 1)
        var sockets = [first]
        while sockets.count < count { sockets.append(try ListeningSocket(first.address, sharesPort: true)) }
        return sockets
    }

    /// The children of a server that was killed end a moment after it, and then leave the port.
    private static let pausesMax = 10
    private static let pauseMicroseconds: UInt32 = 100_000

    private static func first(_ address: SocketAddress, sharesPort: Bool) throws(SystemError) -> ListeningSocket {
        for _ in 0..<pausesMax {
            do throws(SystemError) { return try ListeningSocket(address, sharesPort: sharesPort) } catch {
                guard error.cause == .inUse else { throw error }
                usleep(pauseMicroseconds)
            }
        }
        return try ListeningSocket(address, sharesPort: sharesPort)
    }

    /// A socket that another server listens at is not replaced: that one would not hear of it.
    private static func checkOwner(of path: String) throws(SystemError) {
        for _ in 0..<pausesMax where Listener.isListening(at: path) { usleep(pauseMicroseconds) }
        if Listener.isListening(at: path) { throw SystemError(call: "bind", number: EADDRINUSE) }
    }

    /// Clients of a port that another server has too would get answers of either.
    private static func checkOwner(of address: SocketAddress, _ settings: ServerSettings) throws(Refusal) {
        if address.isUnix { return }
        let pauses = settings.reusesPort ? 0 : pausesMax
        for _ in 0..<pauses where (try? Listener.isShared(address)) == true { usleep(pauseMicroseconds) }
        guard (try? Listener.isShared(address)) == true else { return }
        let process = inWords(ListeningSockets.process(at: address))
        if settings.reusesPort {
            return Log.warning(
                "another server listens on \(address) too\(process): the kernel splits new connections between both")
        }
        throw .failure(
            "cannot listen on \(address): another server of this user already listens there\(process); stop it, choose another "
                + "port, or share the port with --reuse-port; to update a server, send it SIGUSR2")
    }

    /// Why the manager cannot ask the server.
    private static func refusal(of link: String, _ error: SystemError) -> String {
        let folder = ResolvedPath.parent(of: Directory.absolute(link))
        let remedy =
            switch error.number {
            case EACCES, EPERM: "let the server's user write to \(folder) (chown -R USER, chmod u+rwx)"
            case EADDRINUSE:
                Listener.isListening(at: link)
                    ? "another server of this state directory listens there; stop it"
                    : "remove it, because it is no socket"
            case ENAMETOOLONG: "use a --state with a short path"
            default: error.remedy(writingTo: folder)
            }
        return "cannot listen at \(link), where the manager asks which hosts are served: \(error.reason); \(remedy)"
    }

    public static func inWords(_ process: Int32?) -> String { process.map { " (process \($0))" } ?? "" }

    /// Why it is not possible to listen on an address.
    public static func refusal(of address: SocketAddress, _ purpose: Inheritance.Purpose, _ error: SystemError)
        -> Refusal
    {
        let use =
            switch purpose {
            case .http, .https: ""
            case .admin: " for admin"
            case .managerAdmin: " for admin of the manager"
            case .link: " for the manager"
            case .api: " for the API"
            }
        let process = inWords(error.cause == .inUse ? ListeningSockets.process(at: address) : nil)
        return .failure(
            "cannot listen on \(address)\(use): \(error.reason)\(process)\(error.remedy(listeningOn: address))")
    }
}

extension ProxyProtocol {
    /// Whether connections to an address begin with the header of a trusted proxy.
    fileprivate func covers(_ address: SocketAddress) -> Bool {
        switch self {
        case .off: false
        case .everywhere: true
        case .on(let addresses): addresses.contains { $0.description == address.description }
        }
    }
}
