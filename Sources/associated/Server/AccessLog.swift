// The access log that the settings ask for, from its opening to its end.

import Hosting
import Posix
import Telemetry

enum AccessLog {
    /// Opens it for the workers whose records these are; nil when none is asked for.
    static func open(_ wanted: AccessLogSettings, _ records: Records) throws(Refusal) -> Journal? {
        let target: LogTarget
        switch wanted.place {
        case .off: return nil
        case .standardOutput: target = .standardOutput
        case .file(let path): target = .file(path)
        }
        do throws(SystemError) {
            let journal = try Journal(
                target, wanted.format == .json ? .json : .combined, LogSelection(wanted), records: records)
            Log.info("logging requests to \(target)")
            return journal
        } catch {
            throw .failure(
                "not started: cannot write the access log \(target): \(error.reason); choose a file in a folder that the "
                    + "server's user may write to, or `off`")
        }
    }

    /// Says what there is to say about the log itself.
    static func report(_ journal: Journal?) {
        for note in journal?.takeNotes() ?? [] { Log.warning(note) }
    }

    /// Writes what is left, for a moment at most.
    static func end(_ journal: Journal?, milliseconds: Int32 = 2_000) {
        journal?.end(milliseconds: milliseconds)
        report(journal)
    }
}

extension LogSelection {
    fileprivate init(_ wanted: AccessLogSettings) {
        self.init()
        only =
            switch wanted.only {
            case .all: .all
            case .errors: .errors
            case .verifiers: .verifiers
            }
        hasQuery = wanted.hasQuery
        hasHandshakes = wanted.hasHandshakes && wanted.format == .json
    }
}
