// A served host whose certificate files are gone. Phones would be refused from that moment on, and nobody who moves a file away by
// mistake hears of it, so what was read last stays in service, and that is an error for as long as it is so. A host that another
// certificate answers for has been moved there, and one that is no longer served needs none.

import Synchronization

extension CertificateStore {
    /// What is wrong with the hosts whose files are gone, in the order of their folders.
    public var losses: [CertificateProblem] { lost.withLock { $0.values.sorted { $0.file < $1.file } } }

    /// Looks whether the files are back, though nobody may have asked for their hosts. Takes a few `stat` for each.
    public func lookAtLosses() {
        for reading in lost.withLock({ Array($0.keys) }) { read(reading) }
    }

    /// What handshakes and another look have found since the last call.
    public func problemsByNow() -> [CertificateProblem] {
        lookAtLosses()
        return drainProblems()
    }

    /// Whether the identity of a folder whose files are gone is to stay in service, which is noted.
    func keeps(_ content: Entry.Content, _ scope: HostScope, _ name: Span<UInt8>) -> Bool {
        guard case .identity(let identity) = content, let host = host(scope, name),
            // A wildcard is asked for by a name that it covers.
            serves(scope == .wildcard ? "x\(host.dropFirst())" : host), !isCoveredElsewhere(host, name)
        else { return false }
        let problem = CertificateProblem(
            .filesGone, file: identity.first.certificateFile,
            "the certificate's files are gone, and no other certificate is for \(host); the last one that was read stays in "
                + "service until the server ends",
            fix: "put both files back, or a certificate for it into the folder of a wildcard")
        let isNew = lost.withLock { $0.updateValue(problem, forKey: reading(scope, name)) == nil }
        if isNew { problems.add([problem]) }
        return true
    }

    /// Forgets a loss: the files are there again, or nobody needs them.
    func forgetLoss(_ scope: HostScope, _ name: Span<UInt8>) {
        lost.withLock { lost in
            if !lost.isEmpty { lost[reading(scope, name)] = nil }
        }
    }

    /// Whether those who ask for a host without a folder of its own would be shown a certificate for it.
    private func isCoveredElsewhere(_ host: String, _ name: Span<UInt8>) -> Bool {
        if isDevelopmentHost(name) { return true }
        var due: CertificateReading?
        do throws(CertificateReading) {
            var other = try wildcardIdentity(for: name, .disk, &due)
            if other == nil { other = try look(.unnamed, nobody.span, .disk, &due) }
            guard case .identity(let identity)? = other else { return false }
            return identity.facts.first?.names.contains { CertificateName.covers($0, host) } == true
        } catch {
            return false
        }
    }
}
