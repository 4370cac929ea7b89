// The thread that watches `config/` and `public/`. Only this thread waits for their file systems; it leaves its news for the main
// loop, merged until they are taken.

import Catalogue
import Certificates
import Hosting
import Posix
import Settings
import Supervision
import TLS
import Tenancy

final class WatchKeeper: Sendable {
    /// What has happened since the last call.
    struct News: Sendable {
        var changes = TreeChanges()
        /// Whether all directories have been added again.
        var hasStarted = false
        /// Why not everything is watched.
        var shortage: SystemError?
        /// Whose directories are not watched for lack of room.
        var leftOut: Set<TenantID> = []
    }

    private let certificates: CertificateStore?
    private let news: Mailbox<News>
    /// Whether all directories must be added again.
    private let startRequest: Mailbox<Bool>

    private static let tickMilliseconds: Int32 = 1000

    private enum Token: UInt64 {
        case watch, wanted
    }

    init(_ given: LoadedSettings, _ server: RunningServer) throws(SystemError) {
        certificates = server.certificates
        let (state, published, sandbox) = (server.state, server.published, server.sandbox)
        let watch = try TreeWatch(
            configPath: given.configPath, publicPath: given.publicPath, publishedPath: given.publishedPath,
            managedPath: given.certificatesPath, linkTargets: given.settings.linkTargets, limits: given.settings.limits,
            directoriesMax: TreeWatch.directoriesMax(memoryBytes: given.memoryBytes)
        ) { state.tenant(of: $0, in: published) }
        news = try Mailbox(News())
        startRequest = try Mailbox(false)
        let poller = try Poller(eventsMax: 2)
        for (descriptor, token) in [(watch.descriptor, Token.watch), (startRequest.descriptor, .wanted)]
        where !poller.add(descriptor, .readable, token: token.rawValue) {
            throw .exhausted("epoll_ctl")
        }
        let thread = try Thread(name: "watch", owning: poller) { [self] poller in run(watch, poller, sandbox) }
        thread.detach()
    }

    var descriptor: Int32 { news.descriptor }

    /// Adds all directories again.
    func start() { startRequest.leave { $0 = true } }

    /// The news since the last call.
    func take() -> News { news.take() }

    /// Runs until the process exits.
    private func run(_ watch: TreeWatch, _ poller: borrowing Poller, _ sandbox: Sandbox) {
        var hasStarted = false
        while true {
            let count = poller.wait(milliseconds: WatchKeeper.tickMilliseconds)
            let isWatchReadable = (0..<count).contains { poller.event($0).token == Token.watch.rawValue }
            if startRequest.take() || hasStarted && watch.hasMoved() {
                hasStarted = true
                watch.start()
                // The watched folders may have replaced those of the start.
                if let complaint = sandbox.folderComplaint() { Log.error(complaint) }
                // What happened before a directory was watched raises no event.
                post(News(changes: .all, hasStarted: true, shortage: watch.shortage, leftOut: watch.leftOut))
            } else if hasStarted, isWatchReadable {
                post(News(changes: watch.takeChanges(), shortage: watch.shortage, leftOut: watch.leftOut))
            }
        }
    }

    private func post(_ latest: News) {
        if latest.changes.everything { certificates?.listFolders() }
        certificates?.noteFolders(latest.changes.hostFolders.union(latest.changes.certificateFolders))
        news.leave { news in
            news.changes.merge(latest.changes)
            news.hasStarted = news.hasStarted || latest.hasStarted
            (news.shortage, news.leftOut) = (latest.shortage, latest.leftOut)
        }
    }
}
