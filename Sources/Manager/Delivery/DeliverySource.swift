// What the delivery monitor asks the server: which hosts have which files, their content, and which were fetched.

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

/// A version of a file that a server has sent: its entity tag, with quotes, and the day on which it was first sent, such as
/// `2026-11-22`.
public typealias RecentVersion = (tag: String, day: String)

/// Why the server does not answer.
public struct DeliverySourceFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// The files of some hosts by their entity tags, with the digest of everything that is served, and whether there are hosts with
/// later names.
public typealias ServedVersions = (
    digest: String, hosts: [(name: String, tags: [DeliveryVerifier: String])], hasMore: Bool
)

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
