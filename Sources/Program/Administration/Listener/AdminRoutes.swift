// What the admin listener of a process answers: health, metrics, and what else its sources have. Its token permits everything here, and
// nothing here changes anything.

import HTTP
public import Posix
public import Service

/// The sources of the answers of one process.
public protocol AdminHandlers: Sendable {
    /// Must not wait: a probe asks for it.
    func health() -> HealthReport
    /// The families of `/metrics`, in the order of the output.
    func metricFamilies() -> [MetricFamily]
    /// Those besides health and metrics.
    var routes: [Route] { get }
}

extension Scope {
    /// Everything that the admin listeners have.
    public static let status = Scope("status")
}

extension Service {
    /// Starts to answer operators on the socket.
    public convenience init(
        admin settings: AdminSettings, _ sources: any AdminHandlers, on socket: ListeningSocket,
        limits: ServiceLimits = ServiceLimits()
    ) throws(SystemError) {
        try self.init("admin", Router(admin: settings, sources), on: socket, limits: limits)
    }
}

extension Router {
    init(admin settings: AdminSettings, _ sources: any AdminHandlers) {
        let own = [
            Route(.get, "/healthz", nil, isQuick: true) {
                sources.health().alive(includesReasons: $0.identity != nil)
            },
            Route(.get, "/readyz", nil, isQuick: true) {
                sources.health().ready(includesReasons: $0.identity != nil)
            },
            Route(.get, "/metrics", .status) { _ in
                // Every version of Prometheus supports version 0.0.4 of the text format.
                ServiceResponse(
                    .ok, "text/plain; version=0.0.4; charset=utf-8", MetricsText.bytes(of: sources.metricFamilies()))
            },
        ]
        let (hosts, token) = (Set(settings.hosts.map { $0.lowercased() }), settings.token)
        // A web page may make its own name resolve to this address (DNS rebinding), but the browser still sends that name. It cannot
        // reach a Unix-domain socket.
        let checksHost = !settings.address.isUnix
        self.init(own + sources.routes) { request in
            if !checksHost || Router.isLocal(request.host) || hosts.contains(request.host) { return nil }
            return ServiceResponse(
                .misdirectedRequest,
                lines: ["use an address or localhost, or add the name to admin.hosts in server.json"])
        } identify: { request in
            token.map { $0.isShown(by: request) } ?? true ? Identity("operator", [.status]) : nil
        }
    }

    /// A request without a host (HTTP/1.0) cannot come from a web page.
    private static func isLocal(_ host: String) -> Bool {
        if host.isEmpty || host == "localhost" || host.hasPrefix("[") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
