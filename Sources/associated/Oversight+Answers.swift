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

        func health() -> HealthReport { HealthReport(standing.phase, workers: workers(), hosting: standing.hosting) }

        func metrics() -> MetricsSnapshot {
            MetricsSnapshot(
                program: RunningProgram(
                    version: Product.version, library: Library.version, uptimeSeconds: standing.uptimeSeconds,
                    isReady: health().isReady),
                records: records, workers: workers(), hosting: hosting, reloads: standing.reloads,
                certificates: standing.certificates(parts.certificates), verifiers: ledger.figures, process: process(),
                nowMilliseconds: Clock.monotonicMilliseconds())
        }

        func status() -> StatusReport {
            let health = health()
            return StatusReport(
                version: Product.version, library: Library.version, processID: Int(getpid()),
                nowSeconds: Clock.wallSeconds(), startedSeconds: standing.startedSeconds,
                waits: health.failures + health.waits, hosting: hosting, kept: standing.kept,
                findings: Array(
                    (losses.map { Console.line(Finding($0)) } + standing.findings).prefix(StatusReport.listMax)),
                reloads: standing.reloads,
                certificates: standing.certificates(parts.certificates), workers: workers(),
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
                reasons: standing.reasons(of: name), verifiers: ledger.records(of: name),
                recordedSinceSeconds: ledger.beganSeconds)
        }

        private var losses: [CertificateProblem] { parts.certificates?.losses ?? [] }

        private var hosting: HostingFigures {
            var figures = standing.hosting
            figures.errors += losses.count
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
