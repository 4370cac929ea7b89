// The answers of the admin listener and of the link to the manager, computed by their threads on request. Nothing here waits for a disk: certificates come from
// surveys and from memory.

import Administration
import Association
import Catalogue
import Certificates
import Engine
import HTTP
import Hosting
import Posix
import Service
import SourceJSON
import Supervision
import Synchronization
import TLS
import Telemetry
import Tenancy
import Verifier

struct ServerAnswers: ServerHandlers, LinkHandlers {
    let state: ServerState
    let workerMetrics: WorkerMetrics
    let usage: ProcessUsage
    /// The process that operators send signals to.
    let parent: Int32
    let expectsManager: Bool
    let engine: Engine
    let published: PublishedCatalogue
    let certificates: CertificateStore?
    let ledger: VerifierLedger
    private let digest = ServedDigest()

    func health() -> HealthReport {
        HealthReport(state.current.phase, workers: workers(), hosting: hosting, manager: manager)
    }

    func metrics() -> MetricsSnapshot {
        var snapshot = MetricsSnapshot(status(listMax: 0), workerMetrics)
        (snapshot.commit, snapshot.uptimeSeconds) = (Product.commit, state.uptimeSeconds)
        (snapshot.isStateWritable, snapshot.process) = (state.current.problems.isEmpty, process())
        return snapshot
    }

    func status() -> StatusReport { status(listMax: StatusReport.listMax) }

    /// - Parameter listMax: the length of each list.
    private func status(listMax: Int) -> StatusReport {
        let (current, health) = (state.current, health())
        var report = current.report
        (report.version, report.library, report.processID) = (Product.version, Library.version, Int(parent))
        (report.nowSeconds, report.uptimeSeconds) = (Clock.wallSeconds(), Int64(state.uptimeSeconds))
        report.waits = health.failures + health.waits
        report.hosting = hosting
        report.findings = Array((openProblems + current.findings).prefix(listMax))
        report.reloads.controlMilliseconds = max(0, Clock.monotonicMilliseconds() - current.tickMilliseconds)
        (report.servedDigest, report.manager) = (servedDigest(), manager)
        report.certificates = certificateFigures(current.folders, listMax: listMax)
        report.certificates?.noteAwaited(current.awaitedCount)
        (report.workers, report.openConnections) = (workers(), workerMetrics.openConnections)
        report.verifiers = ledger.figures
        return report
    }

    private var manager: ManagerSilence? { expectsManager ? state.managerSilence : nil }

    func note(_ report: ManagerReport) {
        state.change {
            ($0.managerMilliseconds, $0.managerProblem) = (Clock.monotonicMilliseconds(), report.problem)
            ($0.managerSentence, $0.managerRestart) = (report.sentence, nil)
            $0.awaitedCount = report.awaitedCount ?? $0.awaitedCount
        }
    }

    func servedDigest() -> String { digest.text(of: published.current) }

    func served() -> ServedHosts {
        // Both are of one catalogue.
        let catalogue = published.current
        return ServedHosts(
            digest: digest.text(of: catalogue), hosts: catalogue.servedHosts, folders: state.current.folders)
    }

    /// The certificates, judged by the present time.
    private var judgedCertificates: CertificateStore? {
        certificates?.register.updateExpiries(Clock.wallSeconds())
        return certificates
    }

    func host(_ host: String) -> HostReport? {
        let (catalogue, current) = (published.current, state.current)
        // A wildcard is found by its own name only, not through a wider wildcard.
        guard let name = catalogue.configuredName(of: host), name == host || !host.hasPrefix("*.") else {
            return nil
        }
        var report = HostReport()
        (report.host, report.name, report.nowSeconds) = (host, name, Clock.wallSeconds())
        report.documents = ServerAnswers.documents.compactMap { document in
            let tags = catalogue.entityTags(host: host, path: document.path)
            return tags.isEmpty ? nil : HostReport.Document(kind: document.kind, entityTags: tags)
        }
        report.appFiles = current.appFiles[name] ?? []
        report.tenant = report.appFiles.isEmpty ? nil : current.folders[name]
        report.apps = apps(of: name)
        report.reasons = ServerState.firstLines(of: current.reasons[name])
        report.errors = ServerState.firstLines(of: current.errors[name])
        report.certificate = judgedCertificates?.certificate(of: host).map {
            CertificateReport($0, now: Clock.wallSeconds())
        }
        (report.verifiers, report.recordedSinceSeconds) = (ledger.records(of: name), ledger.beganSeconds)
        return report
    }

    /// Each document with the verifier that hands out copies of it.
    private static let documents: [(kind: RequestedDocument, path: String, verifier: VerifierKind)] = [
        (.appleAssociation, AssociationPath.apple, .appleCDN),
        (.statementList, AssociationPath.statements, .googleAssociation),
    ]

    func reasonsUnserved(_ host: String) -> [String] { ServerState.firstLines(of: state.current.errors[host]) }

    /// The served host whose name is most similar. Not among very many: a comparison with each would delay other answers.
    func nearestHost(to host: String) -> String? {
        let served = published.current.servedHosts
        if served.count > ServerAnswers.comparedMax { return nil }
        return NearestKey.find(host, among: served.filter { abs($0.utf8.count - host.utf8.count) < 4 })
    }

    private static let comparedMax = 5_000

    func hosts(onlyUnfetched: Bool) -> HostList {
        let (catalogue, records, kept) = (published.current, ledger.allRecords, state.current.reasons)
        let entries = catalogue.servedHosts.map { name -> HostList.Entry in
            let fetches = ServerAnswers.documents.map { document -> HostList.Fetches? in
                if catalogue.entityTags(host: name, path: document.path).isEmpty { return nil }
                return HostList.Fetches(records[name] ?? [], by: document.verifier)
            }
            return HostList.Entry(host: name, isLastGood: kept[name] != nil, apple: fetches[0], google: fetches[1])
        }
        return HostList(
            nowSeconds: Clock.wallSeconds(), recordedSinceSeconds: ledger.beganSeconds,
            all: onlyUnfetched ? entries.filter(\.isUnfetched) : entries)
    }

    func documents(after name: String) -> ServedDocuments {
        let catalogue = published.current
        let (names, hasMore) = ServedDocuments.names(after: name, of: catalogue.servedHosts)
        let hosts = names.map { name -> ServedDocuments.Host in
            let tags = ServerAnswers.documents.map { catalogue.entityTags(host: name, path: $0.path).first }
            return ServedDocuments.Host(name: name, apple: tags[0], google: tags[1])
        }
        return ServedDocuments(digest: digest.text(of: catalogue), hosts: hosts, hasMore: hasMore)
    }

    func file(of host: String, _ document: RequestedDocument) -> [UInt8]? {
        guard let path = ServerAnswers.documents.first(where: { $0.kind == document })?.path else { return nil }
        return published.current.body(of: host, path: path)
    }

    /// The apps that the files of a host name, each once.
    private func apps(of host: String) -> [String] {
        let apple = file(of: host, .appleAssociation).flatMap {
            AppleAssociation.read(CopyAnswer.plain($0), file: host).association
        }
        let android = file(of: host, .statementList).flatMap { StatementList.read($0, file: host).list }
        return (apple?.apps ?? []) + (android?.packages ?? [])
    }

    func published(in folder: String) -> PublishedApps {
        let current = state.current
        let findings = [folder, ""].flatMap { current.folderFindings[$0] ?? [] }
        return PublishedApps(Array((current.published[folder] ?? [:]).values), findings: findings)
    }

    func fetches(since seconds: Int64) -> RecentFetches {
        let catalogue = published.current
        var fetches: [RecentFetches.Fetch] = []
        for (name, records) in ledger.allRecords {
            for record in records where record.lastSeconds >= seconds {
                // Of each verifier only the document that it hands out.
                guard let tag = record.entityTag, record.status < 300 || record.status == 304,
                    let path = ServerAnswers.documents.first(where: {
                        $0.verifier == record.verifier && $0.kind == record.document
                    })?.path
                else { continue }
                let current = catalogue.entityTags(host: name, path: path)
                guard let first = current.first, current.contains(tag) else { continue }
                fetches.append(
                    .init(
                        host: name, verifier: record.verifier, tag: first, seconds: record.lastSeconds,
                        isConfirmed: record.isConfirmed))
            }
        }
        return RecentFetches(fetches)
    }

    /// The certificates that expire within this many seconds; nil without TLS.
    func expiring(within seconds: Int64) -> ExpiryReport? {
        guard let store = certificates else { return nil }
        let now = Clock.wallSeconds()
        return ExpiryReport(
            nowSeconds: now, withinSeconds: seconds, all: store.register.ending(before: now + seconds, now: now))
    }

    /// What is wrong with the operation of this server.
    private var openProblems: [StatusReport.OpenFinding] {
        // A read that hangs never finishes, so it cannot report itself.
        let ofDisk = [state.diskTimer.complaint].compactMap(\.self).map { ($0, Clock.wallSeconds()) }
        let ofLog = (engine.accessLog?.problems ?? []).map { ($0.text, $0.sinceSeconds) }
        func findings(_ problems: [(text: String, since: Int64)]) -> [StatusReport.OpenFinding] {
            problems.map { StatusReport.OpenFinding(finding: "error: \($0.text)", sinceSeconds: $0.since) }
        }
        return findings(ofDisk) + state.current.stateFindings + findings(ofLog)
    }

    private func certificateFigures(_ folders: [String: String], listMax: Int) -> CertificateFigures? {
        judgedCertificates.map { store in
            CertificateFigures(store, listMax: listMax, now: Clock.wallSeconds()) { folder in
                TenantID(of: folder, folder: folders[CertificateFolder(name: folder).host ?? folder])
            }
        }
    }

    /// Includes open findings on certificates.
    private var hosting: HostingFigures {
        var figures = state.current.hosting
        figures.errors += openProblems.count
        guard let counts = judgedCertificates?.register.openProblemCounts else { return figures }
        figures.errors += counts.errors
        figures.warnings += counts.warnings
        figures.notes += counts.notes
        return figures
    }

    private func workers() -> [WorkerState] {
        let now = Clock.monotonicMilliseconds()
        return engine.silentMilliseconds().enumerated().map { number, silence in
            WorkerState(
                silentMilliseconds: silence,
                longestRoundMicroseconds: workerMetrics.longestRoundMicroseconds(number, nowMilliseconds: now))
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

extension CertificateFigures {
    /// How many findings are compared to find common causes.
    private static let comparedMax = 1_000

    /// - Parameter tenant: whose a folder of `config/hosts` is.
    init(_ store: CertificateStore, listMax: Int, now: Int64, tenant: (String) -> TenantID) {
        self.init()
        let survey = store.register.survey(now: now)
        (usable, lastGood) = (survey.counts[.usable] ?? 0, survey.counts[.lastGood] ?? 0)
        (broken, missing) = (survey.counts[.broken] ?? 0, survey.counts[.missing] ?? 0)
        (inMemory, isComplete) = (store.identityCount, survey.isComplete)
        (open, found) = (survey.openProblems, survey.found)
        (soonest, judgedLifeLeftMin) = (survey.soonest, survey.judgedLifeLeftMin)
        if listMax == 0 { return }
        let open = store.register.problems(.max)
        let all = FairShare.fitting(open, room: CertificateFigures.comparedMax) { tenant($0.folder) }
            .map { CertificateReport.Problem($0) }
        problems = FairShare.fitting(all, room: listMax) { tenant($0.folder) }
        causes = CertificateReport.Problem.causes(all, max: listMax, tenant: tenant)
    }
}

extension CertificateReport {
    init(_ certificate: HostCertificate, now: Int64) {
        self.init(
            folder: certificate.folder, state: certificate.state.rawValue, notAfter: certificate.summary?.notAfter,
            lifeLeftPercent: certificate.summary?.lifeLeftPercent(now), serial: certificate.summary?.serialText,
            issuer: certificate.summary?.issuer, problems: certificate.problems.map { Problem($0) })
    }
}

extension CertificateReport.Problem {
    fileprivate init(_ open: OpenProblem) {
        let problem = open.problem
        self.init(
            folder: open.folder, sinceSeconds: open.sinceSeconds, rule: problem.id,
            severity: problem.severity.rawValue, finding: Finding(problem).line)
        isOrEarlier = open.wasThereAtFirst
    }
}

/// A digest of everything that is served, to compare replicas: the same files give the same digest on every machine, in any
/// order. It is a sum of one digest for each answer, computed on request and once for each catalogue.
final class ServedDigest: Sendable {
    private struct Known {
        weak var catalogue: Catalogue?
        var text = ""
    }

    private let known = Mutex(Known())

    /// In hexadecimal.
    func text(of catalogue: Catalogue) -> String {
        if let text = known.withLock({ $0.catalogue === catalogue ? $0.text : nil }) { return text }
        let text = ServedDigest.text(of: catalogue)
        known.withLock { $0 = Known(catalogue: catalogue, text: text) }
        return text
    }

    static func text(of catalogue: Catalogue) -> String {
        var (high, low): (UInt64, UInt64) = (0, 0)
        catalogue.forEachAnswer { version in
            // Hosts, paths and tags contain no zero byte.
            let line = "\(version.host)\0\(version.path)\0\(version.tag ?? "\(version.byteCount) bytes")"
            let digest = Digest.sha256(Array(line.utf8))
            high &+= ServedDigest.number(digest[..<8])
            low &+= ServedDigest.number(digest[8..<16])
        }
        return [high, low].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// What the manager's console asks besides what operators are told: the operator's app files, and which hosts name an app.
extension ServerAnswers {
    /// For the link.
    var consoleRoutes: [Route] {
        func get(_ pattern: String, _ answer: @escaping @Sendable (ServiceRequest) -> SourceValue) -> Route {
            Route(.get, pattern, .status) {
                ServiceResponse(.ok, ServiceResponse.json, SourceWriter.minified(answer($0)))
            }
        }
        return [
            get("/apps") { _ in operatorFiles(after: "") },
            get("/apps/NAME") { operatorFiles(after: $0.parameters[0]) },
            get("/apps/with/TEXT") { hosts(naming: $0.parameters[0]) },
        ]
    }

    private static let filesMax = 100
    private static let hostsMax = 50
    /// A search among very many hosts ends with what it has.
    private static let searchMilliseconds: Int64 = 500

    /// The files of `config/apps` behind one, which are in no published folder.
    private func operatorFiles(after name: String) -> SourceValue {
        let current = state.current
        let published = Set(current.published.values.flatMap(\.keys))
        let all = current.appFiles.values.lazy.joined().filter { $0 > name && !published.contains($0) }
        let files = Self.first(Self.filesMax + 1, of: all)
        return .object([
            ("files", .array(files.prefix(Self.filesMax).map { .string($0) })),
            ("more", .bool(files.count > Self.filesMax)),
        ])
    }

    /// The first of some names in their order, each once. To sort 100,000 would take longer than a page may.
    static func first(_ count: Int, of names: some Sequence<String>) -> [String] {
        var first: [String] = []
        for name in names {
            if first.count == count, let last = first.last, name >= last { continue }
            let place = first.firstIndex { $0 >= name } ?? first.count
            if place < first.count, first[place] == name { continue }
            first.insert(name, at: place)
            if first.count > count { first.removeLast() }
        }
        return first
    }

    /// Many times faster than `firstRange(of:)`.
    static func contains(_ bytes: Span<UInt8>, _ wanted: Span<UInt8>) -> Bool {
        var start = 0
        while start + wanted.count <= bytes.count {
            var length = 0
            while length < wanted.count, bytes[start + length] == wanted[length] { length += 1 }
            if length == wanted.count { return true }
            start += 1
        }
        return false
    }

    /// The hosts whose files have a text: an app id, a package or a fingerprint.
    private func hosts(naming text: String) -> SourceValue {
        let (catalogue, end) = (published.current, Clock.monotonicMilliseconds() + Self.searchMilliseconds)
        let wanted = Array(SourceWriter.quoted(text).utf8)
        var found: [String] = []
        for host in catalogue.servedHosts where found.count < Self.hostsMax {
            if Clock.monotonicMilliseconds() > end { break }
            let names = [AssociationPath.apple, AssociationPath.statements].contains { path in
                catalogue.body(of: host, path: path).map { ServerAnswers.contains($0.span, wanted.span) } ?? false
            }
            if names { found.append(host) }
        }
        return .object([("hosts", .array(found.sorted().map { .string($0) }))])
    }
}
