// The log lines about reloads: findings, what is served, each changed host and each fixed file. A round that found nothing is not
// logged, unless an operator requested it.

import Association
import Hosting
import Posix
import SourceJSON
import TLS
import Telemetry

enum ReloadLog {
    /// How many hosts are named.
    private static let hostsMax = 20
    /// How many fixed files are named.
    private static let filesMax = 20
    /// How many findings of a round are logged.
    private static let findingsMax = 500

    /// The first round, before anything is served.
    static func began(_ report: RoundReport) {
        found(report)
        hosts(report)
    }

    private static func found(_ report: RoundReport) {
        // Errors first: they keep something from being served.
        let sorted = report.findings.filter { $0.severity == .error } + report.findings.filter { $0.severity != .error }
        for finding in sorted.count > findingsMax ? Array(sorted.prefix(findingsMax)) : report.findings {
            Log.finding(finding)
        }
        if sorted.count > findingsMax {
            Log.warning("\(Count.of(sorted.count - findingsMax, "more finding")); `associated lint` lists them all")
        }
        for note in report.notes { Log.warning(note) }
    }

    static func reloaded(_ report: RoundReport, isRequested: Bool) {
        found(report)
        if report.changes.isEmpty, report.findings.isEmpty, report.fixedFiles.isEmpty, !isRequested { return }
        Log.info("reloaded: \(report.summary)")
        hosts(report)
        for file in report.fixedFiles.prefix(ReloadLog.filesMax) {
            // It may still have warnings, which this round has reported.
            fixed(file, isFine: !report.findings.contains { $0.file == file })
        }
        more(report.fixedFiles.count - ReloadLog.filesMax, "file", "fixed")
    }

    private static func hosts(_ report: RoundReport) {
        for change in report.changes.prefix(ReloadLog.hostsMax) {
            Log.info("\(change)", [("host", .string(change.host))])
        }
        more(report.changes.count - ReloadLog.hostsMax, "host", "changed")
    }

    private static func more(_ count: Int, _ noun: String, _ verb: String) {
        if count > 0 { Log.info("\(Count.of(count, "more \(noun)")) \(verb)") }
    }

    static func certificates(_ news: CertificateNews) {
        for problem in news.found { Log.finding(Finding(problem)) }
        if news.moreFound > 0 {
            Log.warning("\(Count.of(news.moreFound, "more problem")) of certificates; `associated status` lists them")
        }
        for (file, isFine) in news.ended { fixed(file, isFine: isFine) }
        more(news.moreEnded, "certificate", "fixed")
        for (folder, notAfter) in news.renewed {
            Log.info("certificate of \(folder): renewed, expires \(Clock.day(notAfter))", [("host", .string(folder))])
        }
        more(news.moreRenewed, "certificate", "renewed")
        if let overriding = news.overriding {
            Log.info(precedence(overriding.count, first: overriding.first))
        }
    }

    /// Why a certificate that the manager has renewed is not served.
    static func precedence(_ count: Int, first: [String]) -> String {
        let more = count - first.count
        let names = first.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let hosts = "\(Count.of(count, "host")) (\(names))"
        return "config/hosts and the manager both have a certificate for \(hosts); "
            + "clients get the one in config/hosts; to serve the manager's, remove fullchain.pem and privkey.pem there"
    }

    private static func fixed(_ file: String, isFine: Bool = true) {
        Log.info("\(file): all \(isFine ? "problems" : "errors") resolved", [("file", .string(file))])
    }

    static func failed(_ error: ConfigurationError) {
        Log.error("reload failed, still serving the previous version: \(error)")
    }

    /// Descriptors or memory ran out. Logged once until it is over.
    static func shortage(_ error: SystemError) {
        Log.error(
            "cannot read all of config and public: \(error.reason); still serving the previous version, and retrying; "
                + "raise LimitNOFILE= or ulimit -n, or give the server more memory")
    }

    static func recovered() { Log.info("all of config and public can be read again") }

    /// Changes by other machines have no events there, so everything is read every few seconds.
    static func withoutEvents(_ folders: [FolderWithoutEvents]) {
        let places = folders.map { "\($0.path) (\($0.fileSystem))" }.joined(separator: ", ")
        Log.warning("no change events in \(places); changes are noticed within seconds, or at once with SIGHUP")
    }

    /// Not everything can be watched, so everything is read every few seconds.
    static func cannotWatch(_ error: SystemError) {
        let advice =
            error.cause == .permission
            ? "let the server's user read every folder in them"
            : "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl"
        Log.warning(
            "cannot watch all of config, public and the state directory: \(error.reason); \(advice); until then changes are "
                + "noticed within seconds, or at once with SIGHUP")
    }
}

extension RoundReport {
    /// What is served, in numbers.
    var summary: String {
        let served = "\(Count.of(figures.appFiles, "app")) on \(Count.of(figures.hosts, "host"))"
        guard figures.keptHosts > 0 else { return served }
        return "\(served); \(Count.of(figures.keptHosts, "host")) on a last good version"
    }
}
