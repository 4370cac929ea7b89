// The places of a name's certificate, in the order in which they are searched. Handshakes, signers, lint and redirects to TLS use
// this list. For `a.shop.example.com`:
//
//   1. hosts/a.shop.example.com
//   2. hosts/_wildcard.shop.example.com, then hosts/_wildcard.example.com, then hosts/_wildcard.com
//   3. if there is a development authority: a certificate issued by it
//   4. hosts/_default
//
// The first folder with a `fullchain.pem` decides, even if its files are broken: using the certificate of another folder instead
// would hide the problem. For a name without a certificate in `hosts`, the manager's folder of the same name is used.

/// A folder below `config/hosts` that may hold a certificate.
public struct CertificateFolder: Hashable, Sendable {
    /// Its name there: a host, `_wildcard.example.com` or `_default`.
    public let name: String

    static let fallback = CertificateFolder(name: "_default")
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

/// One place where a name's certificate may be.
enum CertificateCandidate: Hashable, Sendable {
    case folder(CertificateFolder)
    case development
}

enum CertificateOrder {
    /// All places for a name in lower case, which may be `*.example.com`. The empty name is for clients that send no name. A name
    /// that is not a host name has only `_default`.
    static func candidates(for name: String) -> [CertificateCandidate] {
        if name.isEmpty { return [.folder(.fallback), .development] }
        let host = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
        guard HostName.isValid(Array(host.utf8).span) else { return [.folder(.fallback)] }
        let names = [name] + HostName.wildcards(over: name, countMax: CertificateLimits.labelsMax - 1)
        return names.map { .folder(CertificateFolder(host: $0)) } + [.development, .folder(.fallback)]
    }
}
