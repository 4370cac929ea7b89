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
    /// With those of problems that any route may have.
    var statuses: [Status] = [.ok]
    let handle: @Sendable (Publisher, APICall) throws(APIProblem) -> ServiceResponse

    var isWrite: Bool { method != .get }
    /// Whether it answers with the text of an app file.
    var answersText: Bool { method == .get && pattern.hasSuffix("/apps/NAME") }
}

public enum PublishingAPI {
    static let bodyBytesMax = 16 << 20

    /// The routes for a listener.
    public static func routes(_ publisher: Publisher) -> [Route] {
        all.map { route in
            Route(
                route.method, PublishingAPI.base + route.pattern, route.scope.map { Scope($0) },
                bodyBytesMax: route.bodyBytesMax,
                contentType: route.body != nil && route.bodyBytesMax > 0 ? ServiceResponse.json : nil
            ) { request in
                do throws(APIProblem) {
                    return try answer(request, route, publisher)
                } catch { return error.response }
            }
        } + [
            Route(.get, "/ask", nil, isQuick: true) { request in
                guard
                    let call = try? APICall(
                        request, body: nil, query: [APIMember("domain", .text, isRequired: true, "")]),
                    let host = call.text("domain"), publisher.knows(host.lowercased())
                else { return ServiceResponse(.notFound, lines: ["not served here"]) }
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
        return limits
    }

    /// Who shows a token.
    public static func identify(_ request: ServiceRequest, _ publisher: Publisher) -> Identity? {
        guard case .once(let value) = request.field("authorization") else { return nil }
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return publisher.tokens.identity(String(words[1]))
    }

    private static func answer(
        _ request: ServiceRequest, _ route: APIRoute, _ publisher: Publisher
    ) throws(APIProblem) -> ServiceResponse {
        let identity = request.identity
        if route.rows == .tenant, let own = identity?.tenant, own != request.parameters[0] {
            throw APIProblem(.unknown, "there is no tenant \(request.parameters[0]) for this token")
        }
        // A token for one tenant sees no rows that belong to none.
        if route.rows == .none, identity?.tenant != nil {
            throw APIProblem(.forbidden, "this needs a token for all tenants")
        }
        if route.isWrite, let identity, !publisher.tokens.countsWrite(of: identity.name) {
            throw APIProblem(.tooMany, "a token has \(TokenTable.writesPerMinuteMax) changes a minute")
        }
        return try route.handle(publisher, try APICall(request, body: route.body, query: route.query))
    }

    static func json(_ status: Status, _ value: SourceValue) -> ServiceResponse {
        ServiceResponse(status, ServiceResponse.json, SourceWriter.canonical(value))
    }

    /// A page of a list, and the parameter that gets the next one.
    static func page(_ items: [SourceValue], next: String?) -> ServiceResponse {
        json(.ok, .object([("items", .array(items)), ("next", next.map { .string($0) } ?? .null)]))
    }
}

extension ServiceRequest {
    /// The number in the path.
    func number(_ index: Int) throws(APIProblem) -> Int64 {
        guard let number = Int64(parameters[index]), number > 0, "\(number)" == parameters[index] else {
            throw APIProblem(.unknown, "there is no release \(parameters[index].prefix(40))")
        }
        return number
    }
}
