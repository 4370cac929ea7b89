// The association files that a server sends, for the manager, which compares them with the copies that Apple and Google have. The
// list is given in parts, in the order of the names, so that no answer depends on the number of hosts.

import SourceJSON
public import Telemetry

/// The answer of `/documents` and `/documents/AFTER`.
public struct ServedDocuments: Sendable, Equatable {
    public var digest: String
    /// In the order of their names.
    public var hosts: [Host]
    /// Whether there are hosts with later names.
    public var hasMore: Bool

    /// The entity tags of the association files of one host, with quotes.
    public struct Host: Sendable, Equatable {
        /// The configured name.
        public var name: String
        /// Nil if it has no such file.
        public var apple: String?
        public var google: String?

        public init(name: String, apple: String?, google: String?) {
            (self.name, self.apple, self.google) = (name, apple, google)
        }
    }

    /// Keeps an answer at a few megabytes.
    public static let hostsMax = 20_000

    public init(digest: String, hosts: [Host], hasMore: Bool) {
        (self.digest, self.hosts, self.hasMore) = (digest, hosts, hasMore)
    }

    /// The names of the next part, and whether there are later ones. One pass with a few sorts of twice the part: sorting a million
    /// names would take a second.
    /// - Parameter after: the last name of the part before; empty for the first part.
    public static func names(
        after: String, of all: [String], countMax: Int = ServedDocuments.hostsMax
    ) -> (names: [String], hasMore: Bool) {
        var (names, hasMore): ([String], Bool) = ([], false)
        func shorten() {
            names.sort()
            if names.count > countMax { hasMore = true }
            names = Array(names.prefix(countMax))
        }
        var bound: String?
        for name in all where name > after {
            if let bound, name > bound {
                hasMore = true
                continue
            }
            names.append(name)
            if names.count == 2 * countMax {
                shorten()
                bound = names.last
            }
        }
        shorten()
        return (names, hasMore)
    }

    /// Nil if the bytes are anything else.
    public init?(json bytes: [UInt8]) {
        self.init(
            json: bytes,
            limits: SourceLimits(
                depth: 8, bytes: ServedHosts.bytesMax, values: 4 * ServedDocuments.hostsMax + 100, problems: 1))
    }

    var json: [UInt8] { SourceWriter.minified(jsonValue) }
}

extension ServedDocuments: JSONRecord {
    package static var blank: Self { Self(digest: "", hosts: [], hasMore: false) }
    package static var members: [JSONMember<Self>] {
        [.needed("digest", \.digest), .needed("hosts", \.hosts), .needed("more", \.hasMore)]
    }
}

extension ServedDocuments.Host: JSONRecord {
    package static var blank: Self { Self(name: "", apple: nil, google: nil) }
    package static var members: [JSONMember<Self>] {
        [.needed("host", \.name), .optional("apple", \.apple), .optional("google", \.google)]
    }
}

/// The answer of `/fetched/SECONDS`: the latest fetches of current files by Apple's CDN and Google's service.
public struct RecentFetches: Sendable, Equatable {
    /// Earliest first.
    public var fetches: [Fetch]
    /// Whether there are later ones.
    public var hasMore: Bool

    /// The latest fetch of one host's current file by one verifier.
    public struct Fetch: Sendable, Equatable {
        /// The configured name.
        public var host: String
        public var verifier: VerifierKind
        /// Of the file, as `ServedDocuments` has it.
        public var tag: String
        /// Since 1970.
        public var seconds: Int64
        /// Whether it came from a published network of the verifier.
        public var isConfirmed: Bool

        public init(host: String, verifier: VerifierKind, tag: String, seconds: Int64, isConfirmed: Bool) {
            (self.host, self.verifier, self.tag, self.seconds) = (host, verifier, tag, seconds)
            self.isConfirmed = isConfirmed
        }
    }

    /// The next request continues with the last time.
    static let fetchesMax = 10_000

    /// Keeps the earliest ones. Of one second, those from a network of the verifier come first: any client can make thousands of
    /// others, and what does not fit into the answer is lost.
    public init(_ all: [Fetch]) {
        func order(_ fetch: Fetch) -> (Int64, Int, String) { (fetch.seconds, fetch.isConfirmed ? 0 : 1, fetch.host) }
        fetches = Array(all.sorted { order($0) < order($1) }.prefix(RecentFetches.fetchesMax))
        hasMore = all.count > RecentFetches.fetchesMax
    }

    var json: [UInt8] { SourceWriter.minified(jsonValue) }
}

extension RecentFetches: JSONRecord {
    package static var blank: Self { Self([]) }
    package static var members: [JSONMember<Self>] { [.needed("fetches", \.fetches), .needed("more", \.hasMore)] }
}

extension RecentFetches.Fetch: JSONRecord {
    package static var blank: Self { Self(host: "", verifier: .none, tag: "", seconds: 0, isConfirmed: false) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("host", \.host), .needed("verifier", \.verifier), .needed("tag", \.tag),
            .needed("seconds", \.seconds), .needed("confirmed", \.isConfirmed),
        ]
    }
}
