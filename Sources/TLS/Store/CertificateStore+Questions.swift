// What the rest of the program asks about certificates: from memory and from the surveys, never from the disk.

import Synchronization

/// How the certificate for one host stands.
public struct HostCertificate: Sendable {
    /// The folder below `config/hosts` that it is in, or should be.
    public var folder: String
    public var state: CertificateState
    /// Nil where there is none in service.
    public var summary: CertificateSummary?
    public var problems: [StandingProblem]
}

extension CertificateStore {
    /// The result of all surveys, with what handshakes have found since.
    public func surveyed(now: Int64) -> CertificateSurvey { register.survey(now: now) }

    /// What is wrong with the certificates of served hosts, the errors first.
    public func problems(_ countMax: Int) -> [StandingProblem] { register.problems(countMax) }

    /// How many of these there are.
    public var standingCounts: ProblemCounts { register.state.withLock { $0.standing } }

    /// The certificates that end before a time, the first first.
    public func ending(before seconds: Int64) -> [CertificateSurvey.Expiry] { register.ending(before: seconds) }

    /// Some folders about which an error stands.
    public func foldersWithErrors(_ countMax: Int) -> [String] { register.foldersWithErrors(countMax) }

    /// What has changed since the last call.
    public func drainNews() -> CertificateNews { register.drain() }

    /// The certificate that answers for a host, `*.example.com` included, and everything that is wrong with that; nil where no
    /// survey has been yet or a certificate is made for development.
    public func certificate(of host: String) -> HostCertificate? {
        var found: HostCertificate?
        for candidate in CertificateOrder.candidates(for: host) {
            switch candidate {
            case .development: if found == nil, isDevelopmentHost(host) { return nil }
            case .folder(let folder):
                guard let entry = register.entry(folder.name) else { continue }
                var here = HostCertificate(
                    folder: folder.name, state: entry.state, summary: entry.summary,
                    problems: register.problems(of: folder.name))
                // The entry of a host without files says what is wrong with its having none.
                if let found { (here.state, here.problems) = (found.state, found.problems + here.problems) }
                if entry.hasFiles { return here }
                found = here
            }
        }
        return found
    }
}
