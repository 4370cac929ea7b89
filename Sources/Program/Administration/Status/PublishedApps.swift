// What has become of the app files that a tenant has published, for the manager, which knows which versions it has put there.

package import SourceJSON

/// The answer of `/published/TENANT`.
public struct PublishedApps: Sendable, Equatable {
    /// In the order of their paths.
    public var files: [File]
    /// Why nothing new is read of the tenant's folder.
    public var findings: [String]

    public struct File: Sendable, Equatable {
        /// Begins with the tenant's folder.
        public var path: String
        /// Of the version that the server has read last; nil if it is gone or unreadable. SHA-256 in hexadecimal.
        public var digest: String?
        public var state: State
        /// Why that version is not served. For one that is held: what would be lost, and what to write to lose it.
        public var findings: [String]
        /// Whether an older version is served meanwhile.
        public var servesOlder: Bool

        public enum State: String, Sendable {
            case served, held, broken
        }

        public init(path: String, digest: String?, state: State, findings: [String], servesOlder: Bool) {
            (self.path, self.digest, self.state) = (path, digest, state)
            (self.findings, self.servesOlder) = (findings, servesOlder)
        }
    }

    public init(_ files: [File], findings: [String]) {
        (self.files, self.findings) = (files.sorted { $0.path < $1.path }, findings)
    }

    var json: [UInt8] { SourceWriter.minified(jsonValue) }
}

extension PublishedApps: JSONRecord {
    package static var blank: Self { Self([], findings: []) }
    package static var members: [JSONMember<Self>] { [.needed("files", \.files), .sparse("findings", \.findings)] }
}

extension PublishedApps.File: JSONRecord {
    package static var blank: Self { Self(path: "", digest: nil, state: .broken, findings: [], servesOlder: false) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("path", \.path), .optional("digest", \.digest), .needed("state", \.state),
            .sparse("findings", \.findings), .sparse("servesOlder", \.servesOlder),
        ]
    }
}

extension PublishedApps.File.State: JSONValue {
    package var jsonValue: SourceValue { .string(rawValue) }

    package init?(_ value: SourceValue) { self.init(rawValue: value.asString ?? "") }
}
