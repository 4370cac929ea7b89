// What the log says about reloads: findings, what is served, and an event for each host that has changed and each file that is
// fixed. A look that found nothing says nothing, unless it was asked for.

import Association
import Hosting
import Posix
import SourceJSON
import TLS

enum ReloadLog {
    /// Hosts that are named one by one.
    private static let hostsMax = 20
    /// Files that are fixed, likewise.
    private static let filesMax = 20

    /// The first round, before anything is served.
    static func began(_ report: RoundReport) {
        for finding in report.findings { Log.finding(finding) }
        notes(report.notes)
        hosts(report)
    }

    static func notes(_ notes: [String]) {
        for note in notes { Log.warning(note) }
    }

    static func reloaded(_ report: RoundReport, isRequested: Bool) {
        for finding in report.findings { Log.finding(finding) }
        notes(report.notes)
        if report.changes.isEmpty, report.findings.isEmpty, report.mendedFiles.isEmpty, !isAsked { return }
        Log.info("reloaded: serving \(report.summary)")
        hosts(report)
        for file in report.mendedFiles.prefix(ReloadLog.filesMax) {
            // What stays may be a warning, which this round has reported.
            fixed(file, isFine: !report.findings.contains { $0.file == file })
        }
        more(report.mendedFiles.count - ReloadLog.filesMax, "file", "fixed")
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

    /// What has changed about certificates.
    static func certificates(_ news: CertificateNews) {
        for problem in news.found { Log.finding(Finding(problem)) }
        if news.moreFound > 0 {
            Log.warning("\(Count.of(news.moreFound, "more problem")) of certificates; associated status tells them")
        }
        for (file, isFine) in news.ended { fixed(file, isFine: isFine) }
        more(news.moreEnded, "certificate", "fixed")
        for (folder, notAfter) in news.renewed {
            Log.info("certificate of \(folder): renewed, ends \(Clock.day(notAfter))", [("host", .string(folder))])
        }
        more(news.moreRenewed, "certificate", "renewed")
    }

    private static func fixed(_ file: String, isFine: Bool = true) {
        Log.info("\(file): \(isFine ? "nothing is wrong" : "no error") any more", [("file", .string(file))])
    }

    static func kept(_ error: ConfigurationError) {
        Log.error("kept what was served: \(error)")
    }

    /// Files could not be opened because descriptors or memory ran out. Said once, however long it lasts.
    static func starved(_ error: SystemError) {
        Log.error(
            "cannot look at all of config and public: \(error.reason); what is served stays as it is, and is looked at again "
                + "until it can be; raise LimitNOFILE= or ulimit -n, or give the server more memory")
    }

    static func recovered() { Log.info("looked at all of config and public again") }

    /// Changes by other machines have no events there, so everything is looked at every few seconds.
    static func blind(_ folders: [BlindFolder]) {
        let places = folders.map { "\($0.path) (\($0.fileSystem))" }.joined(separator: ", ")
        Log.warning(
            "no events tell of changes in \(places): changes are found within some seconds, or with SIGHUP at once")
    }

    /// Not everything can be watched, so it is looked at every few seconds.
    static func unwatched(_ error: SystemError) {
        let advice =
            error.cause == .permission
            ? "let the server's user read every folder in them"
            : "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl"
        Log.warning(
            "cannot watch all of config and public: \(error.reason); \(advice); until then changes are found within some "
                + "seconds, or with SIGHUP at once")
    }
}

extension RoundReport {
    /// What is served, in numbers.
    var summary: String {
        let served = "\(Count.of(appCount, "app")) on \(Count.of(hostCount, "host"))"
        guard keptHosts > 0 else { return served }
        return "\(served), of which \(Count.of(keptHosts, "host")) with a last good version"
    }
}
