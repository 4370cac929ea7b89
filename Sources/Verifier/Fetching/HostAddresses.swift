// Where hosts are: as their overrides say, else as the name service does.

import Posix

/// Finds the addresses of hosts.
struct HostAddresses: Sendable {
    let overrides: [AddressOverride]

    /// As long as Apple's fetcher takes for all of it.
    private static let lookUpMilliseconds: Int32 = 5_000

    /// The addresses of a host, the one to begin with first: Apple's fetcher is reported to use IPv4.
    func of(_ host: CheckedHost) throws(NameLookupError) -> [SocketAddress] {
        let given = given(host.name, host.port)
        return given.isEmpty ? try ofAnother(host) : given
    }

    /// The same of a host that is asked for the sake of the one that is looked at. It is not among `*`.
    func ofAnother(_ host: CheckedHost) throws(NameLookupError) -> [SocketAddress] {
        let given = overrides.filter { $0.host == host.name && $0.port == host.port }.map(\.address)
        if !given.isEmpty { return given }
        let found = try NameLookup.addresses(
            of: host.name, port: host.port, milliseconds: HostAddresses.lookUpMilliseconds)
        return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
    }

    /// What the overrides say, if anything; those for the very host before those for all.
    func given(_ name: String, _ port: UInt16) -> [SocketAddress] {
        let own = overrides.filter { $0.port == port && $0.host == name }
        return (own.isEmpty ? overrides.filter { $0.port == port && $0.host == "*" } : own).map(\.address)
    }
}
