// The state of the whole server: what whoever is on call wants to see first, as JSON for programs and as lines for people.
// Lists in it are cut to what a person reads. `associated status` reads the JSON that the server writes.

import Posix
public import SourceJSON
public import Telemetry

/// The answer of `/status`.
public struct StatusReport: Sendable, Equatable {
    public var version: String
    /// The TLS library that it runs with.
    public var library: String
    public var processID: Int
    /// When this was true, and when the server was started, in seconds since 1970.
    public var nowSeconds: Int64
    public var startedSeconds: Int64
    /// By the monotonic clock: the other one may be set meanwhile.
    public var uptimeSeconds: Int64
    /// Why it is not ready; none when it is.
    public var waits: [String]
    public var hosting: HostingFigures
    /// Hosts on their last good version; the first of them.
    public var kept: [Kept]
    /// What keeps something from being served; the first of it.
    public var findings: [OpenFinding]
    /// The app files of which the removal guard keeps something; the first of them.
    public var guardedFiles: [String] = []
    /// One for all that is served: two servers with equal ones serve the same.
    public var servedDigest: String
    public var reloads: ReloadFigures
    /// Nil where no TLS is spoken.
    public var certificates: CertificateFigures?
    public var workers: [WorkerState]
    public var openConnections: Int
    public var verifiers: VerifierFigures
    public var refusals = RefusalFigures()

    /// A host that is served by an earlier version than there is on disk.
    public struct Kept: Sendable, Equatable {
        public var host: String
        /// The first of the findings that are the reason.
        public var reason: OpenFinding

        public init(host: String, reason: OpenFinding) {
            self.host = host
            self.reason = reason
        }
    }

    /// A finding that stands.
    public struct OpenFinding: Sendable, Equatable {
        /// In one line.
        public var finding: String
        /// Since 1970. What was there at the start has stood for that long at least.
        public var sinceSeconds: Int64

        public init(finding: String, sinceSeconds: Int64) {
            self.finding = finding
            self.sinceSeconds = sinceSeconds
        }
    }

    /// How many of each list are told.
    public static let listMax = 20

    public init(
        version: String, library: String, processID: Int, nowSeconds: Int64, startedSeconds: Int64, waits: [String],
        hosting: HostingFigures, kept: [Kept], findings: [OpenFinding], servedDigest: String, reloads: ReloadFigures,
        certificates: CertificateFigures?, workers: [WorkerState], openConnections: Int, verifiers: VerifierFigures
    ) {
        self.version = version
        self.library = library
        self.processID = processID
        self.nowSeconds = nowSeconds
        self.startedSeconds = startedSeconds
        uptimeSeconds = nowSeconds - startedSeconds
        self.waits = waits
        self.hosting = hosting
        self.kept = kept
        self.findings = findings
        self.servedDigest = servedDigest
        self.reloads = reloads
        self.certificates = certificates
        self.workers = workers
        self.openConnections = openConnections
        self.verifiers = verifiers
    }

    public var isReady: Bool { waits.isEmpty }

    /// Whether an operator need do nothing, as far as is known: what has not been looked at yet is not known.
    public var isFine: Bool { isReady && hosting.errors == 0 && certificates?.isComplete != false }

    var json: [UInt8] { SourceWriter.canonical(value) }

    private var value: SourceValue {
        .object([
            ("version", .string(version)), ("tlsLibrary", .string(library)), ("processID", .integer(processID)),
            ("nowSeconds", .integer(Int(nowSeconds))), ("startedSeconds", .integer(Int(startedSeconds))),
            ("uptimeSeconds", .integer(Int(uptimeSeconds))),
            ("ready", .bool(isReady)), ("waits", .strings(waits)), ("hosting", hosting.value),
            (
                "lastGood",
                .array(
                    kept.map {
                        .object([
                            ("host", .string($0.host)), ("reason", .string($0.reason.finding)),
                            ("sinceSeconds", .integer(Int($0.reason.sinceSeconds))),
                        ])
                    })
            ),
            ("findings", .array(findings.map(\.value))), ("guardedFiles", .strings(guardedFiles)),
            ("servedDigest", .string(servedDigest)),
            ("reloads", reloads.value),
            ("certificates", certificates?.value ?? .null), ("workers", .array(workers.map(\.value))),
            ("openConnections", .integer(openConnections)), ("verifiers", verifiers.value),
            ("refusals", refusals.value),
        ])
    }

    /// Nil for what is no such report.
    public init?(_ value: SourceValue) {
        guard let version = value.text("version"), let library = value.text("tlsLibrary"),
            let process = value.number("processID"), let now = value.number("nowSeconds"),
            let started = value.number("startedSeconds"), let waits = value.list("waits"),
            let hosting = value.member(named: "hosting").flatMap({ HostingFigures($0) }),
            let kept = value.list("lastGood"), let findings = value.list("findings"),
            let reloads = value.member(named: "reloads").flatMap({ ReloadFigures($0) }),
            let workers = value.list("workers"), let connections = value.number("openConnections"),
            let verifiers = value.member(named: "verifiers").flatMap({ VerifierFigures($0) })
        else { return nil }
        self.init(
            version: version, library: library, processID: process, nowSeconds: Int64(now),
            startedSeconds: Int64(started), waits: waits.compactMap { $0.asString }, hosting: hosting,
            kept: kept.map {
                Kept(
                    host: $0.text("host") ?? "",
                    reason: OpenFinding(
                        finding: $0.text("reason") ?? "", sinceSeconds: Int64($0.number("sinceSeconds") ?? 0)))
            },
            findings: findings.map { OpenFinding($0) }, servedDigest: value.text("servedDigest") ?? "",
            reloads: reloads,
            certificates: value.member(named: "certificates").flatMap { CertificateFigures($0) },
            workers: workers.map { WorkerState($0) }, openConnections: connections, verifiers: verifiers)
        uptimeSeconds = Int64(value.number("uptimeSeconds") ?? now - started)
        guardedFiles = (value.list("guardedFiles") ?? []).compactMap { $0.asString }
        refusals = RefusalFigures(value.member(named: "refusals"))
    }

    public var text: String {
        let state = isReady ? "ready" : "not ready: \(waits.joined(separator: "; "))"
        var lines = [
            "associated \(version) (\(library)), process \(processID), up \(Age.duration(seconds: uptimeSeconds)), \(state)",
            "serves \(count(hosting.appFiles, "app")) on \(count(hosting.hosts, "host")), "
                + "\(count(openConnections, "open connection")), digest \(servedDigest)",
        ]
        lines += keptLines
        lines += findingLines
        lines.append(reloadLine)
        lines += certificateLines
        lines.append(workerLine)
        lines += [refusals.text].compactMap { $0 }
        lines += verifierLines
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private var keptLines: [String] {
        guard hosting.keptHosts > 0 else { return [] }
        var lines = ["\(count(hosting.keptHosts, "host")) on a last good version:"]
        lines += kept.map { "  \($0.host), \(text($0.reason))" }
        lines += more(than: kept.count, of: hosting.keptHosts)
        return lines
    }

    private var findingLines: [String] {
        var lines: [String] = []
        if hosting.guardedEntries > 0 {
            let files = guardedFiles.isEmpty ? "" : ", of \(guardedFiles.joined(separator: ", "))"
            lines.append("the removal guard keeps \(entries(hosting.guardedEntries)) live\(files)")
        }
        let all = hosting.errors + hosting.warnings + hosting.notes
        guard all > 0 else { return lines + ["no finding stands"] }
        guard hosting.errors > 0 else {
            let rest = "\(count(hosting.warnings, "warning")), \(count(hosting.notes, "note"))"
            return lines + ["no error stands; \(rest) (`associated lint` lists them)"]
        }
        lines.append(
            "findings that stand: \(count(hosting.errors, "error")), \(count(hosting.warnings, "warning")), "
                + "\(count(hosting.notes, "note"))")
        lines += findings.map { "  \(text($0))" }
        return lines + more(than: findings.count, of: hosting.errors - (certificates?.open.errors ?? 0))
    }

    private func text(_ open: OpenFinding) -> String {
        let age = Age.ago(from: open.sinceSeconds, to: nowSeconds)
        let since =
            open.sinceSeconds > startedSeconds
            ? "since \(Clock.day(open.sinceSeconds)) (\(age))"
            : "since the start \(age) or longer"
        return "\(since): \(open.finding)"
    }

    private var reloadLine: String {
        let rounds =
            "\(count(reloads.changed + reloads.unchanged + reloads.failed, "reload")), \(reloads.failed) failed"
        guard let last = reloads.last else { return "no reload yet" }
        let ago = Age.ago(from: last.seconds, to: nowSeconds)
        let outcome =
            switch last.outcome {
            case .changed: "brought changes"
            case .unchanged: "published no change"
            case .failed: "failed: \(last.message ?? "for no known reason")"
            }
        return "the last reload ended \(ago), took \(milliseconds(last.microseconds)) and \(outcome) (\(rounds))"
    }

    private var certificateLines: [String] {
        guard let certificates else { return ["no TLS"] }
        if !certificates.isComplete, certificates.isEmpty { return ["certificates have not been looked at yet"] }
        var lines = [
            "\(count(certificates.usable, "certificate")) usable, \(certificates.lastGood) on a last good version, "
                + "\(certificates.broken) broken; \(count(certificates.missing, "host")) without one"
                + (certificates.isComplete ? "" : "; not all looked at yet")
        ]
        lines += certificates.problems.map { "  \($0.folder), \($0.text(nowSeconds))" }
        lines += more(than: certificates.problems.count, of: certificates.open.sum)
        for expiry in certificates.soonest {
            let left = expiry.notAfter - nowSeconds
            let when = left >= 0 ? "expires in \(Age.text(seconds: left))" : "expired \(Age.text(seconds: -left)) ago"
            lines.append("  \(expiry.folder) \(when) (\(Clock.day(expiry.notAfter)))")
        }
        return lines
    }

    private var workerLine: String {
        let stuck = workers.indices.filter { workers[$0].isStuck }
        let longest = workers.map(\.longestRoundMicroseconds).max() ?? 0
        let lag = "longest round of the last half minute \(milliseconds(Int64(clamping: longest)))"
        if stuck.isEmpty { return "\(count(workers.count, "worker")), all alive; \(lag)" }
        return
            "\(count(workers.count, "worker")), of which stuck: \(stuck.map { "\($0)" }.joined(separator: ", ")); \(lag)"
    }

    private var verifierLines: [String] {
        VerifierKind.known.map { kind in
            guard let last = verifiers.lastSeconds[kind] else { return "\(kind.name) never fetched anything" }
            return "\(kind.name) last fetched something \(Age.ago(from: last, to: nowSeconds))"
        }
    }

    private func more(than shown: Int, of all: Int) -> [String] {
        all > shown ? ["  and \(all - shown) more"] : []
    }

    private func entries(_ number: Int) -> String { "\(number) \(number == 1 ? "entry" : "entries")" }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// With a decimal below ten.
    private func milliseconds(_ microseconds: Int64) -> String {
        if microseconds >= 10_000 { return "\(microseconds / 1_000) ms" }
        return "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
    }
}

extension StatusReport.OpenFinding {
    fileprivate var value: SourceValue {
        .object([("finding", .string(finding)), ("sinceSeconds", .integer(Int(sinceSeconds)))])
    }

    fileprivate init(_ value: SourceValue) {
        self.init(finding: value.text("finding") ?? "", sinceSeconds: Int64(value.number("sinceSeconds") ?? 0))
    }
}

extension SourceValue {
    fileprivate static func strings(_ strings: [String]) -> SourceValue { .array(strings.map { .string($0) }) }
}

extension HostingFigures {
    private static var fields: [(String, WritableKeyPath<HostingFigures, Int>)] {
        [
            ("hosts", \.hosts), ("appFiles", \.appFiles), ("hostsOnLastGoodVersion", \.keptHosts),
            ("brokenFiles", \.brokenFiles), ("heldFiles", \.heldFiles), ("goneFiles", \.goneFiles),
            ("refusedFiles", \.refusedFiles), ("unservedFiles", \.unservedFiles),
            ("guardedEntries", \.guardedEntries), ("errors", \.errors), ("warnings", \.warnings), ("notes", \.notes),
        ]
    }

    fileprivate var value: SourceValue {
        .object(HostingFigures.fields.map { ($0.0, .integer(self[keyPath: $0.1])) })
    }

    fileprivate init?(_ value: SourceValue) {
        self.init()
        for (name, path) in HostingFigures.fields {
            guard let number = value.number(name) else { return nil }
            self[keyPath: path] = number
        }
    }
}

extension ReloadFigures {
    fileprivate var value: SourceValue {
        .object([
            ("changed", .integer(changed)), ("unchanged", .integer(unchanged)), ("failed", .integer(failed)),
            (
                "last",
                last.map { last in
                    .object([
                        ("outcome", .string(last.outcome.rawValue)), ("endedSeconds", .integer(Int(last.seconds))),
                        ("durationMicroseconds", .integer(Int(last.microseconds))),
                        ("message", last.message.map { .string($0) } ?? .null),
                    ])
                } ?? .null
            ),
            ("controlSilentMilliseconds", .integer(Int(controlMilliseconds))),
        ])
    }

    fileprivate init?(_ value: SourceValue) {
        guard let changed = value.number("changed"), let unchanged = value.number("unchanged"),
            let failed = value.number("failed")
        else { return nil }
        self.init()
        (self.changed, self.unchanged, self.failed) = (changed, unchanged, failed)
        controlMilliseconds = Int64(value.number("controlSilentMilliseconds") ?? 0)
        guard let last = value.member(named: "last"), let seconds = last.number("endedSeconds"),
            let microseconds = last.number("durationMicroseconds"),
            let outcome = last.text("outcome").flatMap({ Outcome(rawValue: $0) })
        else { return }
        self.last = Last(
            outcome: outcome, seconds: Int64(seconds), microseconds: Int64(microseconds), message: last.text("message"))
    }
}

extension WorkerState {
    fileprivate var value: SourceValue {
        .object([
            ("stuck", .bool(isStuck)), ("silentMilliseconds", .integer(Int(silentMilliseconds))),
            ("longestRoundMicroseconds", .integer(Int(clamping: longestRoundMicroseconds))),
        ])
    }

    fileprivate init(_ value: SourceValue) {
        self.init(
            silentMilliseconds: Int64(value.number("silentMilliseconds") ?? 0),
            longestRoundMicroseconds: UInt64(clamping: value.number("longestRoundMicroseconds") ?? 0))
    }
}

extension VerifierFigures {
    fileprivate var value: SourceValue {
        .object([
            ("hosts", .integer(hosts)), ("evicted", .integer(evicted)), ("writeFailures", .integer(failures)),
            (
                "lastSeconds",
                .object(VerifierKind.known.map { ($0.label, lastSeconds[$0].map { .integer(Int($0)) } ?? .null) })
            ),
        ])
    }

    fileprivate init?(_ value: SourceValue) {
        guard let hosts = value.number("hosts"), let last = value.member(named: "lastSeconds") else { return nil }
        self.init()
        self.hosts = hosts
        evicted = value.number("evicted") ?? 0
        failures = value.number("writeFailures") ?? 0
        for kind in VerifierKind.known { lastSeconds[kind] = last.number(kind.label).map { Int64($0) } }
    }
}

extension CertificateReport.Problem {
    /// Since when, and what.
    func text(_ nowSeconds: Int64) -> String {
        "since \(Clock.day(sinceSeconds)) (\(Age.ago(from: sinceSeconds, to: nowSeconds))): \(finding)"
    }
}

public struct RefusalFigures: Sendable, Equatable {
    /// Connections that were refused because their network had too many.
    public var connections = 0
    /// The network that was refused most, and how often; nil where none was.
    public var network: String?
    public var ofNetwork = 0
    /// Handshakes that took too long.
    public var handshakes = 0

    /// On any day some clients do not finish a handshake; one a second is a network in trouble or a flood.
    static let handshakesUsual = 60

    public init() {}

    /// What an operator should read in the log; nil where it is nothing out of the ordinary.
    public var warning: String? { connections > 0 || handshakes > RefusalFigures.handshakesUsual ? text : nil }

    /// In one line; nil where none was refused.
    var text: String? {
        var parts: [String] = []
        if connections > 0 {
            let most = network.map { ", most of them from \($0) (\(ofNetwork))" } ?? ""
            parts.append("\(count(connections, "connection")) refused because a network had too many\(most)")
        }
        if handshakes > 0 { parts.append("\(count(handshakes, "handshake")) timed out") }
        return parts.isEmpty ? nil : "in the last minute: \(parts.joined(separator: "; "))"
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    var value: SourceValue {
        .object([
            ("connections", .integer(connections)), ("network", network.map { .string($0) } ?? .null),
            ("ofNetwork", .integer(ofNetwork)), ("timedOutHandshakes", .integer(handshakes)),
        ])
    }

    /// A server of an earlier version tells nothing of it.
    init(_ value: SourceValue?) {
        connections = value?.number("connections") ?? 0
        network = value?.text("network")
        ofNetwork = value?.number("ofNetwork") ?? 0
        handshakes = value?.number("timedOutHandshakes") ?? 0
    }
}
