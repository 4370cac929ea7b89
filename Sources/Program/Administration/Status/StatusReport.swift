// The state of the whole server, as JSON for programs and as lines for the operator on call. Long lists are cut. `associated
// status` reads the JSON that the server writes.

import Association
import Certificates
import Posix
import SourceJSON
import TLS
public import Telemetry
import Tenancy

/// The answer of `/status`.
public struct StatusReport: Sendable, Equatable {
    public var version = ""
    public var library = ""
    public var processID = 0
    /// The time of the report and of the server's start, in seconds since 1970.
    public var nowSeconds: Int64 = 0
    public var startedSeconds: Int64 = 0
    /// For the metrics only.
    public var upgradeCount = 0
    /// By the monotonic clock, because the wall clock may have been set since.
    public var uptimeSeconds: Int64 = 0
    /// Why it is not ready; empty if it is.
    public var waits: [String] = []
    public var hosting = HostingFigures()
    /// The first hosts on their last good version.
    public var kept: [Kept] = []
    /// The first open errors.
    public var findings: [OpenFinding] = []
    /// The first app files with entries that the removal guard keeps live.
    public var guardedFiles: [String] = []
    /// Equal on two servers that serve the same.
    public var servedDigest = ""
    public var reloads = ReloadFigures()
    /// Nil without TLS.
    public var certificates: CertificateFigures?
    public var workers: [WorkerState] = []
    public var openConnections = 0
    public var verifiers = VerifierFigures()
    public var refusals = RefusalFigures()
    /// Nil if the server needs no manager.
    public var manager: ManagerSilence?
    /// Why the last upgrade was refused; nil after one that was not.
    public var refusedUpgrade: OpenFinding?
    /// What to do about a `server.json` that is not the one in force; nil if it is, or is gone.
    public var changedSettings: OpenFinding?
    /// How the server before this one ended, if it was not told to.
    public var death: OpenFinding?

    /// A host on its last good version.
    public struct Kept: Sendable, Equatable {
        public var host: String
        /// The first finding that is a reason.
        public var reason: OpenFinding

        public init(host: String = "", reason: OpenFinding = OpenFinding()) {
            (self.host, self.reason) = (host, reason)
        }
    }

    public struct OpenFinding: Sendable, Equatable {
        /// In one line.
        public var finding: String
        /// Since 1970. A finding that was there at the start is at least that old.
        public var sinceSeconds: Int64

        public init(finding: String = "", sinceSeconds: Int64 = 0) {
            (self.finding, self.sinceSeconds) = (finding, sinceSeconds)
        }
    }

    /// The length of each list.
    public static let listMax = 20

    public init() {}

    public var isReady: Bool { waits.isEmpty }

    /// Whether the operator has nothing to do. False until all certificates have been checked.
    public var isFine: Bool {
        isReady && hosting.errors == 0 && certificates?.isComplete != false && manager?.text == nil
            && controlLine == nil
    }

    /// The main loop does something about once a second. A slow disk may delay it for a while.
    static let controlMillisecondsMax: Int64 = 15_000

    /// Says that changes are not noticed, and why that may be.
    private var controlLine: String? {
        let silence = reloads.controlMilliseconds
        if silence < StatusReport.controlMillisecondsMax { return nil }
        return
            "main loop: silent for \(Age.text(seconds: silence / 1_000)), so changes are not noticed; see whether what reads its "
            + "standard error hangs, or a file system"
    }

    private var upgradeLine: String? {
        refusedUpgrade.map {
            "not upgraded \(Age.ago(from: $0.sinceSeconds, to: nowSeconds)): \($0.finding); the server continues with the program and "
                + "the settings of before"
        }
    }

    private var deathLine: String? {
        death.map { "the server before this one \($0.finding) \(Age.ago(from: $0.sinceSeconds, to: nowSeconds))" }
    }

    private var settingsLine: String? {
        changedSettings.map { "\($0.finding) (\(Age.ago(from: $0.sinceSeconds, to: nowSeconds)))" }
    }

    public var text: String {
        let state = isReady ? "ready" : "not ready: \(waits.joined(separator: "; "))"
        var lines = [manager?.overview].compactMap { $0 }
        lines += [
            "associated \(version) (\(library)), process \(processID), up \(Age.duration(seconds: uptimeSeconds)), \(state)",
            "serves \(Count.of(hosting.appFiles, "app")) on \(Count.of(hosting.hosts, "host")), "
                + "\(Count.of(openConnections, "open connection")), digest \(servedDigest)",
        ]
        lines += keptLines
        lines += findingLines
        lines.append(reloadLine)
        lines += certificateLines
        lines.append(workerLine)
        lines += [controlLine, refusals.text, manager?.text, upgradeLine, settingsLine, deathLine].compactMap { $0 }
        lines += verifierLines
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private var keptLines: [String] {
        guard hosting.keptHosts > 0 else { return [] }
        var lines = [
            "\(Count.of(hosting.keptHosts, "host")) on \(hosting.keptHosts == 1 ? "its" : "their") last good version:"
        ]
        lines += ProblemGroups.grouped(kept) { text($0.reason) }.map { hosts in
            "  \(ProblemGroups.list(hosts.map(\.host), count: hosts.count)), \(text(hosts[0].reason))"
        }
        lines += more(than: kept.count, of: hosting.keptHosts)
        return lines
    }

    private var findingLines: [String] {
        var lines: [String] = []
        if hosting.guardedEntries > 0 {
            let files = guardedFiles.isEmpty ? "" : ": \(guardedFiles.joined(separator: ", "))"
            let entries = hosting.guardedEntries == 1 ? "entry is" : "entries are"
            lines.append(
                "\(hosting.guardedEntries) removed \(entries) still served (removal guard; hosts, app ids, packages and "
                    + "fingerprints count)\(files)")
        }
        let all = hosting.errors + hosting.warnings + hosting.notes
        guard all > 0 else { return lines + ["no open findings"] }
        guard hosting.errors > 0 else {
            let rest = "\(Count.of(hosting.warnings, "warning")), \(Count.of(hosting.notes, "note"))"
            return lines + ["no open errors; \(rest) (`associated lint --notes` lists those of files)"]
        }
        lines.append(
            "open findings: \(Count.of(hosting.errors, "error")), \(Count.of(hosting.warnings, "warning")), "
                + "\(Count.of(hosting.notes, "note"))")
        // What stands above already is not repeated.
        let known = Set(kept.map(\.reason.finding))
        lines += findings.filter { !known.contains($0.finding) }.map { "  \(text($0))" }
        return lines + more(than: findings.count, of: hosting.errors - (certificates?.open.errors ?? 0))
    }

    private func text(_ open: OpenFinding) -> String {
        let age = Age.ago(from: open.sinceSeconds, to: nowSeconds)
        let since =
            open.sinceSeconds > startedSeconds
            ? "since \(Clock.day(open.sinceSeconds)) (\(age))"
            : "since the start (\(age)) or earlier"
        return "\(since): \(open.finding)"
    }

    private var reloadLine: String {
        let all =
            "\(Count.of(reloads.changed + reloads.unchanged + reloads.failed, "reload")), \(reloads.failed) failed"
        guard let last = reloads.last else { return "no reload yet" }
        let ago = Age.ago(from: last.seconds, to: nowSeconds)
        let outcome =
            switch last.outcome {
            case .changed: "changes published"
            case .unchanged: "no change published"
            case .failed: "failed: \(last.message ?? "unknown reason")"
            }
        return "last reload \(ago) (\(milliseconds(last.microseconds))): \(outcome); \(all)"
    }

    private var certificateLines: [String] {
        guard let certificates else { return ["no TLS"] }
        if !certificates.isComplete, certificates.isEmpty { return ["certificates have not been checked yet"] }
        var lines = [
            "\(Count.of(certificates.usable, "certificate")) usable, \(certificates.lastGood) on the last good version, "
                + "\(certificates.broken) broken; \(Count.of(certificates.missing, "host")) without one"
                + (certificates.awaited > 0 ? ", \(certificates.awaited) waiting for the first one" : "")
                + (certificates.isComplete ? "" : "; not all checked yet")
        ]
        let causes = certificates.causes.isEmpty ? certificates.problems : certificates.causes
        lines += causes.map {
            "  \(ProblemGroups.list([$0.folder] + $0.alike, count: $0.count)), \($0.text(nowSeconds))"
        }
        lines += more(than: causes.reduce(0) { $0 + min(max(1, $1.count), 1_000) }, of: certificates.open.all)
        for expiry in certificates.soonest {
            let when = Age.expiry(expiry.notAfter, lifeLeftPercent: expiry.lifeLeftPercent, nowSeconds: nowSeconds)
            lines.append("  \(expiry.folder) \(when)")
        }
        return lines
    }

    private var workerLine: String {
        let stuck = workers.indices.filter { workers[$0].isStuck }
        let longest = workers.map(\.longestRoundMicroseconds).max() ?? 0
        let lag = "longest loop round in the last 30 seconds: \(milliseconds(Int64(clamping: longest)))"
        if stuck.isEmpty { return "\(Count.of(workers.count, "worker")), all responding; \(lag)" }
        let numbers = stuck.map { "\($0)" }.joined(separator: ", ")
        return "\(Count.of(workers.count, "worker")), not responding: \(numbers); \(lag)"
    }

    private var verifierLines: [String] {
        if verifiers.lastSeconds.isEmpty { return ["no verifier fetches recorded yet"] }
        return VerifierKind.known.map { kind in
            guard let last = verifiers.lastSeconds[kind] else { return "\(kind.name): no fetch recorded yet" }
            let confirmed = verifiers.lastConfirmedSeconds[kind]
            let source =
                if let confirmed {
                    confirmed == last ? "confirmed" : "claimed; confirmed \(Age.ago(from: confirmed, to: nowSeconds))"
                } else {
                    "claimed"
                }
            return "\(kind.name): last fetch \(Age.ago(from: last, to: nowSeconds)) (\(source))"
        }
    }

    private func more(than shown: Int, of all: Int) -> [String] {
        all > shown ? ["  and \(all - shown) more"] : []
    }

    /// With one decimal if below ten.
    private func milliseconds(_ microseconds: Int64) -> String {
        if microseconds >= 10_000 { return "\(microseconds / 1_000) ms" }
        return "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
    }
}

extension StatusReport: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("version", \.version), .needed("tlsLibrary", \.library), .needed("processID", \.processID),
            .needed("nowSeconds", \.nowSeconds), .needed("startedSeconds", \.startedSeconds),
            JSONMember(name: "uptimeSeconds", write: { $0.uptimeSeconds.jsonValue }) { report, value in
                report.uptimeSeconds = value.flatMap { Int64($0) } ?? report.nowSeconds - report.startedSeconds
                return true
            },
            JSONMember(name: "ready", write: { .bool($0.isReady) }), .needed("waits", \.waits),
            .needed("hosting", \.hosting), .needed("lastGood", \.kept), .needed("findings", \.findings),
            .optional("guardedFiles", \.guardedFiles), .optional("servedDigest", \.servedDigest),
            .needed("reloads", \.reloads), .optional("certificates", \.certificates), .needed("workers", \.workers),
            .needed("openConnections", \.openConnections), .needed("verifiers", \.verifiers),
            .optional("refusals", \.refusals), .optional("manager", \.manager),
            .optional("refusedUpgrade", \.refusedUpgrade), .optional("changedSettings", \.changedSettings),
            .optional("previousEnd", \.death),
        ]
    }
}

extension StatusReport.Kept: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .optional("host", \.host), .optional("reason", \.reason.finding),
            .optional("sinceSeconds", \.reason.sinceSeconds),
        ]
    }
}

extension StatusReport.OpenFinding: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [.needed("finding", \.finding), .optional("sinceSeconds", \.sinceSeconds)]
    }
}

extension HostingFigures: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("hosts", \.hosts), .needed("appFiles", \.appFiles), .needed("hostsOnLastGoodVersion", \.keptHosts),
            .needed("brokenFiles", \.brokenFiles), .needed("heldFiles", \.heldFiles), .needed("goneFiles", \.goneFiles),
            .needed("refusedFiles", \.refusedFiles), .needed("unservedFiles", \.unservedFiles),
            .needed("guardedEntries", \.guardedEntries), .needed("errors", \.errors), .needed("warnings", \.warnings),
            .needed("notes", \.notes),
        ]
    }
}

extension ReloadFigures: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("changed", \.changed), .needed("unchanged", \.unchanged), .needed("failed", \.failed),
            .optional("last", \.last), .optional("controlSilentMilliseconds", \.controlMilliseconds),
        ]
    }
}

extension ReloadFigures.Last: JSONRecord {
    package static var blank: Self { Self(outcome: .unchanged, seconds: 0, microseconds: 0) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("outcome", \.outcome), .needed("endedSeconds", \.seconds),
            .needed("durationMicroseconds", \.microseconds), .optional("message", \.message),
        ]
    }
}

extension WorkerState: JSONRecord {
    package static var blank: Self { Self(silentMilliseconds: 0, longestRoundMicroseconds: 0) }
    package static var members: [JSONMember<Self>] {
        [
            JSONMember(name: "stuck", write: { .bool($0.isStuck) }),
            .optional("silentMilliseconds", \.silentMilliseconds),
            .optional("longestRoundMicroseconds", \.longestRoundMicroseconds),
        ]
    }
}

extension VerifierFigures: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .needed("hosts", \.hosts), .optional("evicted", \.evicted), .optional("writeFailures", \.failures),
            times("lastSeconds", \.lastSeconds, isNeeded: true),
            times("lastConfirmedSeconds", \.lastConfirmedSeconds, isNeeded: false),
        ]
    }

    private static func times(
        _ name: String, _ path: WritableKeyPath<VerifierFigures, [VerifierKind: Int64]>, isNeeded: Bool
    ) -> JSONMember<VerifierFigures> {
        JSONMember(
            name: name,
            write: { figures in
                .object(VerifierKind.known.map { ($0.label, figures[keyPath: path][$0].jsonValue) })
            }
        ) { figures, value in
            for kind in VerifierKind.known {
                figures[keyPath: path][kind] = value?.member(named: kind.label).flatMap { Int64($0) }
            }
            return value != nil || !isNeeded
        }
    }
}

extension CertificateReport.Problem {
    /// The finding, and since when it is open.
    func text(_ nowSeconds: Int64) -> String {
        let age = Age.ago(from: sinceSeconds, to: nowSeconds)
        return "since \(Clock.day(sinceSeconds)) (\(age))\(isOrEarlier ? " or earlier" : ""): \(finding)"
    }
}

/// The connections and handshakes that the server refused in the last minute. Metrics name no clients; in a flood, this names the
/// network with the most refusals.
public struct RefusalFigures: Sendable, Equatable {
    /// Connections that were refused because their network had too many.
    public var connections = 0
    /// The network with the most refusals, and their number; nil if there were none.
    public var network: String?
    public var ofNetwork = 0
    /// Handshakes that took too long.
    public var handshakes = 0

    /// Some clients never finish a handshake; one per second means network problems or a flood.
    static let handshakesUsual = 60

    public init() {}

    /// A warning for the log; nil if nothing is unusual.
    public var warning: String? { connections > 0 || handshakes > RefusalFigures.handshakesUsual ? text : nil }

    /// One line; nil if there were none.
    var text: String? {
        var parts: [String] = []
        if connections > 0 {
            let most = network.map { ", most of them from \($0) (\(ofNetwork))" } ?? ""
            parts.append("\(Count.of(connections, "connection")) refused because a network had too many\(most)")
        }
        if handshakes > 0 { parts.append("\(Count.of(handshakes, "handshake")) timed out") }
        return parts.isEmpty ? nil : "in the last minute: \(parts.joined(separator: "; "))"
    }

}

/// A server of an earlier version does not report these.
extension RefusalFigures: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [
            .optional("connections", \.connections), .optional("network", \.network),
            .optional("ofNetwork", \.ofNetwork), .optional("timedOutHandshakes", \.handshakes),
        ]
    }
}
