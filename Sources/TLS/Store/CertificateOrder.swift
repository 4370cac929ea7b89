// Where a name's certificate is looked for, and in which order. Handshakes, signers, lint and redirects to TLS all use this
// list. For `a.shop.example.com`:
//
//   1. hosts/a.shop.example.com
//   2. hosts/_wildcard.shop.example.com, then hosts/_wildcard.example.com, then hosts/_wildcard.com
//   3. where there is a development authority: a certificate of its making
//   4. hosts/_default
//
// The first folder with a `fullchain.pem` answers, even if its files turn out to be broken: another host's certificate in its
// place would hide the fault.

/// A folder below `config/hosts` that may hold a certificate.
struct CertificateFolder: Hashable, Sendable {
    /// Its name there: a host, `_wildcard.example.com` or `_default`.
    let name: String

    static let fallback = CertificateFolder(name: "_default")
    private static let wildcardPrefix = "_wildcard."

    init(name: String) { self.name = name }

    /// The folder for `*.` and this name.
    init(wildcardOver parent: String) { name = CertificateFolder.wildcardPrefix + parent }

    /// The name that its certificate must cover, such as `*.example.com`. Nil for `_default` and where no host has the name.
    var host: String? {
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
    /// All places for a name in lower case, `*.example.com` included. The empty name stands for clients that name no host;
    /// what is no host name finds `_default` alone.
    static func candidates(for name: String) -> [CertificateCandidate] {
        if name.isEmpty { return [.folder(.fallback), .development] }
        let isWildcard = name.hasPrefix("*.")
        let host = isWildcard ? String(name.dropFirst(2)) : name
        guard HostName.isValid(Array(host.utf8).span) else { return [.folder(.fallback)] }
        let labels = host.split(separator: ".")
        let parents = (isWildcard ? 0 : 1)..<labels.count
        let wildcards = parents.prefix(CertificateLimits.labelsMax - 1).map {
            CertificateCandidate.folder(CertificateFolder(wildcardOver: labels[$0...].joined(separator: ".")))
        }
        let own = isWildcard ? [] : [CertificateCandidate.folder(CertificateFolder(name: host))]
        return own + wildcards + [.development, .folder(.fallback)]
    }
}
