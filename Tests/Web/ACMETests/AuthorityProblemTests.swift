// Problem documents, and failed responses without one.

import Testing

@testable import ACME

struct AuthorityProblemTests {
    @Test func `reads a problem with its subproblems`() throws {
        let body = """
            { "type": "urn:ietf:params:acme:error:malformed", "detail": "Some hosts are refused",
              "instance": "https://ca.example/help", "status": 499, "subproblems": [
                { "type": "urn:ietf:params:acme:error:rejectedIdentifier", "detail": "This is no public name",
                  "identifier": { "type": "dns", "value": "shop.internal" }, "subproblems": [{ "type": "a" }] },
                7,
                { "type": "urn:ietf:params:acme:error:caa", "detail": "CAA forbids it",
                  "identifier": { "type": "dns", "value": "news.example" } } ] }
            """
        let problem = AuthorityProblem(.json(403, body))
        #expect(problem.kind == .malformed && problem.status == 403)
        #expect(problem.instance?.text == "https://ca.example/help")
        #expect(problem.subproblems.map(\.kind) == [.rejectedIdentifier, .caa])
        #expect(problem.subproblems.map(\.host) == ["shop.internal", "news.example"])
        #expect(problem.subproblems.allSatisfy { $0.subproblems.isEmpty })
        #expect(
            problem.description
                == "Some hosts are refused; shop.internal: This is no public name; news.example: CAA forbids it")
        #expect(!problem.isTransient)
    }

    @Test(arguments: AuthorityProblem.Kind.allCases)
    func `knows every type in problem documents`(kind: AuthorityProblem.Kind) {
        let read = AuthorityProblem(.problem(400, kind.rawValue)).kind
        #expect(read == ([.noAnswer, .unusable, .accountRefused].contains(kind) ? .unknown : kind))
    }

    @Test(
        arguments: [
            (.json(400, "{\"type\": \"about:blank\", \"title\": \"Bad Request\"}"), .unknown, "Bad Request"),
            (
                .json(400, "{\"type\": \"urn:ietf:params:acme:error:newType\"}"), .unknown,
                "urn:ietf:params:acme:error:newType"
            ),
            (.json(400, "{\"type\": 5, \"detail\": \"five\"}"), .unknown, "five"),
            (.json(502, "<html>Bad Gateway</html>"), .serverInternal, "the authority answers 502 without a reason"),
            (.json(429, ""), .rateLimited, "the authority answers 429 without a reason"),
            (.json(404, "[]"), .unknown, "the authority answers 404 without a reason"),
        ] as [(AuthorityResponse, AuthorityProblem.Kind, String)])
    func `reads responses without an ACME problem`(
        response: AuthorityResponse, kind: AuthorityProblem.Kind, detail: String
    ) {
        let problem = AuthorityProblem(response)
        #expect(problem.kind == kind && problem.detail == detail)
    }

    @Test func `keeps Retry-After and the terms of service`() {
        let link = (name: "Link", value: "<https://ca.example/terms/2>;rel=\"terms-of-service\"")
        let problem = AuthorityProblem(.problem(403, "userActionRequired", "New terms", [link], retryAfter: 120))
        #expect(problem.termsOfService?.text == "https://ca.example/terms/2")
        #expect(problem.retryAfterSeconds == 120)
    }

    @Test(arguments: [
        (AuthorityResponse.problem(500, "serverInternal"), true), (.problem(503, "rateLimited"), true),
        (.problem(400, "badNonce"), true),
        (.json(504, ""), true), (.json(408, ""), true), (.problem(429, "rateLimited"), false), (.json(404, ""), false),
        (.problem(403, "unauthorized"), false),
    ])
    func `tells temporary problems from others`(response: AuthorityResponse, isTransient: Bool) {
        #expect(AuthorityProblem(response).isTransient == isTransient)
        #expect(AuthorityProblem.noAnswer("the handshake failed").isTransient)
    }

    @Test(arguments: [
        (
            "rateLimited", "Hosts are paused. Please visit: https://portal.ca.example/unpause?jwt=a.b.c",
            "https://portal.ca.example/unpause?jwt=a.b.c"
        ),
        ("unauthorized", "See https://portal.ca.example/unpause", "https://portal.ca.example/unpause"),
        ("rateLimited", "Too many orders: see https://ca.example/docs/rate-limits/", nil),
        ("rateLimited", "See http://portal.ca.example/unpause", nil),
        ("malformed", "See https://portal.ca.example/unpause", nil),
    ])
    func `finds the page for unpausing hosts`(type: String, detail: String, page: String?) {
        #expect(AuthorityProblem(.problem(429, type, detail)).unpausePage?.text == page)
    }

    @Test func `limits detail and subproblems`() {
        let one = "{\"type\": \"a\"}"
        let body =
            "{\"detail\": \"\(String(repeating: "x", count: 5000))\", \"subproblems\": [\(Array(repeating: one, count: 300).joined(separator: ","))]}"
        let problem = AuthorityProblem(.json(400, body))
        #expect(problem.detail.count == 1000)
        #expect(problem.subproblems.count == 100)
    }
}
