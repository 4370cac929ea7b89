// Whose something is. Everything that is limited is counted by this value, whatever room it is in, so one type says it.

/// A tenant: a folder of `config/apps`, or a host that has none.
public struct TenantID: Hashable, Sendable, CustomStringConvertible {
    /// As the log names it: `customer-a/` or `shop.example.com`.
    public let description: String

    private init(_ description: String) { self.description = description }

    /// Of a folder directly in `config/apps`.
    public init(folder: String) { self.init("\(folder)/") }

    /// The top folder of `config/apps` that contains an app file, whose files share everything that is limited; nil for a file
    /// directly in it, which is the operator's.
    public static func folder(ofApp path: String) -> String? {
        path.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) }
    }

    /// Of a host: the first folder below `config/apps` of its app file. Without one, a host is a tenant of its own.
    public init(of host: String, folder: String?) { self.init(folder.map { "\($0)/" } ?? host) }

    /// Who owns what belongs to no tenant.
    public static let `operator` = TenantID("the operator")
    /// All names that the server knows and does not serve: making folders for them must not make tenants.
    public static let unserved = TenantID("hosts that are not served")
}
