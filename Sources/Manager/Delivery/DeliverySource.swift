// What the delivery monitor asks the server: which hosts have which files, their content, and which were fetched.

import DNS

/// The server, as the monitor sees it.
public protocol DeliverySource: Sendable {
    /// The hosts with names after one, in the order of their bytes, as many as fit into one answer.
    func documents(after name: String) throws(DeliverySourceFailure) -> ServedVersions
    /// A host's file for a service; nil if it has none by now.
    func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]?
    /// The versions that a host's file has had since a moment, the oldest first. They include those that were replaced before the
    /// monitor has seen them. Empty if they are not known.
    func recentVersions(of host: String, for verifier: DeliveryVerifier, since seconds: Int64) -> [RecentVersion]
    /// Fetches of current files by the services since a moment, earliest first, as many as fit into one answer, and whether there
    /// are later ones.
    func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> (fetches: [ServiceFetch], hasMore: Bool)
}

/// A version of a file that a server has sent.
public struct RecentVersion: Hashable, Sendable {
    /// The entity tag, with quotes.
    public var tag: String
    /// On which it was first sent, such as `2026-11-22`.
    public var day: String

    public init(tag: String, day: String) { (self.tag, self.day) = (tag, day) }
}

/// Why the server does not answer.
public struct DeliverySourceFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// The files of some hosts by their entity tags.
public struct ServedVersions: Sendable {
    /// Of everything that is served.
    public var digest: String
    public var hosts: [Host]
    /// Whether there are hosts with later names.
    public var hasMore: Bool

    /// One host.
    public struct Host: Sendable {
        public var name: String
        /// The entity tags of its files.
        public var tags: [DeliveryVerifier: String]

        public init(name: String, tags: [DeliveryVerifier: String]) { (self.name, self.tags) = (name, tags) }

        /// Whether Apple and Google can fetch from it. A wildcard has no address of its own, a name without a dot is that of a
        /// machine in a local network, and some top-level domains are not in the public DNS.
        var isPublic: Bool {
            let labels = name.split(separator: ".")
            guard labels.count > 1, let last = labels.last, let host = DomainName(name), !host.isWildcard else {
                return false
            }
            return !Host.specialDomains.contains(String(last)) && labels.suffix(2) != ["home", "arpa"]
        }

        /// RFC 2606, 6761, 6762, 7686 and 9476, and ICANN's for private use.
        private static let specialDomains: Set<String> = [
            "alt", "example", "internal", "invalid", "local", "localhost", "onion", "test",
        ]
    }

    public init(digest: String, hosts: [Host], hasMore: Bool) {
        (self.digest, self.hosts, self.hasMore) = (digest, hosts, hasMore)
    }
}

/// A fetch of a host's current file by a service.
public struct ServiceFetch: Hashable, Sendable {
    public var host: String
    public var verifier: DeliveryVerifier
    /// The entity tag of the file.
    public var tag: String
    /// Since 1970.
    public var seconds: Int64
    /// Whether it came from a network of the service. Any client can send the name of a service's fetcher.
    public var isConfirmed: Bool

    public init(host: String, verifier: DeliveryVerifier, tag: String, seconds: Int64, isConfirmed: Bool) {
        (self.host, self.verifier, self.tag, self.seconds) = (host, verifier, tag, seconds)
        self.isConfirmed = isConfirmed
    }
}
