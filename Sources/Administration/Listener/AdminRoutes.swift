// Requests to the admin listener and their answers. The order of the checks: the host, the method, the token, the path.

import HTTP
import Posix

/// The endpoints of the admin listener.
struct AdminRoutes: Sendable {
    let sources: any AdminSources
    /// The allowed names in addition to `localhost` and addresses.
    let hosts: Set<String>
    /// Not for a Unix-domain socket, which a web page cannot reach.
    let checksHost: Bool

    init(_ settings: AdminSettings, _ sources: any AdminSources) {
        self.sources = sources
        hosts = Set(settings.hosts.map { $0.lowercased() })
        checksHost = !settings.address.isUnix
    }

    func answer(_ request: AdminRequest) -> AdminResponse {
        // A web page may make its own name resolve to this address (DNS rebinding), but the browser still sends that name.
        guard !checksHost || isAllowedHost(request.host) else {
            return AdminResponse(
                .misdirectedRequest,
                lines: ["use an address or localhost, or add the name to admin.hosts in server.json"])
        }
        guard request.method == .get || request.method == .head else {
            var response = AdminResponse(.methodNotAllowed, lines: ["only GET and HEAD"])
            response.fields.add("allow", "GET, HEAD")
            return response
        }
        switch request.path {
        case "/healthz": return sources.health().alive(includesReasons: request.isAuthorized)
        case "/readyz": return sources.health().ready(includesReasons: request.isAuthorized)
        default: break
        }
        guard request.isAuthorized else {
            var response = AdminResponse(.unauthorized, lines: ["a token is required: Authorization: Bearer …"])
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
            return AdminResponse(.ok, AdminResponse.json, sources.hosts(onlyUnfetched: path != "/hosts").json)
        default: break
        }
        let (prefix, expiring) = ("/status/", "/expiring/")
        if path.hasPrefix(expiring), let seconds = Int64(path.dropFirst(expiring.count)),
            (0...ExpiryReport.withinMax).contains(seconds)
        {
            guard let report = sources.expiring(within: seconds) else {
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
            let nearest = sources.nearestHost(to: host).map { "did you mean \($0)?" }
            return AdminResponse(.notFound, lines: ["this host is not served"] + [nearest].compactMap { $0 })
        }
        return AdminResponse(.ok, AdminResponse.json, report.json)
    }

    /// A request without a host (HTTP/1.0) cannot come from such a page.
    private func isAllowedHost(_ host: String) -> Bool {
        if host.isEmpty || host == "localhost" || host.hasPrefix("[") || hosts.contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// A parsed request.
struct AdminRequest {
    var method: Method
    /// As written, without the query.
    var path: String
    /// Without the port, in lower case; empty if the request has none.
    var host: String
    var isAuthorized: Bool

    init(_ head: RequestHead, _ bytes: Span<UInt8>, token: AdminToken?) {
        func text(_ range: ByteRange) -> String {
            unsafe bytes.extracting(range.range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
        method = head.isAboutServer ? .unknown : head.method
        path = text(head.path)
        host = text(head.host).lowercased()
        isAuthorized =
            if let token {
                head.authorization.isPresent && !head.authorization.isRepeated
                    && token.matches(bytes.extracting(head.authorization.range.range))
            } else {
                true
            }
    }

    init(method: Method, path: String, host: String, isAuthorized: Bool) {
        (self.method, self.path, self.host, self.isAuthorized) = (method, path, host, isAuthorized)
    }
}

/// An answer.
struct AdminResponse {
    var status: Status
    var contentType: String
    var body: [UInt8]
    /// Further fields.
    var fields = FieldLines()

    static let plainText = "text/plain; charset=utf-8"
    static let json = "application/json"
    /// Every version of Prometheus supports version 0.0.4 of the text format.
    static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    init(_ status: Status, _ contentType: String, _ body: [UInt8]) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }

    /// Lines for people.
    init(_ status: Status, lines: [String]) {
        self.init(status, AdminResponse.plainText, Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// The bytes to send.
    func bytes(wantsBody: Bool, closes: Bool) -> [UInt8] {
        var lines = fields
        lines.add("date", HTTPDate.text(Clock.wallSeconds()))
        lines.add("content-type", contentType)
        lines.add("content-length", "\(body.count)")
        lines.add("cache-control", "no-store")
        lines.add("x-content-type-options", "nosniff")
        if closes { lines.add("connection", "close") }
        return StatusLine.bytes(status) + lines.bytes + [0x0D, 0x0A] + (wantsBody ? body : [])
    }
}

/// The sources of the answers. The listener's thread calls them, and they must not block.
public protocol AdminSources: Sendable {
    func health() -> HealthReport
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
