// Opens, reports on and ends the access log.

import Hosting
import Posix
import Telemetry

extension AccessLog {
    /// Opens the log, which gets its lines from these workers; nil if it is turned off.
    static func open(_ wanted: AccessLogSettings, _ metrics: WorkerMetrics) throws(Refusal) -> AccessLog? {
        let target: LogTarget
        switch wanted.place {
        case .off: return nil
        case .standardOutput: target = .standardOutput
        case .file(let path): target = .file(path)
        }
        var selection = wanted.selection
        if wanted.format != .json { selection.hasHandshakes = false }
        do throws(SystemError) {
            let log = try AccessLog(target, wanted.format, selection, metrics: metrics)
            Log.info("logging requests to \(target)")
            return log
        } catch {
            throw .failure(
                "not started: cannot write the access log \(target): \(error.reason); choose a file in a folder that the "
                    + "server's user may write to, or `off`")
        }
    }

    /// Logs the messages of the access log itself.
    static func report(_ log: AccessLog?) {
        for note in log?.takeNotes() ?? [] { Log.warning(note) }
    }

    /// Writes the remaining lines, with a time limit.
    static func end(_ log: AccessLog?, milliseconds: Int32 = 2_000) {
        log?.end(milliseconds: milliseconds)
        report(log)
    }
}
