// Which answer belongs to which request, in the order in which the questions matter: whether it was meant for us at all,
// whether we know the method, whether whoever asks may know, and then what it is.

import HTTP
import Posix

/// The endpoints of the admin listener.
struct AdminRoutes: Sendable {
    let sources: AdminSources
    /// Names that this listener has besides `localhost` and addresses.
    let hosts: Set<String>
    /// A browser cannot be made to speak to a Unix-domain socket.
    let checksHost: Bool

    init(_ settings: AdminSettings, _ sources: AdminSources) {
        self.sources = sources
        hosts = Set(settings.hosts.map { $0.lowercased() })
        checksHost = !settings.address.isUnix
    }

    func answer(_ request: AdminRequest) -> AdminResponse {
        // A page of a stranger may have its own name lead here (DNS rebinding); its browser then still says the name.
        guard !checksHost || isOurs(request.host) else {
            return AdminResponse(
                .misdirectedRequest,
                lines: ["ask by address or as localhost, or add the name to admin.hosts in server.json"])
        }
        guard request.method == .get || request.method == .head else {
            var response = AdminResponse(.methodNotAllowed, lines: ["only GET and HEAD"])
            response.fields.add("allow", "GET, HEAD")
            return response
        }
        switch request.path {
        case "/healthz": return sources.health().alive(tellsWhy: request.isAuthorized)
        case "/readyz": return sources.health().ready(tellsWhy: request.isAuthorized)
        default: break
        }
        guard request.isAuthorized else {
            var response = AdminResponse(.unauthorized, lines: ["a token is needed: Authorization: Bearer …"])
            response.fields.add("www-authenticate", "Bearer realm=\"associated\"")
            return response
        }
        return answer(path: request.path)
    }

    private func answer(path: String) -> AdminResponse {
        switch path {
        case "/metrics":
            return AdminResponse(.ok, AdminResponse.metrics, MetricsText.bytes(of: sources.metrics().families))
        case "/status":
            return AdminResponse(.ok, AdminResponse.json, sources.status().json)
        case "/hosts", "/hosts/unfetched":
            return AdminResponse(.ok, AdminResponse.json, sources.hosts(path != "/hosts").json)
        default: break
        }
        let (prefix, expiring) = ("/status/", "/expiring/")
        if path.hasPrefix(expiring), let seconds = Int64(path.dropFirst(expiring.count)),
            (0...ExpiryReport.withinMax).contains(seconds)
        {
            guard let report = sources.expiring(seconds) else {
                return AdminResponse(.notFound, lines: ["this server speaks no TLS"])
            }
            return AdminResponse(.ok, AdminResponse.json, report.json)
        }
        guard path.hasPrefix(prefix) else {
            return AdminResponse(
                .notFound,
                lines: [
                    "/healthz", "/readyz", "/metrics", "/status", "/status/HOST", "/hosts", "/hosts/unfetched",
                    "/expiring/SECONDS",
                ])
        }
        let host = path.dropFirst(prefix.count).lowercased()
        guard let report = sources.host(host) else {
            let nearest = sources.nearestHost(host).map { "did you mean \($0)?" }
            return AdminResponse(.notFound, lines: ["this host is not served"] + [nearest].compactMap { $0 })
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }

    /// Without a name nobody can have been led here by one (HTTP/1.0).
    private func isOurs(_ host: String) -> Bool {
        if host.isEmpty || host == "localhost" || host.hasPrefix("[") || hosts.contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
