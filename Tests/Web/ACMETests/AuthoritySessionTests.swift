// How calls get nonces, and what happens when the authority refuses one.

import TLS
import Testing

@testable import ACME
@testable import ACMESupport

struct AuthoritySessionTests {
    private let authority: ScriptedAuthority
    private var session: AuthoritySession
    private let call: SignedCall

    init() throws {
        let key = AccountKey(try SigningKey(.p256))
        authority = ScriptedAuthority(key, try OrderRunner.issuer.get())
        session = AuthoritySession(
            try authority.directory, key: key, account: try address("https://ca.example/account/1"))
        call = SignedCall(try address("https://ca.example/elsewhere"), nil)
    }

    private static func nonce(_ text: String, _ status: Int = 200) -> AuthorityResponse {
        .json(status, "{}", [("Replay-Nonce", text)])
    }

    private func used(_ request: AuthorityRequest) -> String? { ReceivedMessage(request.body ?? []).head("nonce") }

    @Test mutating func `requests a nonce first, then uses those of responses`() throws {
        var call = call
        let first = try call.request(&session)
        #expect(first.method == .head && first.url.text == "https://ca.example/nonce" && first.body == nil)
        #expect(try call.take(Self.nonce("a"), &session) == nil)
        let second = try call.request(&session)
        #expect(second.method == .post && used(second) == "a")
        #expect(try call.take(Self.nonce("b"), &session)?.status == 200)
        var next = self.call
        #expect(used(try next.request(&session)) == "b")
        #expect(try next.request(&session).method == .head)
    }

    @Test mutating func `signs again with the nonce of the refusal, not an older one`() throws {
        var call = call
        for nonce in ["old-1", "old-2", "a"] {
            _ = try call.request(&session)
            _ = try call.take(Self.nonce(nonce), &session)
            var another = self.call
            _ = try another.request(&session)
            _ = try another.take(Self.nonce(nonce), &session)
            call = self.call
        }
        #expect(used(try call.request(&session)) == "a")
        let refusal = AuthorityResponse.problem(400, "badNonce", "old", [("replay-nonce", "fresh")])
        #expect(try call.take(refusal, &session) == nil)
        #expect(used(try call.request(&session)) == "fresh")
        #expect(try call.take(.problem(400, "badNonce"), &session) == nil)
        #expect(try call.request(&session).method == .head)
    }

    @Test mutating func `limits how often a call is signed again`() throws {
        var call = call
        _ = try call.request(&session)
        _ = try call.take(Self.nonce("a"), &session)
        for _ in 0..<AuthorityLimits.nonceRefusalsMax {
            _ = try call.request(&session)
            #expect(try call.take(.problem(400, "badNonce", "no", [("replay-nonce", "b")]), &session) == nil)
        }
        _ = try call.request(&session)
        let found = problem { () throws(AuthorityProblem) in
            try call.take(.problem(400, "badNonce", "no", [("replay-nonce", "b")]), &session)
        }
        #expect(found?.kind == .badNonce && found?.isTransient == true)
    }

    @Test(arguments: [
        (AuthorityResponse.json(204, ""), AuthorityProblem.Kind.noAnswer), (.json(404, ""), .noAnswer),
        (.json(503, ""), .noAnswer),
        (.problem(429, "rateLimited", retryAfter: 60), .rateLimited),
        (AuthorityResponse(status: 200, fields: [("replay-nonce", "not a nonce")], body: []), .noAnswer),
    ])
    mutating func `reports a missing nonce as a temporary problem`(
        response: AuthorityResponse, kind: AuthorityProblem.Kind
    ) throws {
        var call = call
        _ = try call.request(&session)
        let found = problem { () throws(AuthorityProblem) in try call.take(response, &session) }
        #expect(found?.kind == kind && found?.retryAfterSeconds == response.retryAfterSeconds)
    }

    @Test mutating func `performs a call with all its requests`() throws {
        authority.oddities.refusesNonces = true
        authority.instead = [("elsewhere", Self.nonce("x", 503))]
        let found = problem { () throws(AuthorityProblem) in
            try session.perform(call) { (request) throws(AuthorityProblem) in authority.answer(request) }
        }
        #expect(found?.status == 503)
        // The nonce of that response is not valid, so the call is signed again.
        let missing = problem { () throws(AuthorityProblem) in
            try session.perform(call) { (request) throws(AuthorityProblem) in authority.answer(request) }
        }
        #expect(missing?.status == 404)
        #expect(authority.requests.map(\.method) == [.head, .post, .post, .post])
        let none = problem { () throws(AuthorityProblem) in
            try session.perform(call) { (_) throws(AuthorityProblem) in throw .noAnswer("refused") }
        }
        #expect(none == .noAnswer("refused"))
    }
}
