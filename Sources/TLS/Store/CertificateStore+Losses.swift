// A served host whose certificate files are gone. Phones would be refused from that moment on, and a file that was moved away by
// mistake is seldom noticed, so what was read last stays in service, and that is an error for as long as it is so. A host that
// another certificate answers for has been moved there, and one that is no longer served needs none.

import Synchronization

extension CertificateStore {
    /// What is wrong with the hosts whose files are gone, in the order of their folders.
    public var losses: [CertificateProblem] { lost.withLock { $0.values.sorted { $0.file < $1.file } } }

    /// Looks whether the files are back, though no client may have asked for their hosts. Takes a few `stat` for each.
    public func lookAtLosses() {
        for folder in lost.withLock({ Array($0.keys) }) { _ = look(into: folder, .quick) }
    }

    /// What handshakes and another look have found since the last call.
    public func problemsByNow() -> [CertificateProblem] {
        lookAtLosses()
        return drainProblems()
    }

    /// Whether the certificate of a folder whose files are gone stays in service, which is noted.
    func keeps(_ content: CertificateRecord.Content, _ folder: CertificateFolder) -> Bool {
        guard case .identity(let identity) = content, let host = folder.host,
            // A wildcard is asked for by a name that it covers.
            serves(host.hasPrefix("*.") ? "x\(host.dropFirst())" : host), !isCoveredElsewhere(host)
        else { return false }
        let problem = CertificateProblem(
            .filesGone, file: identity.first.certificateFile,
            "the certificate's files are gone, and no other certificate is for \(host); the last one that was read stays in "
                + "service until the server ends",
            fix: "put both files back, or a certificate for it into the folder of a wildcard")
        let isNew = lost.withLock { $0.updateValue(problem, forKey: folder) == nil }
        if isNew { problems.add([problem]) }
        return true
    }

    /// Forgets a loss: the files are there again, or are not needed.
    func forgetLoss(_ folder: CertificateFolder) {
        lost.withLock { lost in
            if !lost.isEmpty { lost[folder] = nil }
        }
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
