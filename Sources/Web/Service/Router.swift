// Which handler answers a request. What a route needs is data, so one test can list all routes with it. The order of the checks: the
// guard (such as the host), the path, the method, the scope, the fields; then the body is read.

public import HTTP

/// A path and method, what they need, and who answers.
public struct Route: Sendable {
    public let method: Method
    /// A path. Its segments in capitals, as in `/status/HOST`, stand for any text that is not empty, and so do those with a verb behind
    /// it, as in `/releases/NUMBER:approve`. A colon that is not escaped begins a verb.
    public let pattern: String
    /// Nil if strangers may ask.
    public let scope: Scope?
    /// Longer bodies are refused with 413, their framing counted. Without one, a body is ignored.
    public let bodyBytesMax: Int
    /// The type that a body must have, if there is one; nil for any.
    public let contentType: String?
    /// The fields that must be there, once each, in lower case.
    public let requiredFields: [StaticString]
    /// Whether the handler never waits, and so needs no other thread.
    public let isQuick: Bool
    /// Looks at a request that has all that it needs, before its body is read, and may answer it.
    let refuses: @Sendable (ServiceRequest) -> ServiceResponse?
    let handler: @Sendable (ServiceRequest) -> ServiceResponse
    private let segments: [Substring]

    public init(
        _ method: Method, _ pattern: String, _ scope: Scope?, bodyBytesMax: Int = 0, contentType: String? = nil,
        requiring requiredFields: [StaticString] = [], isQuick: Bool = false,
        refuses: @escaping @Sendable (ServiceRequest) -> ServiceResponse? = { _ in nil },
        handler: @escaping @Sendable (ServiceRequest) -> ServiceResponse
    ) {
        (self.method, self.pattern, self.scope, self.handler) = (method, pattern, scope, handler)
        (self.bodyBytesMax, self.contentType, self.requiredFields) = (bodyBytesMax, contentType, requiredFields)
        (self.isQuick, self.refuses) = (isQuick, refuses)
        segments = Route.segments(of: pattern)
    }

    /// More than any route has. What is left of a longer path stays in one piece, so that splitting it costs little.
    private static let segmentsMax = 16

    fileprivate static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", maxSplits: segmentsMax, omittingEmptySubsequences: false)
    }

    /// The parameters in the segments of a path; nil if it does not fit.
    fileprivate func parameters(in parts: [Substring]) -> [String]? {
        guard parts.count == segments.count else { return nil }
        var parameters: [String] = []
        for (segment, part) in zip(segments, parts) {
            let name = segment.prefix { $0 != ":" }
            if name.isEmpty || name.contains(where: \.isLowercase) {
                if segment != part { return nil }
                continue
            }
            let end = part.firstIndex(of: ":") ?? part.endIndex
            guard part[end...] == segment[name.endIndex...], let text = part[..<end].unescaped(), !text.isEmpty else {
                return nil
            }
            parameters.append(text)
        }
        return parameters
    }

    fileprivate func answers(_ method: Method) -> Bool {
        method == self.method || method == .head && self.method == .get
    }

    /// Why the fields of a request do not fit; nil if they do.
    fileprivate func objection(to request: ServiceRequest) -> ServiceResponse? {
        for name in requiredFields {
            switch request.field(name) {
            case .once: continue
            case .repeated: return ServiceResponse(.badRequest, lines: ["send the field \(name) once"])
            case .absent:
                return ServiceResponse(
                    name.description == "if-match" ? .preconditionRequired : .badRequest,
                    lines: ["the field \(name) is required"])
            }
        }
        guard let contentType, request.hasBody else { return nil }
        switch request.field("content-type") {
        case .repeated: return ServiceResponse(.badRequest, lines: ["send the field content-type once"])
        case .once(let type) where Route.mediaType(type) == contentType: return nil
        case .once, .absent:
            return ServiceResponse(.unsupportedMediaType, lines: ["send the body as content-type: \(contentType)"])
        }
    }

    /// Without parameters, such as `charset=utf-8`.
    private static func mediaType(_ text: String) -> String {
        let type = text.prefix { $0 != ";" }
        return type.lowercased().filter { $0 != " " && $0 != "\t" }
    }
}

extension Substring {
    /// A part of a path or of a query without its escapes, which the parser has checked; nil if the bytes are not UTF-8.
    /// - Parameter plus: the byte that a plus sign stands for.
    package func unescaped(plus: UInt8 = UInt8(ascii: "+")) -> String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? plus : byte)
                continue
            }
            guard let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

public struct Router: Sendable {
    public let routes: [Route]
    private let refuses: @Sendable (ServiceRequest) -> ServiceResponse?
    private let identify: @Sendable (ServiceRequest) -> Identity?
    private let findPayer: @Sendable (ServiceRequest) -> Identity?
    private let unknown: @Sendable (ServiceRequest) -> ServiceResponse?

    /// What becomes of a request.
    enum Decision {
        case answer(ServiceResponse)
        case handle(Route, ServiceRequest)
    }

    /// - Parameters:
    ///   - refuses: looks at each request first, and may answer it.
    ///   - payer: on whose account a request goes that identifies nobody, though it may have a session.
    ///   - unknown: answers, if it wants to, where there is no route.
    ///   - identify: nil for a stranger.
    public init(
        _ routes: [Route], refuses: @escaping @Sendable (ServiceRequest) -> ServiceResponse? = { _ in nil },
        payer: @escaping @Sendable (ServiceRequest) -> Identity? = { _ in nil },
        unknown: @escaping @Sendable (ServiceRequest) -> ServiceResponse? = { _ in nil },
        identify: @escaping @Sendable (ServiceRequest) -> Identity?
    ) {
        (self.routes, self.refuses, self.identify, findPayer) = (routes, refuses, identify, payer)
        self.unknown = unknown
    }

    func decide(_ request: ServiceRequest) -> Decision {
        if let refusal = refuses(request) { return .answer(refusal) }
        var request = request
        request.identity = identify(request)
        request.payer = (request.identity ?? findPayer(request)).map { $0.tenant ?? $0.name }
        let parts = Route.segments(of: request.path)
        let fitting = routes.compactMap { route in route.parameters(in: parts).map { (route, $0) } }
        if let (route, parameters) = fitting.first(where: { $0.0.answers(request.method) }) {
            request.parameters = parameters
            let refusal =
                objection(to: request, of: route) ?? route.objection(to: request) ?? route.refuses(request)
            return refusal.map { .answer($0) } ?? .handle(route, request)
        }
        // Nobody learns a path that they may not use.
        let usable = fitting.map(\.0).filter { Router.mayUse($0, request.identity) }
        if !usable.isEmpty { return .answer(Router.methods(of: usable, asked: request.method == .options)) }
        if fitting.isEmpty, let answer = unknown(request) { return .answer(answer) }
        return .answer(request.identity == nil ? Router.stranger(request) : unknownPath(request.identity))
    }

    private static func mayUse(_ route: Route, _ identity: Identity?) -> Bool {
        route.scope.map { identity?.scopes.contains($0) ?? false } ?? true
    }

    /// The answer to a request with its body, by the thread that asks: for calls within a process, and tests.
    package func answer(_ request: ServiceRequest) -> ServiceResponse {
        switch decide(request) {
        case .answer(let response): response
        case .handle(let route, let request): route.handler(request)
        }
    }

    private func objection(to request: ServiceRequest, of route: Route) -> ServiceResponse? {
        guard let scope = route.scope else { return nil }
        guard let identity = request.identity else { return Router.stranger(request) }
        if identity.scopes.contains(scope) { return nil }
        return ServiceResponse(
            .forbidden, lines: ["\(identity.name) may not do this; it needs the scope \(scope.name)"])
    }

    private static func stranger(_ request: ServiceRequest) -> ServiceResponse {
        let hasToken = request.field("authorization") != .absent
        var response = ServiceResponse(
            .unauthorized,
            lines: [
                hasToken
                    ? "a token is required, and this one is unknown, revoked or expired; a new one is known within seconds"
                    : "a token is required: Authorization: Bearer …"
            ])
        response.fields.add(
            "www-authenticate", "Bearer realm=\"associated\"\(hasToken ? ", error=\"invalid_token\"" : "")")
        return response
    }

    /// Names the paths that the client may use.
    private func unknownPath(_ identity: Identity?) -> ServiceResponse {
        var lines: [String] = []
        for route in routes where Router.mayUse(route, identity) && lines.last != route.pattern {
            lines.append(route.pattern)
        }
        return ServiceResponse(.notFound, lines: lines)
    }

    /// - Parameter asked: whether the client asks for them (RFC 9110 §9.3.7), and has not used another one.
    private static func methods(of routes: [Route], asked: Bool) -> ServiceResponse {
        let names = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : ["\($0.method)".uppercased()] }
        var response = ServiceResponse(
            asked ? .noContent : .methodNotAllowed, lines: asked ? [] : ["only \(names.joined(separator: " and "))"])
        response.fields.add("allow", (names + ["OPTIONS"]).joined(separator: ", "))
        return response
    }
}
