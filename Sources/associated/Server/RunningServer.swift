// A running server: the parts that the main loop keeps in order, and what it does with them.

import Catalogue
import Engine
import Hosting
import Posix
import TLS

struct RunningServer: Sendable {
    let engine: Engine
    let published: PublishedCatalogue
    let tenants: Tenants
    let certificates: CertificateStore?
    let surveyor: CertificateSurveyor?
    let tickets: TicketKeys?
    let notifier: SystemdNotifier
    let sandbox: Sandbox
    let state: ServerState
    let admin: AdminWiring.Running
    let journal: ChangeJournal
    /// Folders whose changes may have no events.
    let blindFolders: [BlindFolder]

    /// Looks at what may have changed, and serves what came of it.
    func round(_ changes: TreeChanges) -> Result<RoundReport, ConfigurationError> {
        let began = Clock.monotonicMicroseconds()
        let outcome = state.diskTimer.measure(.round) {
            Result { () throws(ConfigurationError) in try tenants.round(changes) }
        }
        switch outcome {
        case .success(let report):
            // Here, because a change must not wait for another thread's turn.
            publish(report)
            state.reloaded(report, tenants, since: began)
        case .failure(let error): state.failed(error, since: began)
        }
        return outcome
    }

    /// Replaces the catalogue, and writes what that changes into the journal.
    func publish(_ report: RoundReport) {
        let before = published.current
        published.publish(report.catalogue)
        engine.catalogueChanged()
        state.noteState(.history) { () throws(SystemError) in
            try journal.note(report.changes, from: before, to: report.catalogue, atSeconds: Clock.wallSeconds())
        }
    }

    /// Reports that `server.json` has changed.
    func report(_ news: SettingsWatch.News?) {
        guard let news else { return }
        state.note(settings: news.findings)
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

/// A folder without events, and the name of its file system.
struct BlindFolder: Equatable, Sendable {
    let path: String
    let fileSystem: String

    /// Those of a configuration. Asked before the process is confined.
    static func all(_ given: LoadedSettings) -> [BlindFolder] {
        let config = given.configPath
        let paths = [config, "\(config)/apps", "\(config)/hosts", "\(config)/retired", given.publicPath]
        return paths.compactMap { path in
            FileSystemKind.withoutEvents(path).map { BlindFolder(path: path, fileSystem: $0) }
        }
    }
}
