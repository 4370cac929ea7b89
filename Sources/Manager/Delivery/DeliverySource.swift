// What the delivery monitor asks the server: which hosts have which files, their content, and which were fetched.

import DNS

/// The server, as the monitor sees it.
public protocol DeliverySource: Sendable {
    /// The hosts with names after one, in the order of their bytes, as many as fit into one answer.
    func documents(after name: String) throws(DeliverySourceFailure) -> ServedVersions
    /// A host's file for a service; nil if it has none by now.
    func file(of host: String, for verifier: DeliveryVerifier) throws(DeliverySourceFailure) -> [UInt8]?
    /// Fetches of current files by the services since a moment, earliest first, as many as fit into one answer.
    func fetches(since seconds: Int64) throws(DeliverySourceFailure) -> ServiceFetches
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

        /// Whether Apple and Google can fetch from it. A wildcard has no address of its own, and a name without a dot is
        /// that of a machine in a local network.
        var isPublic: Bool { name.contains(".") && DomainName(name).map { !$0.isWildcard } ?? false }
    }

    public init(digest: String, hosts: [Host], hasMore: Bool) {
        (self.digest, self.hosts, self.hasMore) = (digest, hosts, hasMore)
    }
}

/// A fetch of a host's current file by a service.
public struct ServiceFetch: Sendable {
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

/// Some fetches, earliest first.
public struct ServiceFetches: Sendable {
    public var fetches: [ServiceFetch]
    /// Whether there are later ones.
    public var hasMore: Bool

    public init(_ fetches: [ServiceFetch], hasMore: Bool) { (self.fetches, self.hasMore) = (fetches, hasMore) }
}
