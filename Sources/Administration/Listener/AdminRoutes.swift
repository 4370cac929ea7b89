// Requests to the admin listener and their answers. The order of the checks: the host, the method, the token, the path.

public import HTTP
import Posix

/// The endpoints of the admin listener: health, metrics, and the further paths of its sources.
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
        if request.path == "/metrics" {
            return AdminResponse(.ok, AdminResponse.metrics, MetricsText.bytes(of: sources.metricFamilies()))
        }
        return sources.answer(path: request.path)
            ?? AdminResponse(.notFound, lines: ["/healthz", "/readyz", "/metrics"] + sources.paths)
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
}

extension AdminRequest {
    init(_ head: RequestHead, _ bytes: Span<UInt8>, token: AdminToken?) {
        func text(_ range: ByteRange) -> String {
            unsafe bytes.extracting(range.range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
        let isAuthorized =
            if let token {
                head.authorization.isPresent && !head.authorization.isRepeated
                    && token.matches(bytes.extracting(head.authorization.range.range))
            } else {
                true
            }
        self.init(
            method: head.isAboutServer ? .unknown : head.method, path: text(head.path),
            host: text(head.host).lowercased(), isAuthorized: isAuthorized)
    }
}

/// An answer.
public struct AdminResponse: Sendable {
    var status: Status
    var contentType: String
    var body: [UInt8]
    /// Further fields.
    var fields = FieldLines()

    static let plainText = "text/plain; charset=utf-8"
    public static let json = "application/json"
    static let bytes = "application/octet-stream"
    /// Every version of Prometheus supports version 0.0.4 of the text format.
    static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    public init(_ status: Status, _ contentType: String, _ body: [UInt8]) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }

    /// Lines for people.
    public init(_ status: Status, lines: [String]) {
        self.init(status, AdminResponse.plainText, Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    func bytes(wantsBody: Bool, closes: Bool) -> [UInt8] {
        var lines = fields
        lines.add("date", HTTPDate.text(Clock.wallSeconds()))
        // Without a body there is no length either (RFC 9110 §8.6).
        if status != .noContent {
            lines.add("content-type", contentType)
            lines.add("content-length", "\(body.count)")
        }
        lines.add("cache-control", "no-store")
        lines.add("x-content-type-options", "nosniff")
        if closes { lines.add("connection", "close") }
        return StatusLine.bytes(status) + lines.bytes + [0x0D, 0x0A] + (wantsBody ? body : [])
    }
}

/// The sources of the answers of one process. The listener's thread calls them, and they must not block.
public protocol AdminSources: Sendable {
    func health() -> HealthReport
    /// The families of `/metrics`, in the order of the output.
    func metricFamilies() -> [MetricFamily]
    /// The answer at a path other than those of health and metrics; nil if there is none.
    func answer(path: String) -> AdminResponse?
    /// These further paths, for the answer at an unknown one.
    var paths: [String] { get }
}
