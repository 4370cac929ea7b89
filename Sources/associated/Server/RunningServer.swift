// The parts of a running server, and what the main loop does with them.

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
    let standIn: ManagerStandIn
    let journal: ChangeJournal
    /// Folders on file systems without change events.
    let foldersWithoutEvents: [FolderWithoutEvents]

    /// Reads what may have changed and serves the result.
    func reload(_ changes: TreeChanges) -> Result<RoundReport, ConfigurationError> {
        let began = Clock.monotonicMicroseconds()
        let outcome = state.diskTimer.measure(.round) {
            Result { () throws(ConfigurationError) in try tenants.round(changes) }
        }
        switch outcome {
        case .success(let report):
            // Published by this thread, so that a change does not wait for another one.
            publish(report)
            state.reloaded(report, tenants, since: began)
        case .failure(let error): state.failed(error, since: began)
        }
        return outcome
    }

    /// Replaces the catalogue and writes the changes to the journal.
    func publish(_ report: RoundReport) {
        let before = published.current
        published.publish(report.catalogue)
        engine.catalogueChanged()
        // Without a change nothing is written, which says nothing about the folder.
        if report.changes.isEmpty, state.stateProblems[.history] == nil { return }
        state.noteState(.history) { () throws(SystemError) in
            try journal.note(report, from: before, foldersBefore: state.folders, atSeconds: Clock.wallSeconds())
        }
    }

    /// Logs that `server.json` has changed.
    func report(_ news: SettingsWatch.News?) {
        guard let news else { return }
        state.note(settings: news.findings)
        for finding in news.findings { Log.finding(finding) }
        // The finding says what to do.
        if news.isGone { return }
        if let objection = news.objection {
            Log.error("server.json has changed, and the next start would fail: \(objection)")
        } else if news.isChanged {
            Log.info("server.json has changed: send SIGUSR2 to apply it, or restart")
        } else {
            Log.info("server.json is again as it was at the start")
        }
    }
}

/// A folder on a file system without change events.
struct FolderWithoutEvents: Equatable, Sendable {
    let path: String
    let fileSystem: String

    /// The folders of a configuration.
    static func all(_ given: LoadedSettings) -> [FolderWithoutEvents] {
        let config = given.configPath
        let paths = [config, "\(config)/apps", "\(config)/hosts", "\(config)/retired", given.publicPath]
        return paths.compactMap { path in
            FileSystemKind.withoutEvents(path).map { FolderWithoutEvents(path: path, fileSystem: $0) }
        }
    }
}
