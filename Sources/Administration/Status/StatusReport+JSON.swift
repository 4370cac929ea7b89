// The server's standing as JSON, and back: the command that asks a running server reads what the server writes.

public import SourceJSON
import Telemetry

extension StatusReport {
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
                    reason: Standing(
                        finding: $0.text("reason") ?? "", sinceSeconds: Int64($0.number("sinceSeconds") ?? 0)))
            },
            findings: findings.map { Standing($0) }, servedDigest: value.text("servedDigest") ?? "", reloads: reloads,
            certificates: value.member(named: "certificates").flatMap { CertificateFigures($0) },
            workers: workers.map { WorkerState($0) }, openConnections: connections, verifiers: verifiers)
        uptimeSeconds = Int64(value.number("uptimeSeconds") ?? now - started)
        guardedFiles = (value.list("guardedFiles") ?? []).compactMap { $0.asString }
        refusals = RefusalFigures(value.member(named: "refusals"))
    }
}

extension StatusReport.Standing {
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
