// The server's part of the admin listener: its paths besides health and metrics, and what answers them. Those for the manager are on
// another socket (`LinkRoutes`).

import HTTP

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
}

extension ServerSources {
    public func metricFamilies() -> [MetricFamily] { metrics().families }

    public var paths: [String] {
        ["/status", "/status/HOST", "/hosts", "/hosts/unfetched", "/expiring/SECONDS"]
    }

    public func answer(path: String) -> AdminResponse? {
        switch path {
        case "/status": return AdminResponse(.ok, AdminResponse.json, status().json)
        case "/hosts", "/hosts/unfetched":
            return AdminResponse(.ok, AdminResponse.json, hosts(onlyUnfetched: path != "/hosts").json)
        default: break
        }
        if let host = path.suffix(after: "/status/") { return hostAnswer(host.lowercased()) }
        if let text = path.suffix(after: "/expiring/"), let seconds = Int64(text),
            (0...ExpiryReport.withinMax).contains(seconds)
        {
            return expiryAnswer(within: seconds)
        }
        return nil
    }

    private func hostAnswer(_ host: String) -> AdminResponse {
        guard let report = self.host(host) else {
            let nearest = nearestHost(to: host).map { "did you mean \($0)?" }
            return AdminResponse(.notFound, lines: ["this host is not served"] + [nearest].compactMap { $0 })
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }

    private func expiryAnswer(within seconds: Int64) -> AdminResponse {
        guard let report = expiring(within: seconds) else {
            return AdminResponse(.notFound, lines: ["this server speaks no TLS"])
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }
}
