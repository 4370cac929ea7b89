// A served host whose certificate files are gone. Phones would be refused from that moment on, and a file that was moved away by
// mistake is seldom noticed, so what was read last stays in service, and that is an error for as long as it is so. A host that
// another certificate answers for has been moved there, and one that is no longer served needs none.

extension CertificateStore {
    /// Whether the certificate of a folder whose files are gone stays in service.
    func keeps(_ content: CertificateRecord.Content, _ folder: CertificateFolder) -> Bool {
        guard case .identity = content, let host = folder.host else { return false }
        return isNeeded(folder) && !isCoveredElsewhere(host)
    }

    /// Whether clients of a host without a folder of its own would be shown a certificate for it.
    private func isCoveredElsewhere(_ host: String) -> Bool {
        for candidate in CertificateOrder.candidates(for: host).dropFirst() {
            switch candidate {
            case .development: if isDevelopmentHost(host) { return true }
            case .folder(let folder):
                switch look(into: folder, .quick) {
                case .absent: continue
                case .slow, .found(.broken), .found(.none): return false
                case .found(.identity(let identity)):
                    return identity.facts.first?.names.contains { CertificateName.covers($0, host) } == true
                }
            }
        }
        return false
    }
}

extension CertificateCoverage {
    static func gone(_ folder: CertificateFolder, file: String) -> CertificateProblem {
        CertificateProblem(
            .filesGone, file: file,
            "the certificate's files are gone, and no other certificate is for \(folder.host ?? folder.name); the last one that "
                + "was read stays in service until the server ends",
            fix: "put both files back, or a certificate for it into the folder of a wildcard")
    }
}
