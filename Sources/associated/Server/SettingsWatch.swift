// What the main loop looks at every second besides the configuration: whether `server.json` is still what the server was
// started with (it is read at the start only, so the operator should know that a change has no effect yet, and whether the
// next start would be refused), and how many connections and handshakes were refused.

import Administration
import Association
import Engine
import HTTP
import Hosting
import Posix
import Telemetry

struct SettingsWatch {
    private let given: LoadedSettings
    private let path: String
    /// The marks of the file at the start, at the last look, and of the state that was last told. Nil where there is none.
    private let first: FileStatus?
    private var last: FileStatus?
    private var reported: FileStatus?

    /// What there is to say.
    struct News {
        var isChanged: Bool
        /// What is wrong with the file as it is now.
        var findings: [Finding] = []
        /// Why a start with it would be refused.
        var objection: String?
    }

    init(_ given: LoadedSettings) {
        self.given = given
        path = "\(given.configPath)/server.json"
        first = try? File.status(path)
        (last, reported) = (first, first)
    }

    /// Looks at the file, once a second or when an operator asks; nil where nothing is new. A file that changes between two looks
    /// is still being written.
    mutating func look(isAsked: Bool) -> News? {
        let status = try? File.status(path)
        let isSettled = status == last
        last = status
        if isRequested ? status == first : !isSettled || status == reported { return nil }
        reported = status
        guard status != first else { return News(isChanged: false) }
        let reader = SettingsReader(file: path, limits: given.limitsByMemory)
        var changed = given
        (changed.findings, changed.lostSafeguards) = (reader.findings, reader.lostSafeguards)
        return News(isChanged: true, findings: reader.findings, objection: StartObjections(changed).toSettings)
    }
}

/// Adds up once a minute how many connections and handshakes the server has refused. The workers only count them.
struct RefusalWatch {
    private var nextMilliseconds: Int64
    private var connections: UInt64 = 0
    private var handshakes: UInt64 = 0

    private static let minuteMilliseconds: Int64 = 60_000

    init(now: Int64) { nextMilliseconds = now + RefusalWatch.minuteMilliseconds }

    /// What has happened in the minute that is over; nil where none is.
    mutating func look(at engine: Engine, now: Int64) -> RefusalFigures? {
        if now < nextMilliseconds { return nil }
        nextMilliseconds = now + RefusalWatch.minuteMilliseconds
        let former = (connections, handshakes)
        connections = engine.records.total(.connectionsRefused(.tooManyFromAddress))
        handshakes = engine.records.total(.handshakes(.timedOut))
        var figures = RefusalFigures()
        figures.connections = Int(clamping: connections &- former.0)
        figures.handshakes = Int(clamping: handshakes &- former.1)
        if let most = engine.takeMostRefused() { (figures.network, figures.ofNetwork) = most }
        return figures
    }
}
