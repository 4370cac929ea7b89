// Which route answers, and what a request must have for it.

import HTTP
import Testing

@testable import Service

struct RouterTests {
    private static let router = Router(
        [
            Route(.get, "/open", nil) { _ in ServiceResponse(.ok, lines: ["open"]) },
            Route(.get, "/hosts/HOST", Scope("read")) { ServiceResponse(.ok, lines: $0.parameters) },
            Route(
                .put, "/hosts/HOST/apps/APP", Scope("write"), bodyBytesMax: 10, contentType: "application/json",
                requiring: ["if-match"]
            ) { ServiceResponse(.created, lines: $0.parameters + [$0.query ?? ""]) },
            Route(.delete, "/hosts/HOST", Scope("write")) { _ in ServiceResponse(.noContent, lines: []) },
            Route(.post, "/hosts/HOST:check", Scope("write")) { ServiceResponse(.ok, lines: $0.parameters) },
        ],
        refuses: { $0.host == "evil" ? ServiceResponse(.misdirectedRequest, lines: []) : nil },
        identify: { request in
            guard case .once(let name) = request.field("x-user") else { return nil }
            return Identity(name, name == "writer" ? [Scope("read"), Scope("write")] : [Scope("read")])
        })

    private static let writer = [
        "content-length: 2", "x-user: writer", "if-match: \"1\"", "content-type: application/json; charset=utf-8",
    ]

    @Test(
        arguments: [
            (.get, "/open", [], .ok, "open\n"), (.head, "/open", [], .ok, "open\n"),
            (.get, "/hosts/a.example", ["x-user: reader"], .ok, "a.example\n"),
            (.get, "/hosts/a%20%C3%A9%2Fb", ["x-user: reader"], .ok, "a é/b\n"),
            (.get, "/hosts/%FF", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (.get, "/hosts/", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (.get, "/hosts/a/", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (
                .get, "/", ["x-user: writer"], .notFound,
                "/open\n/hosts/HOST\n/hosts/HOST/apps/APP\n/hosts/HOST\n/hosts/HOST:check\n"
            ),
            // A stranger learns no paths, and no methods.
            (.get, "/", [], .unauthorized, "a token"), (.get, "/hosts/a", [], .unauthorized, "a token"),
            (.post, "/hosts/a", [], .unauthorized, "a token is required: A"),
            (
                .post, "/hosts/a", ["authorization: Bearer x"], .unauthorized,
                "a token is required, and this one is unknown"
            ),
            (.post, "/open", [], .methodNotAllowed, "only GET and HEAD"),
            (.get, "/hosts/a", ["x-user: reader", "x-user: reader"], .unauthorized, "a token"),
            (.delete, "/hosts/a", ["x-user: reader"], .forbidden, "reader may not do this; it needs the scope write\n"),
            (.delete, "/hosts/a", ["x-user: writer"], .noContent, ""),
            (.post, "/hosts/a", ["x-user: reader"], .methodNotAllowed, "only GET and HEAD\n"),
            (.post, "/hosts/a", ["x-user: writer"], .methodNotAllowed, "only GET and HEAD and DELETE\n"),
            (.post, "/hosts/a/apps/b", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (.get, "/" + String(repeating: "/", count: 2_000), ["x-user: reader"], .notFound, "/open\n"),
            (.put, "/hosts/a/apps/b?dry=1", writer, .created, "a\nb\ndry=1\n"),
            (.put, "/hosts/a/apps/b", Array(writer.dropLast()), .unsupportedMediaType, "send the body as"),
            (
                .put, "/hosts/a/apps/b", writer.dropLast() + ["content-type: text/plain"], .unsupportedMediaType,
                "send the"
            ),
            (
                .put, "/hosts/a/apps/b", writer + ["content-type: application/json"], .badRequest,
                "send the field content-type"
            ),
            (.put, "/hosts/a/apps/b", Array(writer[1...2]), .created, "a\nb\n"),
            (.put, "/hosts/a/apps/b", writer[1...2] + ["content-length: 0"], .created, "a\nb\n"),
            (
                .put, "/hosts/a/apps/b", writer[1...2] + ["transfer-encoding: chunked"], .unsupportedMediaType,
                "send the"
            ),
            // A verb is part of the path, and an escaped colon begins none.
            (.post, "/hosts/a:check", ["x-user: writer"], .ok, "a\n"),
            (.get, "/hosts/a:check", ["x-user: writer"], .methodNotAllowed, "only POST\n"),
            (.get, "/hosts/a:check", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (.get, "/hosts/a:b", ["x-user: reader"], .notFound, "/open\n/hosts/HOST\n"),
            (.post, "/hosts/:check", ["x-user: writer"], .notFound, "/open\n"),
            (.get, "/hosts/a%3Acheck", ["x-user: reader"], .ok, "a:check\n"),
            (.options, "/hosts/a", ["x-user: writer"], .noContent, ""),
            (.options, "/hosts/a", [], .unauthorized, "a token"),
            (.put, "/hosts/a/apps/b", [writer[1], writer[3]], .preconditionRequired, "the field if-match is required"),
            (.put, "/hosts/a/apps/b", writer + ["If-Match: \"2\""], .badRequest, "send the field if-match once"),
        ] as [(Method, String, [String], Status, String)])
    func `a request is answered by its route, or with what it lacks`(
        method: Method, path: String, lines: [String], status: Status, beginning: String
    ) {
        let answer = Self.router.answer(ServiceRequest(method, path, lines: lines))
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(beginning))
    }

    @Test func `the guard comes first, and a refused method names those that are allowed`() {
        #expect(Self.router.answer(ServiceRequest(.get, "/open", host: "evil")).status == .misdirectedRequest)
        for (method, path, allowed) in [
            (.post, "/hosts/a", "GET, HEAD, DELETE"), (.options, "/hosts/a", "GET, HEAD, DELETE"),
            (.delete, "/hosts/a:check", "POST"), (.options, "/hosts/a:check", "POST"),
        ] as [(Method, String, String)] {
            let answer = Self.router.answer(ServiceRequest(method, path, lines: ["x-user: writer"]))
            #expect(String(decoding: answer.fields.bytes, as: UTF8.self) == "allow: \(allowed), OPTIONS\r\n")
        }
    }
}
