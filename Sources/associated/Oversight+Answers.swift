// The answers themselves, each made when it is asked for, by the thread of the admin listener.

import Administration
import Association
import Catalogue
import Engine
import Glibc
import Hosting
import Posix
import TLS
import Telemetry

extension Oversight {
    struct Answers: Sendable {
        let standing: ServerStanding
        let records: Records
        let usage: ProcessUsage
        let parts: Parts
        let ledger: VerifierLedger

        func health() -> HealthReport { HealthReport(standing.phase, workers: workers(), hosting: hosting) }

        func metrics() -> MetricsSnapshot {
            MetricsSnapshot(
                program: RunningProgram(
                    version: Product.version, commit: Product.commit, library: Library.version,
                    uptimeSeconds: standing.uptimeSeconds,
                    isReady: health().isReady),
                records: records, workers: workers(), hosting: hosting, reloads: standing.reloads,
                certificates: certificates(), verifiers: ledger.figures,
                isStateWritable: standing.stateProblems.isEmpty,
                servedDigest: parts.digest.text(of: parts.published.current), process: process(),
                nowMilliseconds: Clock.monotonicMilliseconds())
        }

        func status() -> StatusReport {
            let health = health()
            return StatusReport(
                version: Product.version, library: Library.version, processID: Int(getpid()),
                nowSeconds: Clock.wallSeconds(), startedSeconds: standing.startedSeconds,
                waits: health.failures + health.waits, hosting: hosting, kept: standing.kept,
                findings: Array((stateFindings + standing.findings).prefix(StatusReport.listMax)),
                servedDigest: parts.digest.text(of: parts.published.current), reloads: standing.reloads,
                certificates: certificates(listMax: StatusReport.listMax), workers: workers(),
                openConnections: records.openConnections, verifiers: ledger.figures)
        }

        func host(_ host: String) -> HostReport? {
            let catalogue = parts.published.current
            // A wildcard is asked for by the name that it is configured by, too.
            let asked = host.hasPrefix("*.") ? "x\(host.dropFirst())" : host
            guard let name = catalogue.configuredName(of: asked), host == asked || name == host else { return nil }
            let documents = [
                (DocumentKind.appleAssociation, "/.well-known/apple-app-site-association"),
                (.statementList, "/.well-known/assetlinks.json"),
            ].compactMap { kind, path -> HostReport.Document? in
                let tags = catalogue.entityTags(host: asked, path: path)
                return tags.isEmpty ? nil : HostReport.Document(kind: kind, entityTags: tags)
            }
            return HostReport(
                host: host, name: name, nowSeconds: Clock.wallSeconds(), documents: documents,
                reasons: standing.reasons(of: name),
                certificate: parts.certificates?.certificate(of: asked == host ? host : name).map {
                    CertificateReport($0)
                },
                verifiers: ledger.records(of: name), recordedSinceSeconds: ledger.beganSeconds)
        }

        /// The certificates that end within so many seconds; nil where no TLS is spoken.
        func expiring(within seconds: Int64) -> ExpiryReport? {
            guard let store = parts.certificates else { return nil }
            let now = Clock.wallSeconds()
            return ExpiryReport(
                nowSeconds: now, withinSeconds: seconds,
                all: store.ending(before: now + seconds).map { CertificateFigures.Expiry($0) })
        }
        /// That nothing is remembered any more is found out too late otherwise.
        private var stateFindings: [StatusReport.Standing] {
            standing.stateProblems.sorted { $0.key.rawValue < $1.key.rawValue }.map { part, problem in
                StatusReport.Standing(
                    finding:
                        "error: the state directory cannot be written (\(problem.reason)), so \(part.rawValue) not "
                        + "kept over a restart; free space, or let the server's user write there",
                    sinceSeconds: problem.sinceSeconds)
            }
        }

        private func certificates(listMax: Int = 0) -> CertificateFigures? {
            parts.certificates.map { CertificateFigures($0, listMax: listMax, now: Clock.wallSeconds()) }
        }

        /// What stands about certificates is counted with the rest.
        private var hosting: HostingFigures {
            var figures = standing.hosting
            figures.errors += standing.stateProblems.count
            guard let counts = parts.certificates?.standingCounts else { return figures }
            figures.errors += counts.errors
            figures.warnings += counts.warnings
            figures.notes += counts.notes
            return figures
        }

        private func workers() -> [WorkerState] {
            let now = Clock.monotonicMilliseconds()
            return parts.engine.silences().enumerated().map { number, silence in
                WorkerState(
                    silentMilliseconds: silence,
                    longestRoundMicroseconds: records.longestRoundMicroseconds(number, nowMilliseconds: now))
            }
        }

        private func process() -> ProcessFigures {
            var figures = ProcessFigures()
            figures.processorSeconds = usage.processorSeconds
            figures.descriptors = usage.descriptorCount
            figures.descriptorsMax = DescriptorLimit.count
            let memory = usage.memoryBytes
            (figures.virtualBytes, figures.residentBytes) = (memory?.virtual, memory?.resident)
            figures.startSeconds = usage.startSeconds
            return figures
        }
    }
}
