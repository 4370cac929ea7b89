// The server's part of the admin listener: its paths besides health and metrics, and what answers them. Those for the manager are on
// another socket (`LinkRoutes`).

import HTTP
public import Service

/// The sources of the server's answers.
public protocol ServerHandlers: AdminHandlers {
    func metrics() -> MetricsSnapshot
    func status() -> StatusReport
    /// Nil for a host that is not served.
    func host(_ host: String) -> HostReport?
    /// Why a host is not served: findings on the files that name it.
    func reasonsUnserved(_ host: String) -> [String]
    /// The served host that is most similar to one that is not served.
    func nearestHost(to host: String) -> String?
    /// All hosts, or those that were never fetched.
    func hosts(onlyUnfetched: Bool) -> HostList
    /// The certificates that expire within this time; nil without TLS.
    func expiring(within seconds: Int64) -> ExpiryReport?
}

extension ServerHandlers {
    public func metricFamilies() -> [MetricFamily] { metrics().families }

    public var routes: [Route] {
        func get(_ pattern: String, _ handler: @escaping @Sendable (ServiceRequest) -> ServiceResponse) -> Route {
            Route(.get, pattern, .status, handler: handler)
        }
        @Sendable func json(_ bytes: [UInt8]) -> ServiceResponse { ServiceResponse(.ok, ServiceResponse.json, bytes) }
        return [
            get("/status") { _ in json(status().json) },
            get("/status/HOST") { hostAnswer($0.parameters[0].lowercased()) },
            get("/hosts") { _ in json(hosts(onlyUnfetched: false).json) },
            get("/hosts/unfetched") { _ in json(hosts(onlyUnfetched: true).json) },
            get("/expiring/SECONDS") { expiryAnswer(within: $0.parameters[0]) },
        ]
    }

    private func hostAnswer(_ host: String) -> ServiceResponse {
        guard let report = self.host(host) else {
            let reasons = reasonsUnserved(host)
            let nearest = reasons.isEmpty ? nearestHost(to: host).map { "did you mean \($0)?" } : nil
            return ServiceResponse(
                .notFound, lines: ["this host is not served"] + reasons + [nearest].compactMap { $0 })
        }
        return ServiceResponse(.ok, ServiceResponse.json, report.json)
    }

    private func expiryAnswer(within text: String) -> ServiceResponse {
        guard let seconds = Int64(text), (0...ExpiryReport.withinMax).contains(seconds) else {
            return ServiceResponse(.notFound, lines: ["give a number of seconds up to \(ExpiryReport.withinMax)"])
        }
        guard let report = expiring(within: seconds) else {
            return ServiceResponse(.notFound, lines: ["this server speaks no TLS"])
        }
        return ServiceResponse(.ok, ServiceResponse.json, report.json)
    }
}
