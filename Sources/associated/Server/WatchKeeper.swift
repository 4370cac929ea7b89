// The thread that watches `config/` and `public/`. It alone looks into them for what to watch, which takes as long as their file
// system does; what it finds out it leaves for the thread that manages the process, merged until that takes it.

import Hosting
import Posix
import Synchronization

final class WatchKeeper: Sendable {
    /// What has been found out since the last time.
    struct News: Sendable {
        var changes = TreeChanges()
        /// Whether all directories have been looked for once more.
        var hasStarted = false
        /// Why not everything is watched.
        var shortage: SystemError?
        /// What to say about the folders that are watched now.
        var complaint: String?
    }

    private struct State {
        var news = News()
        /// Whether all directories are to be looked for once more.
        var wantsStart = false
    }

    private let state = Mutex(State())
    private let hasNews: WakeUp
    private let isWanted: WakeUp

    private static let tickMilliseconds: Int32 = 1000

    private enum Token: UInt64 {
        case watch, wanted
    }

    /// - Parameter complaint: what to say about the folders, asked whenever all directories have been looked for.
    init(_ watch: TreeWatch, complaint: @escaping @Sendable () -> String?) throws(SystemError) {
        hasNews = try WakeUp()
        isWanted = try WakeUp()
        let poller = try Poller(eventsMax: 2)
        for (descriptor, token) in [(watch.descriptor, Token.watch), (isWanted.descriptor.number, .wanted)]
        where !poller.add(descriptor, .readable, token: token.rawValue) {
            throw .exhausted("epoll_ctl")
        }
        let thread = try Thread(name: "watch", owning: poller) { [self] poller in
            var hasStarted = false
            // Until the process ends.
            while true {
                let count = poller.wait(milliseconds: WatchKeeper.tickMilliseconds)
                var isWatchReadable = false
                for index in 0..<count {
                    switch Token(rawValue: poller.event(index).token) {
                    case .watch: isWatchReadable = true
                    case .wanted: isWanted.clear()
                    case nil: break
                    }
                }
                if takeRequest() || hasStarted && watch.hasMoved() {
                    hasStarted = true
                    watch.start()
                    // What happened before a directory was watched has no event.
                    post(News(changes: .all, hasStarted: true, shortage: watch.shortage, complaint: complaint()))
                } else if hasStarted, isWatchReadable {
                    post(News(changes: watch.take(), shortage: watch.shortage))
                }
            }
        }
        thread.detach()
    }

    /// For the folders of a server.
    convenience init(_ given: LoadedSettings, _ sandbox: Sandbox) throws(SystemError) {
        let watch = try TreeWatch(
            configPath: given.configPath, publicPath: given.publicPath, linkTargets: given.settings.linkTargets,
            limits: given.settings.limits)
        try self.init(watch) { sandbox.folderComplaint() }
    }

    /// Readable when there is news.
    var descriptor: Int32 { hasNews.descriptor.number }

    /// Has all directories looked for, in the place of those that are watched.
    func start() {
        state.withLock { $0.wantsStart = true }
        isWanted.wake()
    }

    /// What is new since the last call.
    func take() -> News {
        hasNews.clear()
        return state.withLock { state in
            defer { state.news = News() }
            return state.news
        }
    }

    private func takeRequest() -> Bool {
        state.withLock { state in
            defer { state.wantsStart = false }
            return state.wantsStart
        }
    }

    private func post(_ news: News) {
        state.withLock { state in
            state.news.changes.merge(news.changes)
            state.news.hasStarted = state.news.hasStarted || news.hasStarted
            state.news.shortage = news.shortage
            state.news.complaint = news.complaint ?? state.news.complaint
        }
        hasNews.wake()
    }
}
