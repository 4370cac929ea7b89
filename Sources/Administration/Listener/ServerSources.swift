// The server's part of the admin listener: its paths besides health and metrics, and what answers them.

import HTTP
public import Telemetry

/// The sources of the server's answers.
public protocol ServerSources: AdminSources {
    func metrics() -> MetricsSnapshot
    func status() -> StatusReport
    /// Nil for a host that is not served.
    func host(_ host: String) -> HostReport?
    /// The served host that is most similar to one that is not served.
    func nearestHost(to host: String) -> String?
    /// All hosts, or those that were never fetched.
    func hosts(onlyUnfetched: Bool) -> HostList
    /// The certificates that expire within this time; nil without TLS.
    func expiring(within seconds: Int64) -> ExpiryReport?
    /// All hosts, with the digest of everything that is served.
    func served() -> ServedHosts
    /// The digest alone, which is known without listing the hosts.
    func servedDigest() -> String
    /// The association files of hosts with names after one.
    func documents(after name: String) -> ServedDocuments
    /// The file of a host; nil if it has none.
    func file(of host: String, _ document: RequestedDocument) -> [UInt8]?
    /// The latest fetches of current files by Apple and Google since a moment.
    func fetches(since seconds: Int64) -> RecentFetches
    /// Called for each request of the served hosts: only the manager makes them.
    /// - Parameter problem: why it cannot work; nil if it can.
    func noteManager(problem: String?)
}

extension ServerSources {
    public func metricFamilies() -> [MetricFamily] { metrics().families }

    public var paths: [String] {
        [
            "/status", "/status/HOST", "/hosts", "/hosts/unfetched", "/expiring/SECONDS", "/served", "/served/DIGEST",
            "/documents", "/documents/AFTER", "/document/apple/HOST", "/document/google/HOST", "/fetched/SECONDS",
        ]
    }

    public func answer(path: String) -> AdminResponse? {
        switch path {
        case "/status": return AdminResponse(.ok, AdminResponse.json, status().json)
        case "/hosts", "/hosts/unfetched":
            return AdminResponse(.ok, AdminResponse.json, hosts(onlyUnfetched: path != "/hosts").json)
        case "/served": return servedAnswer(unless: nil)
        case "/documents": return AdminResponse(.ok, AdminResponse.json, documents(after: "").json)
        default: break
        }
        func argument(after prefix: String) -> Substring? {
            path.hasPrefix(prefix) ? path.dropFirst(prefix.count) : nil
        }
        if let host = argument(after: "/status/") { return hostAnswer(host.lowercased()) }
        if let rest = argument(after: "/served/") {
            let parts = rest.split(separator: "/", maxSplits: 1)
            return servedAnswer(unless: parts.first, problem: parts.count > 1 ? ServedHosts.problem(parts[1]) : nil)
        }
        if let text = argument(after: "/expiring/"), let seconds = Int64(text),
            (0...ExpiryReport.withinMax).contains(seconds)
        {
            return expiryAnswer(within: seconds)
        }
        if let name = argument(after: "/documents/") {
            return AdminResponse(.ok, AdminResponse.json, documents(after: String(name)).json)
        }
        if let host = argument(after: "/document/apple/") { return fileAnswer(host, .appleAssociation) }
        if let host = argument(after: "/document/google/") { return fileAnswer(host, .statementList) }
        if let text = argument(after: "/fetched/"), let seconds = Int64(text), seconds >= 0 {
            return AdminResponse(.ok, AdminResponse.json, fetches(since: seconds).json)
        }
        return nil
    }

    private func fileAnswer(_ host: Substring, _ document: RequestedDocument) -> AdminResponse {
        guard let file = file(of: String(host), document) else {
            return AdminResponse(.notFound, lines: ["this host does not send such a file"])
        }
        return AdminResponse(.ok, AdminResponse.bytes, file)
    }

    private func hostAnswer(_ host: String) -> AdminResponse {
        guard let report = self.host(host) else {
            let nearest = nearestHost(to: host).map { "did you mean \($0)?" }
            return AdminResponse(.notFound, lines: ["this host is not served"] + [nearest].compactMap { $0 })
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }

    /// - Parameter known: the digest of the hosts that the manager has.
    private func servedAnswer(unless known: Substring?, problem: String? = nil) -> AdminResponse {
        noteManager(problem: problem)
        if let known, known == servedDigest() { return AdminResponse(.noContent, lines: []) }
        return AdminResponse(.ok, AdminResponse.json, served().json)
    }

    private func expiryAnswer(within seconds: Int64) -> AdminResponse {
        guard let report = expiring(within: seconds) else {
            return AdminResponse(.notFound, lines: ["this server speaks no TLS"])
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }
}
