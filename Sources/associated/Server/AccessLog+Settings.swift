// The access log that the settings ask for, from its opening to its end.

import Hosting
import Posix
import Telemetry

extension AccessLog {
    /// Opens the log for the workers with these metrics; nil when the settings ask for none.
    static func open(_ wanted: AccessLogSettings, _ metrics: WorkerMetrics) throws(Refusal) -> AccessLog? {
        let target: LogTarget
        switch wanted.place {
        case .off: return nil
        case .standardOutput: target = .standardOutput
        case .file(let path): target = .file(path)
        }
        do throws(SystemError) {
            let log = try AccessLog(
                target, wanted.format == .json ? .json : .combined, LogSelection(wanted), metrics: metrics)
            Log.info("logging requests to \(target)")
            return log
        } catch {
            throw .failure(
                "not started: cannot write the access log \(target): \(error.reason); choose a file in a folder that the "
                    + "server's user may write to, or `off`")
        }
    }

    /// Says what there is to say about the log itself.
    static func report(_ log: AccessLog?) {
        for note in log?.takeNotes() ?? [] { Log.warning(note) }
    }

    /// Writes what is left, for a moment at most.
    static func end(_ log: AccessLog?, milliseconds: Int32 = 2_000) {
        log?.end(milliseconds: milliseconds)
        report(log)
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
