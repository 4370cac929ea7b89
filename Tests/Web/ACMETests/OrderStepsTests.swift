// Orders from the first step to a certificate or a failure.

import SourceJSON
import TLS
import Testing

@testable import ACME
@testable import ACMESupport

struct OrderStepsTests {
    private func expectIssued(_ runner: OrderRunner, _ outcome: OrderOutcome) throws {
        let chain = try #require(outcome.chain, "\(outcome)")
        #expect(Set(chain.facts.names) == Set(runner.start.hosts))
        #expect(chain.isFor(try SigningKey(reading: runner.start.key)))
        #expect(runner.authority.complaints == [])
        #expect(runner.authority.certificateCount == 1 && runner.authority.orders.count == 1)
        #expect(runner.authority.world.isEmpty, "an answer to a challenge was not withdrawn")
    }

    @Test func `takes the steps in this order`() throws {
        let runner = try OrderRunner()
        try expectIssued(runner, runner.run())
        let names = runner.steps.map { step in
            switch step {
            case .save(let journal): journal.order == nil ? "save" : "save with order"
            case .send(let request): String(request.url.text.dropFirst(19))
            case .publish: "publish"
            case .withdraw: "withdraw"
            case .wait: "wait"
            case .finished: "finished"
            }
        }
        #expect(
            names == [
                "save", "nonce", "new-order", "save with order", "authz/0", "save with order", "publish",
                "challenge/0/http-01", "save with order", "wait", "authz/0", "wait", "authz/0", "order/0", "finalize/0",
                "save with order", "wait", "order/0",
                "wait", "order/0", "certificate/0", "withdraw", "finished",
            ])
        #expect(runner.waits.allSatisfy { $0 == nil })
    }

    private static func oddities(_ change: (inout ScriptedAuthority.Oddities) -> Void) -> ScriptedAuthority.Oddities {
        var oddities = ScriptedAuthority.Oddities()
        change(&oddities)
        return oddities
    }

    @Test(
        arguments: [
            ("every second nonce is refused", oddities { $0.refusesNonces = true }),
            ("it is slow", oddities { $0.polls = 12 }), ("it is quick", oddities { $0.polls = 0 }),
            ("a challenge stays pending", oddities { $0.hidesProcessing = true }),
            ("hosts are validated already", oddities { $0.validHosts = ["shop.example", "www.shop.example"] }),
            ("one host is validated already", oddities { $0.validHosts = ["www.shop.example"] }),
            (
                "the order has unknown statuses",
                oddities { $0.orderStatuses = ["pending", "new", "on-hold", "pending"] }
            ),
            ("the order stays pending", oddities { $0.orderStatuses = ["pending", "pending", "pending", "pending"] }),
            ("the order is processing early", oddities { $0.orderStatuses = ["pending", "processing"] }),
            ("the order only seems ready", oddities { $0.orderStatuses = ["ready"] }),
            ("finalization is answered with the order before", oddities { $0.answersFinalizeEarly = true }),
            ("it says how long to wait", oddities { $0.retryAfter = 7 }),
            ("it wants no pause", oddities { $0.retryAfter = 0 }),
            ("objects have nothing more", oddities { $0.more = "" }),
        ])
    func `gets a certificate although`(what: String, oddities: ScriptedAuthority.Oddities) throws {
        let runner = try OrderRunner(["shop.example", "www.shop.example"], oddities)
        try expectIssued(runner, runner.run())
    }

    @Test func `waits as long as Retry-After says, otherwise longer each time`() throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.polls = 8
        let slow = try OrderRunner(["shop.example"], oddities)
        try expectIssued(slow, slow.run())
        // Half of the time since the challenge, and then since the finalization; each poll takes a second.
        #expect(slow.waitSeconds == [1, 1, 2, 3, 5, 8, 13, 20, 30] + [1, 1, 2, 3, 5, 8, 13, 20, 30])
        oddities.retryAfter = 20
        let told = try OrderRunner(["shop.example"], oddities)
        try expectIssued(told, told.run())
        #expect(told.waitSeconds == Array(repeating: 20, count: 2 * 9))
    }

    @Test func `publishes two records for a domain and its wildcard`() throws {
        let runner = try OrderRunner(["shop.example", "*.shop.example"], by: .dns)
        try expectIssued(runner, runner.run())
        let published = runner.steps.compactMap { if case .publish(let answers) = $0 { answers } else { nil } }
        #expect(
            published.map { $0.map(\.recordName) } == [
                ["_acme-challenge.shop.example", "_acme-challenge.shop.example"]
            ])
        #expect(Set(published[0].map(\.recordValue)).count == 2)
    }

    @Test func `sends profile and replaced certificate only if the authority supports them`() throws {
        let runner = try OrderRunner(profile: "tlsserver", replaces: "aYhba4.AIdl")
        try expectIssued(runner, runner.run())
        let payload = try #require(runner.authority.orders.first?.payload)
        #expect(payload.contains(#""profile":"tlsserver""#) && payload.contains(#""replaces":"aYhba4.AIdl""#))
        let other = try OrderRunner(profile: "shortlived")
        try expectIssued(other, other.run())
        #expect(other.authority.orders.first?.payload == #"{"identifiers":[{"type":"dns","value":"shop.example"}]}"#)
    }

    @Test(arguments: [(409, "alreadyReplaced"), (404, "malformed"), (403, "unauthorized")])
    func `orders without the replaced certificate if the authority refuses it`(status: Int, type: String)
        throws
    {
        let runner = try OrderRunner(replaces: "aYhba4.AIdl")
        runner.authority.instead = [("new-order", .problem(status, type))]
        try expectIssued(runner, runner.run())
        #expect(runner.authority.orders.first?.payload.contains("replaces") == false)
        #expect(OrderJournal(text: runner.stored ?? "")?.replaces == nil)
    }

    @Test(arguments: [
        (nil, "First Root", 1), ("First Root", "First Root", 1), ("Second Root", "Second Root", 2),
        ("Third Root", "First Root", 2),
    ])
    func `selects the chain by its issuer`(wanted: String?, issuer: String, downloads: Int) throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.hasAlternates = true
        let runner = try OrderRunner(["shop.example"], oddities, preferredIssuer: wanted)
        let outcome = try runner.run()
        try expectIssued(runner, outcome)
        #expect(outcome.chain?.endsAt(issuer: issuer) == true)
        let requests = runner.authority.requests.filter { $0.url.text.contains("/certificate/") }
        #expect(requests.count == downloads)
        #expect(requests.allSatisfy { $0.accept == "application/pem-certificate-chain" })
    }

    @Test(arguments: [AuthorityResponse.problem(404, "malformed"), .json(200, "no chain"), .json(503, "")])
    func `uses the default chain if an alternate one is not available`(response: AuthorityResponse) throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.hasAlternates = true
        let runner = try OrderRunner(["shop.example"], oddities, preferredIssuer: "Second Root")
        runner.authority.instead = Array(repeating: ("certificate/0/1", response), count: 4)
        let outcome = try runner.run()
        try expectIssued(runner, outcome)
        #expect(outcome.chain?.endsAt(issuer: "First Root") == true)
    }

    private static let places = ["nonce", "new-order", "order/0", "authz/0", "challenge", "finalize", "certificate"]

    @Test(
        arguments: places,
        [
            AuthorityResponse.json(503, "down", retryAfter: 600), .problem(500, "serverInternal"), .json(502, "<html>"),
            .problem(429, "rateLimited", "too many", retryAfter: 7200),
        ])
    func `continues after temporary failures`(place: String, response: AuthorityResponse) throws {
        let runner = try OrderRunner()
        runner.authority.instead = [(place, response), (place, response)]
        let start = runner.now
        try expectIssued(runner, runner.run())
        #expect(runner.authority.instead.isEmpty)
        let told = runner.waits.compactMap { $0 }
        #expect(told.count == 2 && told.allSatisfy { $0.status == response.status })
        #expect(runner.now - start >= 2 * (response.retryAfterSeconds ?? 10))
    }

    @Test(arguments: ["new-order", "finalize"])
    func `waits longer each time although the state can be read`(place: String) throws {
        let runner = try OrderRunner()
        runner.authority.instead = Array(repeating: (place, .problem(500, "serverInternal")), count: 11)
        try expectIssued(runner, runner.run())
        let waits = zip(runner.waits, runner.waitSeconds).filter { $0.0 != nil }.map(\.1)
        #expect(waits == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
    }

    @Test func `requests a certificate again that is not available yet`() throws {
        let runner = try OrderRunner()
        runner.authority.instead = [("certificate", .problem(404, "malformed"))]
        try expectIssued(runner, runner.run())
    }

    @Test func `polls less and less often if nothing changes`() throws {
        let runner = try OrderRunner()
        let ready = """
            { "status": "ready", "identifiers": [{ "type": "dns", "value": "shop.example" }],
              "authorizations": ["https://ca.example/authz/0"], "finalize": "https://ca.example/finalize/0" }
            """
        for path in ["order/0", "finalize"] {
            runner.authority.instead += Array(repeating: (path, .json(200, ready)), count: 1000)
        }
        let start = runner.now
        // Each of these responses comes without a nonce, so a poll takes five steps.
        let failure = try #require(try runner.run(stepsMax: 2000).failure)
        #expect(failure.cause == .lost && runner.now - start > 14 * 86_400)
        #expect(runner.waitSeconds == runner.waitSeconds.sorted() && runner.waitSeconds.last == 3600)
    }

    @Test func `repeats requests that failed without a response`() throws {
        let runner = try OrderRunner()
        var session = AuthoritySession(
            try runner.authority.directory, key: runner.key, account: try address("https://ca.example/account/1"))
        var steps = OrderSteps(runner.start, isSaved: false)
        _ = steps.next(&session, now: 0)
        steps.confirmStep()
        _ = steps.next(&session, now: 0)
        for number in 1...4 {
            steps.takeFailure("connection refused", now: 0)
            let step = steps.next(&session, now: 0)
            #expect(step == .wait(until: 5 << Int64(number), .noAnswer("connection refused")))
            guard case .send = steps.next(&session, now: 5 << Int64(number)) else {
                Issue.record("the request is not repeated")
                return
            }
        }
    }

    /// The authority refuses to finalize an order twice.
    @Test(arguments: 0..<23) func `does nothing twice if a response is lost`(step: Int) throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.notReadyType = "malformed"
        oddities.reusesOrders = false
        let runner = try OrderRunner(["shop.example"], oddities)
        try expectIssued(runner, runner.run(lostAnswer: step))
    }

    @Test(arguments: [
        (403, "unauthorized", OrderFailure.Cause.account), (400, "accountDoesNotExist", .account),
        (403, "userActionRequired", .terms), (400, "rejectedIdentifier", .refused), (400, "invalidProfile", .refused),
        (403, "caa", .refused), (400, "newType", .refused),
    ])
    func `fails at once on permanent problems`(status: Int, type: String, cause: OrderFailure.Cause) throws {
        for place in ["new-order", "authz/0", "finalize"] {
            let runner = try OrderRunner()
            runner.authority.instead = [(place, .problem(status, type, "because"))]
            let failure = try #require(try runner.run().failure)
            #expect(failure.cause == cause && failure.problems.map(\.detail) == ["because"])
            #expect(failure.description == "because")
            #expect(runner.authority.world.isEmpty)
        }
    }

    @Test func `reports paused hosts with the page for unpausing them`() throws {
        let runner = try OrderRunner(replaces: "aYhba4.AIdl")
        let page = "https://portal.ca.example/unpause?jwt=a.b"
        runner.authority.instead = [("new-order", .problem(429, "rateLimited", "Paused. Please visit: \(page)"))]
        #expect(try runner.run().failure?.cause == .paused(address(page)))
    }

    @Test(arguments: ["order/0", "authz/0"]) func `reports an order as lost if the authority no longer has it`(
        place: String
    ) throws {
        let runner = try OrderRunner()
        let crash = Crash(step: 4, isAfterStep: false)
        runner.authority.instead = [(place, .problem(404, "malformed"))]
        #expect(try runner.run([crash]).failure?.cause == .lost)
    }

    @Test func `reports each host that was not validated`() throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.validHosts = ["a.example"]
        let runner = try OrderRunner(["a.example", "b.example", "c.example"], oddities)
        // The authority does not find the answers, because they are never published.
        var steps = OrderSteps(runner.start, isSaved: true)
        var session = AuthoritySession(
            try runner.authority.directory, key: runner.key, account: try address("https://ca.example/account/1"))
        var now: Int64 = 0
        for _ in 0..<100 {
            switch steps.next(&session, now: now) {
            case .send(let request): steps.take(runner.authority.answer(request), &session, now: now)
            case .wait(let until, _): now = until
            case .finished(let outcome):
                let failure = try #require(outcome.failure)
                #expect(failure.cause == .validation)
                #expect(failure.problems.map(\.host) == ["b.example", "c.example"])
                #expect(failure.problems.allSatisfy { $0.kind == .unauthorized })
                return
            default: steps.confirmStep()
            }
        }
        Issue.record("the order does not end")
    }

    @Test func `reports why an order became invalid`() throws {
        let runner = try OrderRunner()
        let order = """
            { "status": "invalid", "identifiers": [{ "type": "dns", "value": "shop.example" }], "authorizations": [],
              "finalize": "https://ca.example/finalize/0",
              "error": { "type": "urn:ietf:params:acme:error:caa", "detail": "CAA forbids it" } }
            """
        runner.authority.instead = [("finalize", .json(200, order))]
        let failure = try #require(try runner.run().failure)
        #expect(failure.cause == .refused && failure.problems.map(\.kind) == [.caa])
    }

    @Test func `fails if the authority does not offer the challenge type`() throws {
        let runner = try OrderRunner(["*.shop.example"], by: .http)
        let failure = try #require(try runner.run().failure)
        #expect(failure.cause == .refused)
        #expect(
            failure.description == "*.shop.example: the authority does not offer the challenge http-01, only dns-01")
    }

    private static func order(_ change: (String) -> String) -> AuthorityResponse {
        .json(
            201,
            change(
                """
                { "status": "pending", "identifiers": [{ "type": "dns", "value": "shop.example" }],
                  "authorizations": ["https://ca.example/authz/0"], "finalize": "https://ca.example/finalize/0" }
                """), [("Location", "https://ca.example/order/0")])
    }

    @Test(arguments: [
        .json(201, "{}"), .json(201, "[]"), order { $0.replacing("shop.example", with: "news.example") },
        order { $0.replacing("https://ca.example/authz", with: "http://ca.example/authz") },
        order { $0.replacing("https://ca.example/finalize", with: "/finalize") },
        AuthorityResponse(status: 201, fields: [("Location", "http://ca.example/order/0")], body: Array("{}".utf8)),
        order {
            $0.replacing(
                "\"https://ca.example/authz/0\"",
                with: (0...100).map { "\"https://ca.example/a/\($0)\"" }.joined(separator: ","))
        },
    ])
    func `refuses unusable orders`(response: AuthorityResponse) throws {
        let runner = try OrderRunner()
        runner.authority.instead = [("new-order", response)]
        #expect(try runner.run().failure?.cause == .unusable)
    }

    @Test(arguments: [
        #"{ "status": "pending", "identifier": { "type": "dns", "value": "news.example" }, "challenges": [] }"#,
        #"{ "status": "pending", "identifier": { "type": "dns", "value": "shop.example" }, "wildcard": true, "challenges": [] }"#,
        #"{ "status": "pending" }"#, "no JSON",
    ])
    func `answers no challenge for another host`(authorization: String) throws {
        let runner = try OrderRunner()
        runner.authority.instead = [("authz/0", .json(200, authorization))]
        #expect(try runner.run().failure?.cause == .unusable)
        #expect(!runner.steps.contains { if case .publish = $0 { true } else { false } })
    }

    @Test func `refuses a certificate for another key or other hosts`() throws {
        let other = try OrderRunner(["shop.example"])
        let chain = try #require(try other.run().chain)
        let runner = try OrderRunner(["shop.example"])
        runner.authority.instead = [("certificate", .json(200, chain.pem))]
        #expect(try runner.run().failure?.cause == .unusable)

        let issuer = try OrderRunner.issuer.get()
        let narrow = try OrderRunner(["news.example", "shop.example"])
        let request = try CertificateRequest.der(for: ["shop.example"], key: SigningKey(reading: narrow.start.key))
        narrow.authority.instead = [("certificate", .json(200, try #require(issuer.issue(request))))]
        #expect(try narrow.run().failure?.cause == .unusable)
    }

    @Test func `gives up after two weeks`() throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.polls = 100_000
        let runner = try OrderRunner(["shop.example"], oddities)
        let start = runner.now
        let failure = try #require(try runner.run(stepsMax: 2000).failure)
        #expect(failure.cause == .lost)
        #expect((14...15).contains((runner.now - start) / 86_400))
        #expect(runner.authority.world.isEmpty)
    }

    @Test func `gives up after two weeks without an order`() throws {
        let runner = try OrderRunner()
        runner.authority.instead = Array(repeating: ("/", .json(503, "down")), count: 1000)
        let start = runner.now
        let failure = try #require(try runner.run(stepsMax: 1000).failure)
        #expect(failure.cause == .lost && failure.problems.map(\.status) == [503])
        #expect((14...15).contains((runner.now - start) / 86_400))
    }

    @Test func `fails if the authority replaces its challenges again and again`() throws {
        let runner = try OrderRunner()
        for number in 0..<1000 {
            let challenge =
                #"{"type": "http-01", "url": "https://ca.example/challenge/\#(number)", "status": "pending", "token": "token-of-this-round-\#(number)"}"#
            let authorization =
                #"{"status": "pending", "identifier": {"value": "shop.example"}, "challenges": [\#(challenge)]}"#
            runner.authority.instead += [("authz", .json(200, authorization)), ("challenge", .json(200, "{}"))]
        }
        #expect(try runner.run(stepsMax: 5000).failure?.cause == .unusable)
        #expect(runner.authority.world.isEmpty)
    }

    @Test func `fails without an account`() throws {
        let runner = try OrderRunner()
        var session = AuthoritySession(try runner.authority.directory, key: runner.key)
        var steps = OrderSteps(runner.start, isSaved: false)
        _ = steps.next(&session, now: 0)
        steps.confirmStep()
        guard case .send(let request) = steps.next(&session, now: 0), request.method == .head else {
            Issue.record("no nonce is requested")
            return
        }
        steps.take(runner.authority.answer(request), &session, now: 0)
        guard case .finished(.failed(let failure)) = steps.next(&session, now: 0) else {
            Issue.record("the order continues")
            return
        }
        #expect(failure.cause == .account)
    }

    @Test func `ignores an unexpected response`() throws {
        let runner = try OrderRunner()
        var session = AuthoritySession(
            try runner.authority.directory, key: runner.key, account: try address("https://ca.example/account/1"))
        var steps = OrderSteps(runner.start, isSaved: false)
        steps.take(.problem(403, "unauthorized"), &session, now: 7)
        var journal = runner.start
        journal.requestedAt = 7
        #expect(steps.next(&session, now: 7) == .save(journal))
    }
}
