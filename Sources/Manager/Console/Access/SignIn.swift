// Signing in with a token. A form that arrives after the end of a session is not lost: it is sent again after signing in.

import HTTP
import Publishing
import Service
import SourceJSON
import Store

enum SignIn {
    static func page(_ console: WebConsole) -> Route {
        Route(.get, "/sign-in", nil) { request in
            if console.session(request) != nil { return see("/") }
            return answer(form(next: Form.read(request.query ?? "")["next"] ?? "/"))
        }
    }

    static func action(_ console: WebConsole) -> Route {
        Route(.post, "/sign-in", nil, bodyBytesMax: 4 * Draft.keptBytesMax, contentType: Form.type) { request in
            if !request.isOfOwnPage { return refusal(nil) }
            let fields = Form.read(String(decoding: request.body, as: UTF8.self))
            let next = fields["next"] ?? "/"
            let token = (fields["token"] ?? "").trimmingWhiteSpace
            if console.control.storeProblem == nil { console.publisher.learn(token) }
            switch console.sessions.begin(token) {
            case .refused:
                return answer(
                    form("This token is unknown, revoked or expired.", next: next, kept: fields["kept"]), .unauthorized)
            case .limited:
                return answer(
                    form(
                        "This token is unknown, revoked or expired. There are many such attempts at the moment.",
                        next: next,
                        kept: fields["kept"]), .tooManyRequests)
            case .begun(let secret):
                let kept = fields["kept"].map { Form.read($0) } ?? [:]
                var response =
                    kept.isEmpty ? see(isOwn(next) ? next : "/") : answer(again(next, kept), .ok)
                response.fields.add("set-cookie", cookie(secret, seconds: Sessions.seconds, for: request))
                return response
            }
        }
    }

    /// Ends the session.
    static let out = Action(pattern: "/sign-out", scope: nil) { call in
        for secret in call.request.sessionSecrets { call.console.sessions.end(secret) }
        var response = see("/sign-in")
        response.fields.add("set-cookie", cookie("", seconds: 0, for: call.request))
        return response
    }

    private static func cookie(_ value: String, seconds: Int64, for request: ServiceRequest) -> String {
        let (name, secure) = request.isSecure ? (Sessions.cookies[0], "; Secure") : (Sessions.cookies[1], "")
        return "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict\(secure)"
    }

    static func see(_ path: String) -> ServiceResponse {
        var response = ServiceResponse(.seeOther, lines: [path])
        response.fields.add("location", path)
        return response
    }

    static func redirect(backTo request: ServiceRequest) -> ServiceResponse {
        let here = request.path + (request.query.map { "?\($0)" } ?? "")
        return see(here == "/" ? "/sign-in" : path("sign-in", query: ["next": here]))
    }

    /// Whether a path leads to this server and nowhere else.
    private static func isOwn(_ path: String) -> Bool {
        path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
    }

    /// The form, with what the browser has sent after the end of the session.
    static func form(keeping request: ServiceRequest) -> ServiceResponse {
        let kept = request.pathIsSignOut ? nil : String(decoding: request.body, as: UTF8.self)
        return answer(
            form(kept == nil ? nil : "The session has ended. What you wrote is kept.", next: request.path, kept: kept),
            .unauthorized)
    }

    /// For more than is kept of a stranger.
    static var tooLong: ServiceResponse {
        answer(
            form(
                "The session has ended. Go back to what you wrote, sign in on another page, and send it again.",
                next: "/"), .unauthorized)
    }

    static func refusal(_ session: Session?) -> ServiceResponse {
        let layout = Layout(title: "Not sent by the console", path: "", session: session)
        return WebConsole.html(
            layout.document(
                """
                <h1>This form was not sent by a page of the console</h1>\
                <p class="lead">Nothing was changed. If a proxy is in front of the console, it must pass the field \
                <code>Host</code> on, or say it in <code>X-Forwarded-Host</code>.</p>
                """), .forbidden)
    }

    private static func answer(_ main: HTML, _ status: Status = .ok) -> ServiceResponse {
        WebConsole.html(Layout(title: "Sign in", path: "", session: nil).document(main), status)
    }

    private static func form(_ problem: String? = nil, next: String, kept: String? = nil) -> HTML {
        let more = kept.map { #"<input type="hidden" name="kept" value="\#(exactly: $0)">"# as HTML }
        return """
            <div class="sign-in"><h1>Sign in</h1>
            <p class="lead">With a token of the API. It decides what you see and what you may change.</p>
            \(problem.map { Layout.notice(.bad, "\($0)") })<form method="post" action="/sign-in">
            <input type="hidden" name="next" value="\(exactly: next)">\(more)
            <input class="hidden" type="text" name="username" value="associated" autocomplete="username" tabindex="-1" aria-hidden="true">
            <div class="field"><label for="token">Token</label>
            <input id="token" name="token" type="password" autocomplete="current-password" placeholder="asc_…" required autofocus></div>
            <button class="main">Sign in</button></form>
            <section aria-label="How to get a token"><p class="soft">An operator makes one on the server’s machine:</p>
            <p>\(copyable("associated token create --scopes read"))</p></section></div>
            """
    }

    /// What was sent after the end of a session, to be sent again.
    private static func again(_ path: String, _ kept: [String: String]) -> HTML {
        let fields = kept.sorted { $0.key < $1.key }.map { name, value -> HTML in
            #"<input type="hidden" name="\#(exactly: name)" value="\#(exactly: value)">"#
        }
        return """
            <div class="sign-in"><h1>Signed in</h1><p class="lead">What you wrote before is still here.</p>
            <form method="post" action="\(isOwn(path) ? path : "/")">\(fields)<button class="main">Continue</button></form>
            <p class="soft">\(link("/", "Discard it"))</p></div>
            """
    }
}

extension ServiceRequest {
    fileprivate var pathIsSignOut: Bool { path == SignIn.out.pattern }
}

extension String {
    /// Without what is copied along.
    var trimmingWhiteSpace: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// The limit of the form with a whole app file, encoded.
enum Draft {
    static let bodyBytesMax = 2 << 20
    /// Of a form that arrives after the end of its session; for strangers, it is held in memory.
    static let keptBytesMax = 64 << 10
}
