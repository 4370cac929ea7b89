// The log lines about reloads: findings, what is served, each changed host and each fixed file. A round that found nothing is not
// logged, unless an operator requested it.

import Association
import Certificates
import Hosting
import Posix
import SourceJSON
import Supervision
import TLS
import Telemetry
import Tenancy

struct ReloadLog {
    private var lines = TenantLines()

    /// How many hosts are named.
    private static let hostsMax = 20
    /// How many fixed files are named.
    private static let filesMax = 20
    /// How many findings of a round are logged.
    private static let findingsMax = 500

    /// The first round, before anything is served.
    /// - Parameter tenant: whose a file is.
    static func began(_ report: RoundReport, tenant: (String) -> TenantID) {
        found(fitting(report, tenant), report)
        for other in report.otherStates { Log.error(other.text) }
        let changes = FairShare.fitting(report.changes, room: hostsMax, tenant: \.tenant)
        for change in changes { host(change) }
        more(report.changes.count - changes.count, "host", "changed")
    }

    /// The findings that are logged, of each tenant as many as of any other.
    private static func fitting(_ report: RoundReport, _ tenant: (String) -> TenantID) -> [Finding] {
        if report.findings.count <= findingsMax { return report.findings }
        // Errors first: they keep something from being served.
        let sorted =
            report.findings.filter { $0.severity == .error } + report.findings.filter { $0.severity != .error }
        return FairShare.fitting(sorted, room: findingsMax) { tenant($0.file) }
    }

    private static func found(_ findings: [Finding], _ report: RoundReport) {
        for finding in findings { Log.finding(finding) }
        let more = report.findings.count - findings.count
        if more > 0, !findings.isEmpty {
            Log.warning("\(Count.of(more, "more finding")); `associated lint` lists them all")
        }
        for note in report.notes { Log.warning(note) }
    }

    /// - Parameter tenant: whose a file is.
    mutating func reloaded(
        _ report: RoundReport, isRequested: Bool, now: Int64, tenant: (String) -> TenantID
    ) {
        if report.changes.isEmpty, report.findings.isEmpty, report.fixedFiles.isEmpty, !isRequested {
            return ReloadLog.found([], report)
        }
        // A round has lines of all its tenants; an operator who asks gets all of them.
        var findings = ReloadLog.fitting(report, tenant)
        var changes = FairShare.fitting(report.changes, room: ReloadLog.hostsMax, tenant: \.tenant)
        var files = FairShare.fitting(report.fixedFiles, room: ReloadLog.filesMax, tenant: tenant)
        if !isRequested {
            findings = findings.filter { lines.admits(tenant($0.file), now) }
            changes = changes.filter { lines.admits($0.tenant, now) }
            files = files.filter { lines.admits(tenant($0), now) }
        }
        ReloadLog.found(findings, report)
        defer { announce() }
        if findings.isEmpty, changes.isEmpty, files.isEmpty, !isRequested { return }
        Log.info("reloaded: \(report.summary)")
        for change in changes { ReloadLog.host(change) }
        ReloadLog.more(report.changes.count - max(changes.count, ReloadLog.hostsMax), "host", "changed")
        // It may still have warnings, which this round has reported.
        for file in files { ReloadLog.fixed(file, isFine: !report.findings.contains { $0.file == file }) }
        ReloadLog.more(report.fixedFiles.count - max(files.count, ReloadLog.filesMax), "file", "fixed")
    }

    private static func host(_ change: HostChange) { Log.info("\(change)", [("host", .string(change.host))]) }

    private static func more(_ count: Int, _ noun: String, _ verb: String) {
        if count > 0 { Log.info("\(Count.of(count, "more \(noun)")) \(verb)") }
    }

    /// - Parameter tenant: whose a host is.
    mutating func certificates(_ news: CertificateNews, now: Int64, tenant: (String) -> TenantID) {
        func tenantOf(folder: String) -> TenantID { tenant(CertificateFolder(name: folder).host ?? folder) }
        func tenantOf(file: String) -> TenantID {
            tenantOf(folder: file.split(separator: "/").dropLast().last.map(String.init) ?? file)
        }
        // One tenant's fleet must not hide the host of another.
        let missing = Dictionary(grouping: news.found.filter { $0.kind == .missing }.map(\.file), by: tenantOf(file:))
        let isMany = missing.values.reduce(0) { $0 + $1.count } >= ReloadLog.fleetMin
        let fleets = isMany ? missing.compactMapValues(ReloadLog.fleet) : [:]
        for fleet in fleets.values.sorted() { Log.error(fleet) }
        for problem in news.found {
            let tenant = tenantOf(file: problem.file)
            if problem.kind == .missing, fleets[tenant] != nil { continue }
            if lines.admits(tenant, now) { Log.finding(Finding(problem)) }
        }
        if news.moreFound > 0 {
            Log.warning("\(Count.of(news.moreFound, "more problem")) of certificates; `associated status` lists them")
        }
        for (file, isFine) in news.ended where lines.admits(tenantOf(file: file), now) {
            ReloadLog.fixed(file, isFine: isFine)
        }
        ReloadLog.more(news.moreEnded, "certificate", "fixed")
        for (folder, notAfter) in news.renewed where lines.admits(tenantOf(folder: folder), now) {
            Log.info("certificate of \(folder): renewed, expires \(Clock.day(notAfter))", [("host", .string(folder))])
        }
        ReloadLog.more(news.moreRenewed, "certificate", "renewed")
        announce()
        if let overriding = news.overriding {
            Log.info(ReloadLog.precedence(overriding.count, first: overriding.first))
        }
    }

    /// So many hosts of all tenants without a certificate have one cause, and each tenant one line.
    static let fleetMin = 10
    private static let fleetNamedMax = 5

    /// One line for the hosts of a tenant; nil for a single host, whose own line says more.
    static func fleet(_ files: [String]) -> String? {
        if files.count < 2 { return nil }
        let hosts = files.prefix(fleetNamedMax).compactMap { $0.split(separator: "/").dropLast().last }
        let more = files.count > hosts.count ? " and \(files.count - hosts.count) more" : ""
        return "CERT-025: \(files.count) hosts have no certificate, so TLS clients are rejected: "
            + "\(hosts.joined(separator: ", "))\(more); `associated acme status` says what the manager waits for, if it is to order them; otherwise put "
            + "them into config/hosts"
    }

    private mutating func announce() {
        for tenant in lines.takeFull() {
            Log.warning(
                "\(tenant): \(TenantLines.linesMax) lines in less than an hour; the next ones are counted and left out; "
                    + "`associated status` and `associated history` list them")
        }
    }

    /// Counts what was left out in the hours that have ended.
    mutating func endHours(now: Int64) {
        for (tenant, count) in lines.takeEnded(now) {
            Log.warning("\(tenant): \(Count.of(count, "line")) of the last hour left out")
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
    /// - Parameter tenants: those whose directories are left out for lack of room.
    static func cannotWatch(_ error: SystemError, leftOut tenants: [String] = []) {
        let advice =
            error.cause == .permission
            ? "let the server's user read every folder in them"
            : "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl"
        Log.warning(
            "cannot watch all of config, public and the state directory: \(error.reason); \(advice); until then changes"
                + ReloadLog.owners(tenants) + " are noticed within seconds, or at once with SIGHUP")
    }
}

extension ReloadLog {
    private static func owners(_ tenants: [String]) -> String {
        if tenants.isEmpty { return "" }
        let more = tenants.count > 5 ? " and \(tenants.count - 5) more" : ""
        return " of \(tenants.prefix(5).joined(separator: ", "))\(more)"
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
