// Whether the certificate that answers for a host is for that host at all. A host's own folder is checked with its
// certificate; here it is about hosts that are answered by a wildcard's, which covers one label and no more, or by the one
// for everybody else.

public import Posix

/// The folders below `config/hosts` that answer for hosts without one of their own, each read once.
public struct CertificateCoverage {
    private let tree: CertificateTree
    private let passphrase: Passphrase?
    private let isTLSOn: Bool
    private let pool = ChainPool()
    /// The names of a folder's certificate; nil where it has none, or none that can be read.
    private var names: [CertificateFolder: [String]?] = [:]

    /// - Parameter isTLSOn: whether a host without any certificate is a fault.
    public init(hostsPath: String, links: LinkTargets = .none, passphrase: Passphrase?, isTLSOn: Bool = false) {
        self.isTLSOn = isTLSOn
        tree = CertificateTree(hostsPath, links: links)
        self.passphrase = passphrase
    }

    /// What clients of a host, `*.example.com` included, would hold against the certificate they are shown.
    public mutating func problem(for host: String) -> CertificateProblem? {
        for (index, candidate) in CertificateOrder.candidates(for: host).enumerated() {
            guard case .folder(let folder) = candidate else { continue }
            // Its own is checked with the certificate in it.
            if index == 0, CertificateFiles(folder, in: tree).hasCertificate { return nil }
            guard let names = names(of: folder) else { continue }
            return CertificateCoverage.problem(
                host: host, names: names, file: CertificateFiles(folder, in: tree).path(0))
        }
        guard isTLSOn, case .folder(let own)? = CertificateOrder.candidates(for: host).first else { return nil }
        return CertificateCoverage.missing(host: host, file: CertificateFiles(own, in: tree).path(0))
    }

    static func missing(host: String, file: String) -> CertificateProblem {
        CertificateProblem(
            .missing, file: file,
            "there is no certificate for \(host); every client that asks for it over TLS is refused",
            fix: "put fullchain.pem and privkey.pem there, or a certificate for it into the folder of a wildcard")
    }

    static func problem(host: String, names: [String], file: String) -> CertificateProblem? {
        if names.contains(where: { CertificateName.covers($0, host) }) { return nil }
        return CertificateProblem(
            .nameNotCovered, file: file,
            "clients of \(host) are shown this certificate, which is for \(CertificateName.list(names))",
            fix: "put a certificate for \(host) into a folder of its own")
    }

    private mutating func names(of folder: CertificateFolder) -> [String]? {
        if let known = names[folder] { return known }
        var found: [String]?
        let files = CertificateFiles(folder, in: tree)
        if case .identity(let identity) = files.load(passphrase: passphrase, pool: pool, .slow) {
            found = identity.facts.first?.names
        }
        names[folder] = .some(found)
        return found
    }
}
