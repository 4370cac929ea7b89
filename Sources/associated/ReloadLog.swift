// What is said about reloads: findings, one line that tells what is served, and a line for each host that has changed. A
// look that found nothing says nothing, unless somebody asked for it.

import Association
import Hosting
import Posix
import TLS

struct ReloadLog {
    /// Hosts that are named one by one.
    private static let hostsMax = 20
    /// Files that are mended, likewise.
    private static let filesMax = 20

    /// The first round, before anything is served.
    func began(_ report: RoundReport) {
        for finding in report.findings { Console.error(finding) }
        notes(report.notes)
        hosts(report)
    }

    func notes(_ notes: [String]) {
        for note in notes { Console.complain(note) }
    }

    /// Somebody who asked is told of certificates too.
    func reloaded(_ report: RoundReport, isAsked: Bool, _ certificates: CertificateStore?) {
        for finding in report.findings { Console.error(finding) }
        notes(report.notes)
        if report.changes.isEmpty, report.findings.isEmpty, report.mendedFiles.isEmpty, !isAsked { return }
        Console.error("reloaded: serving \(report.summary)\n")
        hosts(report)
        for file in report.mendedFiles.prefix(ReloadLog.filesMax) {
            Console.error("  \(file): nothing is wrong any more\n")
        }
        let more = report.mendedFiles.count - ReloadLog.filesMax
        if more > 0 { Console.error("  and \(Count.of(more, "more file"))\n") }
        if isAsked { losses(of: certificates) }
    }

    private func hosts(_ report: RoundReport) {
        for change in report.changes.prefix(ReloadLog.hostsMax) { Console.error("  \(change)\n") }
        let more = report.changes.count - ReloadLog.hostsMax
        if more > 0 { Console.error("  and \(Count.of(more, "more host"))\n") }
    }

    /// Certificates whose files are gone, for somebody who asks.
    private func losses(of certificates: CertificateStore?) {
        certificates?.lookAtLosses()
        for problem in certificates?.losses ?? [] { Console.error(Finding(problem)) }
    }

    func kept(_ error: ConfigurationError) {
        Console.complain("kept what was served: \(error)")
    }

    /// Files could not be opened for want of descriptors or memory. Said once, however long it lasts.
    func starved(_ error: SystemError) {
        Console.complain(
            "cannot look at all of config and public: \(error.reason); what is served stays as it is, and is looked at again "
                + "until it can be; raise LimitNOFILE= or ulimit -n, or give the server more memory")
    }

    func recovered() { Console.error("looked at all of config and public again\n") }

    /// Not everything can be watched, so it is looked at every few seconds.
    func unwatched(_ error: SystemError) {
        let advice =
            error.cause == .permission
            ? "let the server's user read every folder in them"
            : "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl"
        Console.error(
            "associated: cannot watch all of config and public: \(error.reason); \(advice); until then changes are found "
                + "within some seconds, or with SIGHUP at once\n")
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
