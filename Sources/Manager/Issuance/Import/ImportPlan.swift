// Which certificate of an archive serves which host. Pure: the settings and the archive are values, and nothing is stored.

import TLS

/// The certificates to store, each with its hosts.
struct ImportPlan: Sendable {
    struct Item: Sendable {
        let certificate: ClientArchive.Certificate
        /// In order; never empty.
        let hosts: [String]
    }

    private(set) var items: [Item] = []
    private(set) var omissions: [ClientArchive.Omission] = []

    /// Of several certificates for a host, the one that is valid for the longest time serves it.
    /// - Parameter covers: whether the settings allow certificates for a host.
    init(_ certificates: [ClientArchive.Certificate], covers: (String) -> Bool) {
        var chosen: [String: String] = [:]
        let ordered = certificates.sorted { left, right in
            (right.chain.facts.notAfter, left.file) < (left.chain.facts.notAfter, right.file)
        }
        for certificate in ordered {
            var (hosts, excluded, others) = ([String](), [String](), [String: [String]]())
            for name in Set(certificate.chain.facts.names).sorted() where ImportPlan.isHost(name) {
                if !covers(name) {
                    excluded.append(name)
                } else if let file = chosen[name] {
                    others[file, default: []].append(name)
                } else {
                    chosen[name] = certificate.file
                    hosts.append(name)
                }
            }
            if !excluded.isEmpty {
                omit(certificate, "`acme.allow` and `acme.deny` exclude \(excluded.joined(separator: ", "))")
            }
            for (file, names) in others.sorted(by: { $0.key < $1.key }) {
                omit(certificate, "\(file) is valid as long or longer for \(names.joined(separator: ", "))")
            }
            if !hosts.isEmpty {
                items.append(Item(certificate: certificate, hosts: hosts))
            } else if excluded.isEmpty, others.isEmpty {
                omit(certificate, "it names no host")
            }
        }
    }

    private mutating func omit(_ certificate: ClientArchive.Certificate, _ reason: String) {
        omissions.append(ClientArchive.Omission(file: certificate.file, reason: reason, isFailure: false))
    }

    /// Whether a name of a certificate is a host name or a wildcard that can have a folder; addresses cannot.
    private static func isHost(_ name: String) -> Bool {
        guard CertificateFolder(name: CertificateFolder(host: name).name).host == name else { return false }
        return name.split(separator: ".").last?.contains { $0.isLetter } == true
    }
}
