// Two checks of the main loop. `SettingsWatch`: whether `server.json` has changed since the start; it is read at the start only,
// so the operator should know that a change has no effect yet, and whether the next start would be refused. `RefusalWatch`: how
// many connections and handshakes were refused.

import Administration
import Association
import Engine
import HTTP
import Hosting
import Posix
import Settings
import SourceJSON
import Supervision
import Telemetry

struct SettingsWatch {
    private let given: LoadedSettings
    private let path: String
    /// The marks of the file at the start and at the last check, and when it was last read; nil inside if it did not exist.
    private let first: FileStatus?
    private var last: FileStatus??
    private var read: FileStatus??
    /// Whether the file was not the one in force when it was last read.
    private var isChanged = false

    /// What to report.
    struct News {
        var isChanged: Bool
        var isGone = false
        /// Whether the server's user cannot read it, so that nobody knows what has changed.
        var isUnread = false
        /// Whether nothing but `owners` differs from what was in force at the start.
        var isOnlyOwners = false
        /// Findings on the present file.
        var findings: [Finding] = []
        /// Why a start with it would be refused.
        var objection: String?
        /// Whether the manager could not use it, so that an upgrade would be refused.
        var isRefusedByManager = false
        /// The `owners` of the file, if they can be used.
        var owners: HostOwners?

        /// What the log says, and whether it stays in the status. Nil for a file that is gone, because the finding says what to do.
        /// - Parameter isRequested: whether SIGHUP has asked, which applies `owners`.
        func notice(isRequested: Bool) -> (level: Log.Level, text: String, isOpen: Bool)? {
            if !isChanged { return (.info, "server.json is again as it was at the start", false) }
            if isGone { return nil }
            let change = "server.json has changed"
            if let objection { return (.error, "\(change), and the next start would fail: \(objection)", true) }
            let isDone = isOnlyOwners && isRequested
            if isRefusedByManager {
                let text =
                    "\(change), and the manager could not use it, so SIGUSR2 would be refused, and a restart would end orders; "
                    + "fix the errors above"
                return (.error, text, !isDone)
            }
            if isUnread {
                let text =
                    "\(change), and the server's user cannot read it: SIGUSR2 or a restart applies it; for SIGHUP to apply "
                    + "`owners`, let that user read it"
                return (isRequested ? .error : .info, text, true)
            }
            if isDone { return (.info, "`owners` of server.json is applied", false) }
            return isOnlyOwners
                ? (.info, "`owners` of server.json has changed: send SIGHUP to apply it", true)
                : (.info, "\(change): send SIGUSR2 to apply it, or restart; SIGHUP applies only `owners`", true)
        }
    }

    init(_ given: LoadedSettings) {
        self.given = given
        path = "\(given.configPath)/server.json"
        first = try? File.status(path)
    }

    /// The `owners` of the file as it is now; nil if it cannot be used.
    var ownersOnDisk: HostOwners? {
        var copy = self
        return copy.check(isRequested: true)?.owners
    }

    /// Checks the file every second, or when an operator asks; nil if nothing is new. A file that changes between two checks is
    /// still being written.
    mutating func check(isRequested: Bool) -> News? {
        let status = try? File.status(path)
        let isSettled = last == .some(status)
        last = .some(status)
        if !isRequested, !isSettled || read == .some(status) { return nil }
        read = .some(status)
        let reader = SettingsReader(file: path, limits: given.limitsByMemory)
        // A file that only the parent may read, as root, cannot be compared here; it has been read there.
        if status != nil, reader.document == nil, given.settings.user != nil {
            return status == first ? nil : News(isChanged: true, isUnread: true)
        }
        if reader.document?.text == given.text, (status == nil) == (given.text == nil) {
            defer { isChanged = false }
            return isChanged ? News(isChanged: false, findings: given.findings, owners: reader.settings.owners) : nil
        }
        isChanged = true
        if status == nil {
            let gone = Finding(
                rule: .cfg001, severity: .error, file: path, range: nil,
                message: "the file is gone; a restart would use the defaults", fix: "put it back")
            return News(isChanged: true, isGone: true, findings: [gone])
        }
        var changed = given
        (changed.findings, changed.lostSafeguards) = (reader.findings, reader.lostSafeguards)
        let objection = StartProblems(changed).inSettings
        return News(
            isChanged: true,
            isOnlyOwners: reader.settings.owners != given.settings.owners
                && SettingsWatch.rest(reader.document?.text) == SettingsWatch.rest(given.text),
            findings: reader.findings, objection: objection,
            isRefusedByManager: reader.settings.manager.objection != nil,
            owners: objection == nil ? reader.settings.owners : nil)
    }
}

extension SettingsWatch {
    /// The settings without `owners`.
    private static func rest(_ text: [UInt8]?) -> [UInt8] {
        let members = SourceReader.read(text ?? [], as: .json5).value?.asObject ?? []
        return SourceWriter.canonical(.object(members.filter { $0.key != "owners" }.map { ($0.key, $0.value) }))
    }
}

/// Counts refused connections and handshakes once a minute; the workers only add them up.
struct RefusalWatch {
    private var nextMilliseconds: Int64
    private var connections: UInt64 = 0
    private var handshakes: UInt64 = 0

    private static let minuteMilliseconds: Int64 = 60_000

    init(now: Int64) { nextMilliseconds = now + RefusalWatch.minuteMilliseconds }

    /// The figures of the past minute; nil if it is not over yet.
    mutating func sample(_ engine: Engine, now: Int64) -> RefusalFigures? {
        if now < nextMilliseconds { return nil }
        nextMilliseconds = now + RefusalWatch.minuteMilliseconds
        let previous = (connections, handshakes)
        connections = engine.metrics.total(.connectionsRefused(.tooManyFromAddress))
        handshakes = engine.metrics.total(.handshakes(.timedOut))
        var figures = RefusalFigures()
        figures.connections = Int(clamping: connections &- previous.0)
        figures.handshakes = Int(clamping: handshakes &- previous.1)
        if let most = engine.takeMostRefused() { (figures.network, figures.ofNetwork) = most }
        return figures
    }
}
