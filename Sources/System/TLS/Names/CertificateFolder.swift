// The folders of certificates below `config/hosts`, and those of the manager, by their names.

/// A folder below `config/hosts` that may hold a certificate.
public struct CertificateFolder: Hashable, Sendable {
    /// Its name there: a host, `_wildcard.example.com` or `_default`.
    public let name: String

    public static let fallback = CertificateFolder(name: "_default")
    private static let wildcardPrefix = "_wildcard."

    public init(name: String) { self.name = name }

    /// The folder of a host, or of a wildcard such as `*.example.com`.
    public init(host: String) {
        name = host.hasPrefix("*.") ? CertificateFolder.wildcardPrefix + host.dropFirst(2) : host
    }

    /// The name that its certificate must cover, such as `*.example.com`. Nil for `_default` and where no host has the name.
    public var host: String? {
        let isWildcard = name.hasPrefix(CertificateFolder.wildcardPrefix)
        let host = isWildcard ? String(name.dropFirst(CertificateFolder.wildcardPrefix.count)) : name
        guard HostName.isValid(Array(host.utf8).span) else { return nil }
        return isWildcard ? "*.\(host)" : host
    }
}
