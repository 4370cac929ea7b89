// The certificates of a server that starts.

import Association
import Catalogue
import Hosting
import Posix
import TLS

extension Server {
    func certificateStore(
        _ published: PublishedCatalogue, _ development: DevelopmentAuthority?
    ) -> CertificateStore? {
        if settings.https.isEmpty { return nil }
        return CertificateStore(
            hostsPath: "\(given.configPath)/hosts", links: settings.linkTargets,
            passphrase: given.passphrase?.passphrase, development: development,
            // Names are made certificates for only while they are served.
            wantsDevelopment: { host in published.current.reading { $0.knows(host) } },
            serves: { host in published.current.reading { $0.knows(host) } })
    }

    /// Where no error is accepted, the certificates of all hosts are looked at first.
    func objection(
        to certificates: CertificateStore?, of published: PublishedCatalogue, _ background: Background,
        _ signals: borrowing Signals
    ) -> ExitStatus? {
        guard settings.isStrict, let certificates else { return nil }
        background.start { _ = certificates.survey(published.current.servedHosts) }
        guard isFinished(background, signals) else { return .failure(saying: "stopped before it was ready") }
        let errors = certificates.standingCounts.errors
        if errors == 0 { return nil }
        ReloadLog().certificates(certificates.drainNews())
        return .failure(saying: "not started: \(Count.of(errors, "error")) of certificates above, and --strict is set")
    }
}
