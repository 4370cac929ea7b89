// The parts of a running server, and what the main loop does with them.

import Administration
import Catalogue
import Certificates
import Engine
import Hosting
import Posix
import Settings
import Supervision
import Synchronization
import TLS

struct RunningServer: Sendable {
    /// Of the signal thread to the main loop.
    let requests: Mailbox<MainLoopRequests>
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
    /// Nil in development.
    let journal: ChangeJournal?
    /// Folders on file systems without change events.
    let foldersWithoutEvents: [FolderWithoutEvents]

    /// Reads what may have changed and serves the result.
    func reload(_ changes: TreeChanges) -> Result<RoundReport, ConfigurationError> {
        tenants.turn.withLock { _ in
            let began = Clock.monotonicMicroseconds()
            let outcome = state.diskTimer.measure {
                Result { () throws(ConfigurationError) in try tenants.round(changes) }
            }
            switch outcome {
            case .success(let report):
                // Published by this thread, so that a change does not wait for another one.
                let before = publish()
                journal(report, from: before)
                state.reloaded(report, tenants, since: began)
            case .failure(var error):
                // A folder that the sandbox blocks looks like one without permission.
                if error.shortage == nil, let complaint = sandbox.folderComplaint() {
                    error = ConfigurationError(description: complaint)
                }
                state.failed(error, since: began)
                return .failure(error)
            }
            return outcome
        }
    }

    /// Puts a new base into service, between two rounds.
    func finish(_ compaction: Compaction) {
        tenants.turn.withLock { _ in
            tenants.finishCompaction(compaction)
            _ = publish()
            state.noteLastGood(tenants)
        }
    }

    /// Replaces the catalogue, and returns the previous one.
    private func publish() -> Catalogue {
        let before = published.current
        published.publish(tenants.catalogue)
        engine.catalogueChanged()
        return before
    }

    private func journal(_ report: RoundReport, from before: Catalogue) {
        guard let journal else { return }
        // Without a change nothing is written, which says nothing about the folder.
        if report.changes.isEmpty, state.current.problems[.history] == nil { return }
        state.noteState(.history) { () throws(SystemError) in
            try journal.note(report, from: before, atSeconds: Clock.wallSeconds())
        }
    }

    /// Logs that `server.json` has changed, and what takes it up.
    /// - Parameter isRequested: whether SIGHUP has asked, which applies `owners`.
    func report(_ news: SettingsWatch.News?, isRequested: Bool) {
        guard let news else { return }
        for finding in news.findings { Log.finding(finding) }
        let notice = news.notice(isRequested: isRequested)
        state.note(settings: news.findings, change: notice.flatMap { $0.isOpen ? $0.text : nil })
        if let notice { Log.write(notice.level, notice.text) }
    }
}

/// A folder on a file system without change events.
struct FolderWithoutEvents: Equatable, Sendable {
    let path: String
    let fileSystem: String

    /// The folders of a configuration.
    static func all(_ given: LoadedSettings) -> [FolderWithoutEvents] {
        let (config, published) = (given.configPath, given.publishedPath)
        let paths =
            [config, "\(config)/apps", "\(config)/hosts", "\(config)/retired", given.publicPath]
            + ["\(published)/apps", "\(published)/retired"]
        return paths.compactMap { path in
            FileSystemKind.withoutEvents(path).map { FolderWithoutEvents(path: path, fileSystem: $0) }
        }
    }
}
