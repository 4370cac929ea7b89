// The console: pages for people on the listener of the API. A page loads a value, which is also its answer as JSON, and makes markup of
// it. What a tenant's token may see and do is decided by the API, which the pages call in this process.

import HTTP
public import Issuance
import Posix
public import Publishing
public import Service
import SourceJSON
public import Store
import Synchronization
import TLS

/// Used by all threads of the listener.
public final class WebConsole: Sendable {
    let publisher: Publisher
    let issuance: IssuanceStatus
    let control: WorkControl
    let server: any ConsoleServer
    let rules: IssuanceRules?
    let suffixes: PublicSuffixes
    /// Whether nobody has to sign in on this machine.
    let isOpen: Bool
    let sessions: Sessions
    private let store: Store
    private let api: [Route]
    private let figures = Mutex(ConsoleFigures())

    public init(
        _ publisher: Publisher, _ issuance: IssuanceStatus, _ control: WorkControl, store: consuming Store,
        server: any ConsoleServer, rules: IssuanceRules?, suffixes: PublicSuffixes, isOpen: Bool
    ) {
        (self.publisher, self.issuance, self.control) = (publisher, issuance, control)
        (self.server, self.rules, self.suffixes, self.isOpen) = (server, rules, suffixes, isOpen)
        self.store = store
        sessions = Sessions(publisher)
        api = PublishingAPI.routes(publisher)
    }

    /// Takes what the manager's loop has counted, so that no page counts.
    public func take(_ new: ConsoleFigures) { figures.withLock { $0 = new } }

    /// What the first page says to the operator.
    public var sentence: String? {
        let session = Session(identity: publisher.developer, isOpen: true)
        return try? Page.overview.load(ConsoleCall(self, ServiceRequest(.get, "/"), session))["sentence"].text
    }

    var counted: ConsoleFigures { figures.withLock { $0 } }

    /// The routes for a listener.
    public var routes: [Route] {
        Page.all.flatMap { page in
            [page.pattern, page.jsonPattern].compactMap { $0 }.map { pattern in
                Route(.get, pattern, nil) { self.answer($0, page) }
            }
        }
            + Action.all.map { action in
                Route(
                    .post, action.pattern, nil, bodyBytesMax: action.bodyBytesMax, contentType: Form.type,
                    refuses: { request in
                        let isTooLong = request.announcesMore(than: Draft.keptBytesMax) && self.session(request) == nil
                        return isTooLong ? SignIn.tooLong : nil
                    }
                ) { self.answer($0, action) }
            } + Asset.all.map(\.route) + [SignIn.page(self), SignIn.action(self)]
    }

    /// Who asks; nil for a stranger.
    func session(_ request: ServiceRequest) -> Session? {
        if let found = request.sessionSecrets.lazy.compactMap({ self.sessions.find($0) }).first { return found }
        if isOpen, request.isLocal { return Session(identity: publisher.developer, isOpen: true) }
        return nil
    }

    /// On whose account a request goes.
    public func identity(_ request: ServiceRequest) -> Identity? { session(request)?.identity }

    /// A page for a browser that has lost its way; nil for others.
    public func unknown(_ request: ServiceRequest) -> ServiceResponse? {
        guard case .once(let types) = request.field("accept"), types.contains("text/html") else { return nil }
        guard let session = session(request) else { return SignIn.see("/sign-in") }
        let problem = PageProblem(.notFound, "There is no such page", "The address may be of another version.")
        return document(
            problem.title, ConsoleCall(self, request, session), problem.html, .null, status: problem.status)
    }

    private func answer(_ request: ServiceRequest, _ page: Page) -> ServiceResponse {
        let isJSON = page.wantsJSON(request.path)
        guard let session = session(request) else {
            if isJSON { return PageProblem(.unauthorized, "Sign in first", "the session has ended").json }
            return SignIn.redirect(backTo: request)
        }
        let call = ConsoleCall(self, request, session, trimming: isJSON && page.jsonPattern == nil)
        do throws(PageProblem) {
            if !session.may("read") {
                throw PageProblem(.forbidden, "This token may not see this", "It needs the scope read.")
            }
            let value = try page.load(call)
            if isJSON { return ServiceResponse(.ok, ServiceResponse.json, SourceWriter.canonical(value)) }
            return document(page.title(value), call, page.render(value, call), value)
        } catch {
            return isJSON ? error.json : document(error.title, call, error.html, .null, status: error.status)
        }
    }

    private func answer(_ request: ServiceRequest, _ action: Action) -> ServiceResponse {
        if !request.isOfOwnPage { return SignIn.refusal(session(request)) }
        guard let session = session(request) else { return SignIn.form(keeping: request) }
        let call = ConsoleCall(self, request, session)
        do throws(PageProblem) {
            if let scope = action.scope, !session.may(scope) {
                throw PageProblem(
                    .forbidden, "This token may not do that", "It needs the scope \(scope). Nothing was changed.")
            }
            return try action.handle(call)
        } catch {
            return document(error.title, call, error.html, .null, status: error.status)
        }
    }

    /// A whole page.
    func document(
        _ title: String, _ call: ConsoleCall, _ main: HTML, _ value: SourceValue, status: Status = .ok
    ) -> ServiceResponse {
        let layout = Layout(
            title: title, path: call.request.path, session: call.session,
            isLive: call.request.method != .post, query: call.query["q"] ?? "",
            problems: value.member(named: "problems")?.asArray?.compactMap(\.asString) ?? [])
        var response = WebConsole.html(layout.document(main), status)
        if status == .ok, call.request.method != .post {
            let tag = "\"\(Digest.hexadecimal(Digest.sha256(response.body).prefix(12)))\""
            if call.request.field("if-none-match") == .once(tag) {
                (response.status, response.body) = (.notModified, [])
            }
            response.fields.add("etag", tag)
        }
        return response
    }

    static func html(_ html: HTML, _ status: Status = .ok) -> ServiceResponse {
        var response = ServiceResponse(status, "text/html; charset=utf-8", html.bytes)
        for (name, value) in WebConsole.fields { response.fields.add(name, value) }
        return response
    }

    /// Nothing but the console's own files, and no page around it.
    private static let fields = [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'"
        ), ("x-frame-options", "DENY"), ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"), ("vary", "cookie"),
    ]

    /// Asks the API, as the identity of a session.
    func ask(_ method: HTTP.Method, _ path: String, _ body: SourceValue?, as identity: Identity) -> ServiceResponse {
        let router = Router(api) { _ in identity }
        let lines = body == nil ? [] : ["content-type: \(ServiceResponse.json)"]
        return router.answer(
            ServiceRequest(
                method, PublishingAPI.base + path, lines: lines, body: body.map { SourceWriter.minified($0) } ?? []))
    }

    func storeForReading() -> Store { store.another() }
}

/// The server of this node, over the link.
public protocol ConsoleServer: Sendable {
    /// Asks for a path; nil if the server cannot be asked.
    func ask(_ path: String) -> (status: Int, body: [UInt8])?
    /// The text of an app file of the operator; nil if the server knows none of this path.
    func appFile(_ path: String) -> String?
    /// Where the app files are: those of the operator, and the published ones. Findings begin with one of them.
    var folders: (operator: String, published: String) { get }
}
