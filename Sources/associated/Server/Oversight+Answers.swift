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
            var report = StatusReport(
                version: Product.version, library: Library.version, processID: Int(getpid()),
                nowSeconds: Clock.wallSeconds(), startedSeconds: standing.startedSeconds,
                waits: health.failures + health.waits, hosting: hosting, kept: standing.kept,
                findings: Array((diskFindings + stateFindings + standing.findings).prefix(StatusReport.listMax)),
                servedDigest: parts.digest.text(of: parts.published.current), reloads: standing.reloads,
                certificates: certificates(listMax: StatusReport.listMax), workers: workers(),
                openConnections: records.openConnections, verifiers: ledger.figures)
            report.uptimeSeconds = Int64(standing.uptimeSeconds)
            (report.guardedFiles, report.refusals) = (standing.guardedFiles, standing.refusals)
            return report
        }

        /// The certificates, as they are by the clock of this moment.
        private var judgedCertificates: CertificateStore? {
            parts.certificates?.judge(now: Clock.wallSeconds())
            return parts.certificates
        }

        func host(_ host: String) -> HostReport? {
            let catalogue = parts.published.current
            // A wildcard is found under its own name only, not under that of a wider one.
            guard let name = catalogue.configuredName(of: host), name == host || !host.hasPrefix("*.") else {
                return nil
            }
            let documents = Answers.documents.compactMap { kind, path -> HostReport.Document? in
                let tags = catalogue.entityTags(host: host, path: path)
                return tags.isEmpty ? nil : HostReport.Document(kind: kind, entityTags: tags)
            }
            return HostReport(
                host: host, name: name, nowSeconds: Clock.wallSeconds(), documents: documents,
                reasons: standing.reasons(of: name),
                certificate: judgedCertificates?.certificate(of: host).map { CertificateReport($0) },
                verifiers: ledger.records(of: name), recordedSinceSeconds: ledger.beganSeconds)
        }

        private static let documents: [(kind: Telemetry.DocumentKind, path: String)] = [
            (.appleAssociation, "/.well-known/apple-app-site-association"),
            (.statementList, "/.well-known/assetlinks.json"),
        ]

        /// The served host whose name is nearest to one that is not served.
        func nearestHost(to host: String) -> String? {
            let served = parts.published.current.servedHosts.filter { abs($0.utf8.count - host.utf8.count) < 4 }
            return NearestKey.find(host, among: served)
        }

        func hosts(onlyUnfetched: Bool) -> HostList {
            let (catalogue, records, kept) = (parts.published.current, ledger.allRecords, standing.keptHosts)
            let entries = catalogue.servedHosts.map { name -> HostList.Entry in
                let fetches = zip(Answers.documents, [VerifierKind.appleCDN, .googleAssociation]).map {
                    document, verifier -> HostList.Fetches? in
                    if catalogue.entityTags(host: name, path: document.path).isEmpty { return nil }
                    let record = records[name]?.first { $0.verifier == verifier }
                    return HostList.Fetches(lastSeconds: record?.lastSeconds)
                }
                return HostList.Entry(
                    host: name, isLastGood: kept.contains(name), apple: fetches[0], google: fetches[1])
            }
            return HostList(
                nowSeconds: Clock.wallSeconds(), recordedSinceSeconds: ledger.beganSeconds,
                all: onlyUnfetched ? entries.filter(\.isUnfetched) : entries)
        }

        /// The certificates that end within so many seconds; nil where no TLS is spoken.
        func expiring(within seconds: Int64) -> ExpiryReport? {
            guard let store = parts.certificates else { return nil }
            let now = Clock.wallSeconds()
            return ExpiryReport(
                nowSeconds: now, withinSeconds: seconds,
                all: store.ending(before: now + seconds).map { CertificateFigures.Expiry($0) })
        }

        /// A look that does not come to its end has no outcome to tell.
        private var diskFindings: [StatusReport.Standing] {
            [standing.looks.complaint].compactMap { complaint in
                complaint.map { StatusReport.Standing(finding: "error: \($0)", sinceSeconds: Clock.wallSeconds()) }
            }
        }

        /// That nothing is remembered any more is found out too late otherwise.
        private var stateFindings: [StatusReport.Standing] {
            standing.stateProblems.sorted { $0.key.rawValue < $1.key.rawValue }.map { part, problem in
                StatusReport.Standing(
                    finding:
                        "error: the state directory cannot be written (\(problem.reason)), so \(part.rawValue) not "
                        + "kept over a restart; "
                        + (standing.stateComplaint ?? "free space, or let the server's user write there"),
                    sinceSeconds: problem.sinceSeconds)
            }
        }

        private func certificates(listMax: Int = 0) -> CertificateFigures? {
            judgedCertificates.map { CertificateFigures($0, listMax: listMax, now: Clock.wallSeconds()) }
        }

        /// What stands about certificates is counted with the rest.
        private var hosting: HostingFigures {
            var figures = standing.hosting
            figures.errors += standing.stateProblems.count + diskFindings.count
            guard let counts = judgedCertificates?.standingCounts else { return figures }
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
