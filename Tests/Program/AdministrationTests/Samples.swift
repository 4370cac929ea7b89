// A sample server with fixed numbers and texts.

import Certificates
import TLS
import Telemetry

@testable import Administration

enum Samples {
    /// Friday, 20 November 2026, noon.
    static let now: Int64 = 1_795_176_000

    static let metrics: WorkerMetrics = {
        let metrics = WorkerMetrics(workerCount: 2)
        let (first, second) = (metrics.recorder(0).counters, metrics.recorder(1).counters)
        first.add(3, to: .requests(.success, .appleAssociation))
        second.add(2, to: .requests(.success, .appleAssociation))
        second.add(to: .requests(.clientError, .none))
        first.add(4, to: .connectionsAccepted)
        first.add(to: .connectionsClosed(.client))
        first.add(700, to: .bytesReceived)
        second.add(9_000, to: .bytesSent)
        second.add(2, to: .droppedLogLines)
        first.add(5, to: .handshakes(.resumed))
        first.addLatency(microseconds: 40)
        first.addLatency(microseconds: 300)
        second.addLatency(microseconds: 20_000_000)
        first.addRound(microseconds: 1_500, nowMilliseconds: 1_000)
        return metrics
    }()

    static var hosting: HostingFigures {
        var hosting = HostingFigures()
        (hosting.hosts, hosting.appFiles, hosting.keptHosts) = (388, 214, 1)
        (hosting.brokenFiles, hosting.heldFiles, hosting.guardedEntries) = (1, 1, 2)
        (hosting.errors, hosting.warnings) = (6, 1)
        return hosting
    }

    private static func finding(since: Int64) -> StatusReport.OpenFinding {
        .init(finding: "apps/shop.json:33:1: error[APP-001]: the text goes on", sinceSeconds: since)
    }

    static var reloads: ReloadFigures {
        var reloads = ReloadFigures()
        (reloads.changed, reloads.unchanged, reloads.failed) = (3, 1, 1)
        reloads.durations.counts[7] = 5
        reloads.durations.sumMicroseconds = 42_000
        reloads.last = .init(outcome: .changed, seconds: now - 720, microseconds: 8_400)
        reloads.controlMilliseconds = 250
        return reloads
    }

    static let problem = CertificateReport.Problem(
        folder: "old.example.com", sinceSeconds: now - 2 * 86_400, rule: "CERT-009", severity: "error",
        finding: "hosts/old.example.com/fullchain.pem: error[CERT-009]: the certificate expired 2 days ago")

    static var certificates: CertificateFigures {
        var certificates = CertificateFigures()
        (certificates.usable, certificates.broken, certificates.found.loadFailures) = (12, 1, 2)
        (certificates.lastGood, certificates.missing, certificates.inMemory) = (2, 3, 9)
        (certificates.found.errors, certificates.found.warnings) = (2, 3)
        certificates.open.errors = 4
        certificates.judgedLifeLeftMin = -0.02
        certificates.problems = [problem]
        certificates.soonest = [
            .init(folder: "old.example.com", notAfter: now - 2 * 86_400, issuer: "CN=R11", lifeLeftPercent: 0),
            .init(folder: "_wildcard.example.com", notAfter: now + 21 * 86_400, issuer: "CN=R11", lifeLeftPercent: 23),
        ]
        return certificates
    }

    static func expiring(_ seconds: Int64) -> ExpiryReport {
        let all = certificates.soonest.filter { $0.notAfter < now + seconds }
        return ExpiryReport(nowSeconds: now, withinSeconds: seconds, all: all)
    }

    static var hosts: HostList {
        HostList(
            nowSeconds: now, recordedSinceSeconds: now - 5 * 86_400,
            all: [
                .init(
                    host: "shop.example.com", isLastGood: true, apple: .init(lastSeconds: now - 720, isConfirmed: true),
                    google: nil),
                .init(
                    host: "new.example.com", isLastGood: false, apple: .init(lastSeconds: nil),
                    google: .init(lastSeconds: now)),
            ])
    }

    static let served = ServedHosts(digest: "00ff", hosts: ["shop.example.com", "*.example.com"])

    static let documents = ServedDocuments(
        digest: "00ff",
        hosts: [
            .init(name: "*.example.com", apple: "\"a1\"", google: nil),
            .init(name: "shop.example.com", apple: "\"b7e07d6d\"", google: "\"91535165\""),
        ], hasMore: true)

    static let lastDocuments = ServedDocuments(digest: "00ff", hosts: [], hasMore: false)

    static let fetches = RecentFetches([
        .init(host: "shop.example.com", verifier: .appleCDN, tag: "\"1\"", seconds: now - 60, isConfirmed: true),
        .init(
            host: "news.example.com", verifier: .googleAssociation, tag: "\"2\"", seconds: now - 3_600,
            isConfirmed: false),
    ])

    static let published = PublishedApps(
        [
            .init(path: "acme/shop.json", digest: "00ff", state: .served, findings: [], servesOlder: false),
            .init(path: "acme/news.json", digest: nil, state: .held, findings: ["error"], servesOlder: true),
        ], findings: [])

    /// The metrics of a manager that orders certificates and watches deliveries.
    static let ofManager: [MetricFamily] = {
        var metrics = ManagerMetrics(version: "1.0")
        metrics.hosts = [("issued", 214), ("queued", 31), ("waiting-dns", 1)]
        metrics.orders = [("issued", 2), ("failing", 1)]
        (metrics.lifeLeftMin, metrics.residentBytes) = (0.4, 20_000_000)
        metrics.budgets = [("domains", 24.5), ("orders", 300)]
        return metrics.families + deliveries.families
    }()

    static let deliveries = DeliveryMetrics(
        services: ["apple", "google"].map { name in
            .init(
                name: name,
                hosts: [("equal", 380), ("older", 4), ("foreign", 1), ("failing", 2), ("absent", 0), ("unknown", 1)],
                failing: 1, late: 3, isReachable: true)
        }, waitingMessages: 2)

    static var unfetched: HostList {
        HostList(nowSeconds: now, recordedSinceSeconds: now - 60, all: hosts.hosts.filter(\.isUnfetched))
    }

    static var verifiers: VerifierFigures {
        var verifiers = VerifierFigures()
        verifiers.hosts = 7
        verifiers.fetches = [.appleCDN: [.success: 4, .clientError: 1]]
        verifiers.confirmed = [.appleCDN: 3]
        verifiers.lastSeconds = [.appleCDN: now - 90, .googleAssociation: now - 7_200]
        verifiers.lastConfirmedSeconds = [.appleCDN: now - 90]
        return verifiers
    }

    static let workers = [
        WorkerState(silentMilliseconds: 0, longestRoundMicroseconds: 1_500),
        WorkerState(silentMilliseconds: 0, longestRoundMicroseconds: 0),
    ]

    static var snapshot: MetricsSnapshot {
        var process = ProcessFigures()
        (process.descriptors, process.descriptorsMax, process.residentBytes) = (17, 1_024, 9_437_184)
        process.processorSeconds = 1.5
        var snapshot = MetricsSnapshot(status, metrics)
        (snapshot.commit, snapshot.uptimeSeconds) = ("unknown", 93_600)
        (snapshot.status.manager, snapshot.process) = (ManagerSilence(seconds: 4), process)
        return snapshot
    }

    static var status: StatusReport {
        var status = StatusReport()
        (status.version, status.library, status.processID) = ("0.1.0", "OpenSSL 3", 4711)
        (status.nowSeconds, status.startedSeconds, status.uptimeSeconds) = (now, now - 93_600, 93_600)
        (status.hosting, status.reloads, status.certificates) = (hosting, reloads, certificates)
        status.kept = [.init(host: "shop.example.com", reason: finding(since: now - 7_200))]
        status.findings = [finding(since: now - 93_600)]
        (status.servedDigest, status.workers, status.verifiers) = ("00ff", workers, verifiers)
        status.openConnections = 3
        return status
    }

    static var host: HostReport {
        var host = HostReport()
        (host.host, host.name) = ("shop.example.com", "shop.example.com")
        (host.nowSeconds, host.recordedSinceSeconds) = (now, now - 5 * 86_400)
        (host.tenant, host.appFiles) = ("customer-a", ["customer-a/shop.json"])
        host.apps = ["8KQ2V7M4XN.com.acme.shop", "com.acme.shop"]
        host.documents = [
            .init(kind: .appleAssociation, entityTags: ["\"b7e07d6d\"", "\"b7e07d6d-gzip\""]),
            .init(kind: .statementList, entityTags: ["\"91535165\"", "\"91535165-gzip\""]),
        ]
        host.certificate = CertificateReport(
            folder: "_wildcard.example.com", state: "last_good", notAfter: now + 21 * 86_400, lifeLeftPercent: 23,
            serial: "03AB", issuer: "CN=R11", problems: [problem])
        host.verifiers = [
            record(.appleCDN, .appleAssociation, 404, nil, ago: 60, from: "192.0.2.0/24"),
            record(.appleCDN, .appleAssociation, 200, "\"b7e07d6d-gzip\"", ago: 12 * 60, confirmed: "17.58.96.0/24"),
            record(
                .googleAssociation, .statementList, 200, "\"dc84c8cf\"", ago: 3 * 86_400, confirmed: "66.249.66.0/24"),
            record(.googlebot, .statementList, 404, nil, ago: 3_600),
            record(.appleDevice, .appleAssociation, 304, "\"b7e07d6d\"", ago: 0),
        ]
        return host
    }

    static func record(
        _ verifier: VerifierKind, _ document: RequestedDocument, _ status: UInt16, _ tag: String?, ago: Int64,
        from network: String? = nil, confirmed: String? = nil
    ) -> VerifierRecord {
        var record = VerifierRecord(
            verifier: verifier, document: document, status: status, entityTag: tag, firstSeconds: now - 4 * 86_400,
            lastSeconds: now - ago, count: 9)
        (record.isConfirmed, record.network) = (confirmed != nil, confirmed ?? network)
        return record
    }
}
