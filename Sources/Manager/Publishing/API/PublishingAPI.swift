// The routes of the API. Each says which scope it asks for and whose rows it sees, so one table shows who may do what, and a test can try
// every route with every token.

import HTTP
import Posix
public import Service
import SourceJSON

/// What one route is, for the router, for tests and for the OpenAPI document.
struct APIRoute: Sendable {
    enum Rows: Sendable {
        /// Those of the tenant in the path, which must be that of the token.
        case tenant
        /// Those of all tenants, or of the token's.
        case own
        /// No rows of tenants.
        case none
    }

    /// What an answer without a problem has, for the document.
    enum Answer: Sendable {
        case nothing
        /// The text of an app file.
        case text
        case json
        /// An object with these members, as in `name: text, live: integer, created: time?`; those with `?` may be null.
        case members(String)
        /// A list of such objects, and the parameter that gets the next one.
        case page(String)
    }

    let method: Method
    let pattern: String
    /// Nil for everyone.
    let scope: String?
    var rows = Rows.tenant
    let summary: String
    var query: [APIMember] = []
    /// Nil if a body is no JSON, or ignored.
    var body: [APIMember]?
    var bodyBytesMax = 0
    /// The preconditions that it looks at.
    var fields: [APIMember] = []
    /// Without a problem.
    var statuses: [Status] = [.ok]
    /// Those that not every route has.
    var problems: [APIProblem.Kind] = []
    var answer = Answer.json
    let handle: @Sendable (Publisher, APICall) throws(APIProblem) -> ServiceResponse

    var isWrite: Bool { method != .get }
    /// The open segments of the pattern.
    var segments: [APIMember] {
        pattern.split(separator: "/").map { $0.prefix { $0 != ":" } }.filter { !$0.contains(where: \.isLowercase) }
            .map { APIMember($0.lowercased(), APIKind.segments[String($0)] ?? .text(max: 100), isRequired: true, "") }
    }
}

public enum PublishingAPI {
    static let bodyBytesMax = 16 << 20

    /// The routes for a listener.
    public static func routes(_ publisher: Publisher) -> [Route] {
        all.map { route in
            Route(
                route.method, PublishingAPI.base + route.pattern, route.scope.map { Scope($0) },
                bodyBytesMax: route.bodyBytesMax,
                contentType: route.body != nil && route.bodyBytesMax > 0 ? ServiceResponse.json : nil,
                refuses: { refusal(of: $0, route, publisher)?.response }
            ) { request in
                do throws(APIProblem) {
                    return try route.handle(publisher, try APICall(request, route))
                } catch { return error.response }
            }
        } + [
            Route(.get, "/ask", nil, isQuick: true) { request in
                let query = try? APICall.query(request.query, [APIMember("domain", .host, isRequired: true, "")])
                guard let host = query?["domain"], publisher.knows(host.lowercased()) else {
                    return ServiceResponse(.notFound, lines: ["not served here"])
                }
                return ServiceResponse(.ok, lines: ["served here"])
            },
            Route(.get, APIProblem.Kind.path + "KIND", nil, isQuick: true) { request in
                guard let kind = APIProblem.Kind(rawValue: request.parameters[0]) else {
                    return APIProblem(.unknown, "there is no such problem").response
                }
                return ServiceResponse(.ok, lines: ["\(kind.help.title).", kind.help.text])
            },
            Route(.get, "\(base)/openapi.json", nil) { _ in
                ServiceResponse(.ok, ServiceResponse.json, SourceWriter.canonical(OpenAPI.document(all)))
            },
        ]
    }

    package static let base = "/api/v1"

    /// Comparing two versions of large files takes a second, and a look at DNS some.
    public static var limits: ServiceLimits {
        var limits = ServiceLimits()
        (limits.connectionsMax, limits.handlerThreads, limits.waitingMax) = (128, 16, 128)
        // Others find threads free, whatever one asks for.
        limits.handlersPerClientMax = 6
        return limits
    }

    /// Who shows a token.
    public static func identify(_ request: ServiceRequest, _ publisher: Publisher) -> Identity? {
        guard case .once(let value) = request.field("authorization") else { return nil }
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return publisher.tokens.identity(String(words[1]))
    }

    /// Why a request is refused before its body is read; nil if it is not.
    private static func refusal(of request: ServiceRequest, _ route: APIRoute, _ publisher: Publisher) -> APIProblem? {
        let identity = request.identity
        if route.rows == .tenant, let own = identity?.tenant, own != request.parameters[0] {
            return APIProblem(.unknown, "there is no tenant \(request.parameters[0].prefix(100)) for this token")
        }
        // A token for one tenant sees no rows that belong to none.
        if route.rows == .none, identity?.tenant != nil {
            return APIProblem(.forbidden, "this needs a token for all tenants")
        }
        let kind: TokenTable.Counted = route.scope == "check" ? .checks : .changes
        if route.isWrite, let identity, !publisher.tokens.counts(kind, of: identity.name) {
            return APIProblem(.tooMany, "a token has \(TokenTable.writesPerMinuteMax) \(kind.rawValue) a minute")
        }
        return nil
    }

    static func json(_ status: Status, _ value: SourceValue) -> ServiceResponse {
        ServiceResponse(status, ServiceResponse.json, SourceWriter.canonical(value))
    }

    /// A page of a list, and the parameter that gets the next one.
    static func page(_ items: [SourceValue], next: String?) -> ServiceResponse {
        json(.ok, .object([("items", .array(items)), ("next", next.map { .string($0) } ?? .null)]))
    }
}
