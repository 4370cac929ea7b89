// The two files of passkeys that name no app: the pages for password managers, and the other origins. Apps that share a host share
// both: the first in the merge order decides about a page, and the origins of all are listed.

public import SourceJSON

/// The generated files below `/.well-known/` for the passkeys of a host.
public struct PasskeyDocuments: Sendable {
    /// `passkey-endpoints`; nil if no app of the host has passkeys. An empty object says that the host has them.
    public let endpoints: SourceValue?
    /// `webauthn`; nil without other origins.
    public let origins: SourceValue?

    /// - Parameter apps: in merge order.
    public init(_ apps: [AppFile]) {
        let all = apps.compactMap(\.passkeys)
        let pages = Passkeys.pageKeys.map { key in (key, all.lazy.compactMap { $0.pages[key] }.first) }
        endpoints = all.isEmpty ? nil : .object(present: pages.map { ($0.0, $0.1.map { .string($0) }) })
        let origins = all.flatMap(\.origins).eachOnce
        self.origins = origins.isEmpty ? nil : .object([("origins", .strings(origins))])
    }

    /// By request path.
    public var files: [(path: String, bytes: [UInt8])] {
        [(AssociationPath.passkeyEndpoints, endpoints), (AssociationPath.relatedOrigins, origins)].compactMap { file in
            file.1.map { (file.0, HostDocuments.bytes(of: $0)) }
        }
    }
}
