// Checks whether a host's certificate covers the host, if it is in a folder that several hosts share: that of a wildcard, which
// covers exactly one label, or `_default`. The certificate in a host's own folder is checked by `CertificateChecks`.

public import Posix
public import TLS

/// The shared folders below `config/hosts`, each of which is read once.
public struct CertificateCoverage {
    private let tree: CertificateTree
    private let isTLSOn: Bool
    private let isOrdered: (String) -> Bool
    private let pool = ChainPool()
    /// The names of a folder's certificate; nil if it has no usable one.
    private var names: [CertificateFolder: [String]?] = [:]

    /// - Parameters:
    ///   - isTLSOn: whether a host without a certificate is a problem.
    ///   - isOrdered: whether the manager orders a certificate for a host.
    public init(
        hostsPath: String, managedPath: String? = nil, links: LinkTargets = .none,
        isTLSOn: Bool = false, isOrdered: @escaping (String) -> Bool = { _ in false }
    ) {
        (self.isTLSOn, self.isOrdered) = (isTLSOn, isOrdered)
        tree = CertificateTree(hostsPath, links: links, managedPath: managedPath)
    }

    /// The problem of a configured host (`*.example.com` for a wildcard) with the certificate that its clients get.
    public mutating func problem(for host: String) -> CertificateProblem? {
        let own = CertificateFolder(host: host)
        for candidate in CertificateOrder.candidates(for: host) {
            guard case .folder(let folder) = candidate else { continue }
            // The certificate in its own folder is checked elsewhere.
            if folder == own, CertificateFiles(folder, in: tree).hasCertificate { return nil }
            guard let names = names(of: folder) else { continue }
            return CertificateCoverage.problem(
                host: host, names: names, file: CertificateFiles(folder, in: tree).path(0))
        }
        if !isTLSOn { return nil }
        return CertificateCoverage.missing(
            host: host, file: CertificateFiles(own, in: tree).path(0), isOrdered: isOrdered(host))
    }

    static func missing(host: String, file: String, isOrdered: Bool) -> CertificateProblem {
        CertificateProblem(
            .missing, file: file,
            "there is no certificate for \(host)\(isOrdered ? " yet" : ""), so all its TLS handshakes fail",
            fix: isOrdered
                ? "the manager is to order one, and `associated acme status \(host)` says how far it is, or what prevents it"
                : "put fullchain.pem and privkey.pem there, or a certificate for it into a wildcard's folder",
            severity: isOrdered ? .warning : nil)
    }

    static func problem(host: String, names: [String], file: String) -> CertificateProblem? {
        if names.contains(where: { CertificateName.covers($0, host) }) { return nil }
        return CertificateProblem(
            .nameNotCovered, file: file,
            "clients of \(host) get this certificate, but it is for \(CertificateName.list(names))",
            fix: "put a certificate for \(host) into the host's own folder")
    }

    private mutating func names(of folder: CertificateFolder) -> [String]? {
        if let known = names[folder] { return known }
        var found: [String]?
        let files = CertificateFiles(folder, in: tree)
        if case .identity(let identity) = files.load(pool: pool) {
            found = identity.certificate.firstNames
        }
        names[folder] = .some(found)
        return found
    }
}
