// Hosts and URLs as users type them on a command line, and the addresses of hosts.

public import Posix

/// A host to check, with its port.
public struct CheckedHost: Hashable, Sendable, CustomStringConvertible {
    /// In lower case, without a trailing dot.
    public let name: String
    public let port: UInt16

    /// Reads `shop.example.com` or `shop.example.com:8443`. Nil if it is not a host name.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first else { return nil }
        var name = first.lowercased()
        if name.hasSuffix("."), name.count > 1 { name.removeLast() }
        let isPlain = name.utf8.allSatisfy { byte in
            byte >= 0x30 && byte <= 0x39 || byte >= 0x61 && byte <= 0x7A || byte == 0x2D || byte == 0x2E || byte == 0x5F
        }
        guard isPlain, !name.isEmpty, name.utf8.count <= 253, !name.hasPrefix("."), !name.hasSuffix("."),
            !name.contains("..")
        else { return nil }
        guard parts.count == 1 || UInt16(parts[1]) ?? 0 > 0 else { return nil }
        self.init(name: name, port: parts.count == 2 ? UInt16(parts[1]) ?? 443 : 443)
    }

    init(name: String, port: UInt16) {
        self.name = name
        self.port = port
    }

    public var description: String { port == 443 ? name : "\(name):\(port)" }

    /// The same host with `www.` in front, or without it.
    public var sibling: CheckedHost {
        CheckedHost(name: name.hasPrefix("www.") ? String(name.dropFirst(4)) : "www.\(name)", port: port)
    }
}

/// An address to use instead of DNS, as `HOST:PORT:ADDRESS`; the address may have another port. The host `*` is every host that is
/// checked.
public struct AddressOverride: Sendable {
    let host: String
    let port: UInt16
    let address: SocketAddress

    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let port = UInt16(parts[1]), !parts[0].isEmpty else { return nil }
        let written = parts[2]
        let candidates = [written, "\(written):\(port)", "[\(written)]:\(port)"]
        guard let address = candidates.lazy.compactMap({ SocketAddress($0) }).first, !address.isUnix else { return nil }
        host = parts[0].lowercased()
        self.port = port
        self.address = address
    }
}

/// An http or https URL to fetch from.
public struct WebLocation: Hashable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    public let host: CheckedHost
    /// With the query.
    public let path: String

    /// Reads `https://host[:port]/path` or the same with `http`. Nil for anything else.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let withPort = authority.contains(":") ? String(authority) : "\(authority):\(isSecure ? 443 : 80)"
        guard let host = CheckedHost(withPort) else { return nil }
        self.isSecure = isSecure
        self.host = host
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }
        // Characters that could end the request line, or a part of it, are not allowed.
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.path = path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    public init(secure host: CheckedHost, path: String) {
        isSecure = true
        self.host = host
        self.path = path
    }

    /// The target of a redirect from here: a URL, or a path on the same host. Nil for anything else.
    public func following(_ location: String?) -> WebLocation? {
        guard let location else { return nil }
        guard location.hasPrefix("/"), !location.hasPrefix("//") else { return WebLocation(location) }
        return WebLocation("\(isSecure ? "https" : "http")://\(hostField)\(location)")
    }

    public var description: String { "\(isSecure ? "https" : "http")://\(hostField)\(path)" }

    /// The value of `Host` in a request.
    public var hostField: String {
        host.port == (isSecure ? 443 : 80) ? host.name : "\(host.name):\(host.port)"
    }
}

/// Finds the addresses of hosts.
public struct HostAddresses: Sendable {
    private let overrides: [AddressOverride]

    /// The time that Apple's fetcher allows for a whole fetch.
    private static let lookUpMilliseconds: Int32 = 5_000

    public init(overrides: [AddressOverride]) { self.overrides = overrides }

    /// The addresses of a host in order of preference: IPv4 first, because Apple's fetcher is reported to use it.
    public func of(_ host: CheckedHost) throws(NameLookupError) -> [SocketAddress] {
        let given = given(host.name, host.port)
        return given.isEmpty ? try ofService(host) : given
    }

    /// The addresses of a service that helps to check hosts. The override `*` does not apply to it.
    public func ofService(_ host: CheckedHost) throws(NameLookupError) -> [SocketAddress] {
        let given = overrides.filter { $0.host == host.name && $0.port == host.port }.map(\.address)
        if !given.isEmpty { return given }
        let found = try NameLookup.addresses(
            of: host.name, port: host.port, milliseconds: HostAddresses.lookUpMilliseconds)
        return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
    }

    /// The addresses that need no look-up: those of the overrides for this host, or else for `*`. Names below `localhost` are
    /// loopback (RFC 6761 §6.3); not every system's resolver knows that, but browsers and curl do.
    public func given(_ name: String, _ port: UInt16) -> [SocketAddress] {
        let own = overrides.filter { $0.port == port && $0.host == name }
        let found = (own.isEmpty ? overrides.filter { $0.port == port && $0.host == "*" } : own).map(\.address)
        guard found.isEmpty, name.hasSuffix(".localhost") else { return found }
        return [SocketAddress(ip: "127.0.0.1", port: port)].compactMap(\.self)
    }
}
