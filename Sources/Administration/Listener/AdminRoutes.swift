// Requests to the admin listener and their answers. The checks come in this order: was the request meant for this
// listener, is the method known, may the client know, and then what the path asks for.

import HTTP
import Posix

/// The endpoints of the admin listener.
struct AdminRoutes: Sendable {
    let sources: any AdminSources
    /// Names that this listener has besides `localhost` and addresses.
    let hosts: Set<String>
    /// A browser cannot be made to speak to a Unix-domain socket.
    let checksHost: Bool

    init(_ settings: AdminSettings, _ sources: any AdminSources) {
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

    /// Without a name nobody can have been led here by one (HTTP/1.0).
    private func isOurs(_ host: String) -> Bool {
        if host.isEmpty || host == "localhost" || host.hasPrefix("[") || hosts.contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// What was asked.
struct AdminRequest {
    var method: Method
    /// As written, without the query.
    var path: String
    /// Without the port, in lower case; empty when none was named.
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
                    && token.isShown(in: bytes.extracting(head.authorization.range.range))
            } else {
                true
            }
    }

    init(method: Method, path: String, host: String, isAuthorized: Bool) {
        (self.method, self.path, self.host, self.isAuthorized) = (method, path, host, isAuthorized)
    }
}

/// A status with its text.
struct AdminResponse {
    var status: Status
    var contentType: String
    var body: [UInt8]
    /// Further fields, as whole lines.
    var fields = FieldLines()

    static let plainText = "text/plain; charset=utf-8"
    static let json = "application/json"
    /// Version 0.0.4 of the text format is what every version of Prometheus understands.
    static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    init(_ status: Status, _ contentType: String, _ body: [UInt8]) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }

    /// Lines for people.
    init(_ status: Status, lines: [String]) {
        self.init(status, AdminResponse.plainText, Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// All of it as it is sent.
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

/// What the answers come from. All of it is called by the listener's own thread, one at a time, and must not wait for anything.
public protocol AdminSources: Sendable {
    func health() -> HealthReport
    func metrics() -> MetricsSnapshot
    func status() -> StatusReport
    /// Nil for a host that is not served.
    func host(_ host: String) -> HostReport?
    /// The served host that one that is not served was probably meant to be.
    func nearestHost(to host: String) -> String?
    /// All hosts, or those that were never fetched.
    func hosts(onlyUnfetched: Bool) -> HostList
    /// Certificates that end within so many seconds; nil where no TLS is spoken.
    func expiring(within seconds: Int64) -> ExpiryReport?
}
