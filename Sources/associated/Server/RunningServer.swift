// The parts of a running server that one thread keeps in order.

import Catalogue
import Engine
import Hosting
import Posix
import TLS

extension Control {
    /// What there is to manage.
    struct Running: Sendable {
        let engine: Engine
        let published: PublishedCatalogue
        let tenants: Tenants
        let certificates: CertificateStore?
        let surveyor: CertificateSurveyor?
        let tickets: TicketKeys?
        let supervisor: Supervisor
        let log: ReloadLog
        let confinement: Confinement
        let standing: ServerStanding
        let overseeing: Oversight.Running
        let journal: ChangeJournal
        /// Folders whose changes may have no events, each with the name of its file system.
        let blindFolders: [BlindFolder]

        /// Looks at what may have changed, and serves what came of it.
        func round(_ changes: TreeChanges) -> Result<RoundReport, ConfigurationError> {
            let began = Clock.monotonicMicroseconds()
            let outcome = standing.looks.look(.round) {
                Result { () throws(ConfigurationError) in try tenants.round(changes) }
            }
            switch outcome {
            case .success(let report):
                // Here, because a change must not wait for another thread's turn.
                publish(report)
                standing.reloaded(report, tenants, since: began)
            case .failure(let error): standing.failed(error, since: began)
            }
            return outcome
        }

        /// Puts a catalogue in the place of the one before, and what that changes into the journal.
        func publish(_ report: RoundReport) {
            let before = published.current
            published.publish(report.catalogue)
            engine.catalogueChanged()
            standing.noteState(.history) { () throws(SystemError) in
                try journal.note(report.changes, from: before, to: report.catalogue, atSeconds: Clock.wallSeconds())
            }
        }

        /// Tells what has become of `server.json`.
        func report(_ news: SettingsWatch.News?) {
            guard let news else { return }
            standing.note(settings: news.findings)
            for finding in news.findings { Log.finding(finding) }
            if let objection = news.objection {
                Log.error("server.json has changed, and the next start would be refused: \(objection)")
            } else if news.isChanged {
                Log.info("server.json has changed: it takes effect at the next start")
            } else {
                Log.info("server.json is again what the server was started with")
            }
        }
    }

    struct BlindFolder: Equatable, Sendable {
        let path: String
        let fileSystem: String

        /// Those of a configuration. Asked before the process is shut in.
        static func all(_ given: LoadedSettings) -> [BlindFolder] {
            let config = given.configPath
            let paths = [config, "\(config)/apps", "\(config)/hosts", "\(config)/retired", given.publicPath]
            return paths.compactMap { path in
                FileSystemKind.withoutEvents(path).map { BlindFolder(path: path, fileSystem: $0) }
            }
        }
    }
}
