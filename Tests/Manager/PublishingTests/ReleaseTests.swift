// Releases from the request to the row: what is stored, what is refused, and in which state it ends.

import Database
import HTTP
import Posix
import SourceJSON
import Store
import Synchronization
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Publishing
@testable import Service

struct ReleaseTests {
    @Test func `a release goes from one state to another only in these ways`() {
        let ways: [(ReleaseState, ReleaseState.Event, Bool, ReleaseState)] = [
            (.proposed, .approved, false, .live), (.proposed, .approved, true, .scheduled),
            (.scheduled, .due, false, .live), (.scheduled, .due, true, .live),
            (.proposed, .refused, false, .rejected), (.proposed, .refused, true, .rejected),
            (.scheduled, .refused, false, .rejected), (.scheduled, .refused, true, .rejected),
            (.live, .replaced, false, .superseded), (.live, .replaced, true, .superseded),
        ]
        for state in ReleaseState.allCases {
            for event in ReleaseState.Event.allCases {
                for isLater in [false, true] {
                    let expected = ways.first { $0.0 == state && $0.1 == event && $0.2 == isLater }?.3
                    #expect(state.next(event, isLater: isLater) == expected, "\(state) \(event) \(isLater)")
                }
            }
        }
    }

    private typealias Rig = PublishingRig

    @Test(arguments: TestEngine.available)
    func `a release is live, then superseded, and can be published again`(engine: TestEngine) throws {
        let rig = try Rig(engine)
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read", "retire"], tenant: "acme")
        let first = try rig.post(
            "acme/releases", token, Rig.release(base: 0, [("shop.json", Rig.app())], ", \"message\": \"first\""))
        #expect(first.status == 201 && first["state"] == "live" && first.number == 1 && first["message"] == "first")
        #expect(first.fields.contains("location: /api/v1/tenants/acme/releases/1\r\n"))
        let second = try rig.post(
            "acme/releases", token, Rig.release(base: 1, [("shop.json", Rig.app(path: "/new/*"))]))
        #expect(second.status == 201 && second.number == 2)
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "superseded")
        let text = try rig.ask(.get, "/api/v1/tenants/acme/releases/1/apps/shop.json", token)
        #expect(text.fields.contains("etag: \"\(ReleaseContent.digest(Array(Rig.app().utf8)))\""))
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1/apps/none.json", token).status == 404)
        let difference = second.value.member(named: "difference")
        #expect(difference?.member(named: "stops")?.asArray?.count == 1)
        #expect(difference?.member(named: "opens")?.asArray?.count == 1)
        let back = try rig.post("acme/releases/1:rollback", token)
        #expect(back.status == 201 && back.number == 3 && back["source"] == "rollback to 1")
        #expect(try rig.query("select live from tenant").first?.values == [.integer(3)])
        let match = try rig.ask(.get, "/api/v1/tenants/acme/match?url=https://shop.acme.test/products/1", token)
        #expect(match.status == 200 && "\(match.value)".contains("8KQ2V7M4XN.dev.acme.shop"))
        // Equal texts are stored once.
        #expect(try rig.query("select 1 from blob").count == 2)
        let list = try rig.ask(.get, "/api/v1/tenants/acme/releases?before=3", token)
        #expect(list.value.member(named: "items")?.asArray?.compactMap { $0.member(named: "number")?.asInt } == [2, 1])
    }

    /// What is refused, and leaves nothing behind.
    @Test(
        arguments: [
            (Rig.release(base: 7, [("shop.json", Rig.app())]), 409, "base"),
            (Rig.release(base: 0, [("shop.json", "{ name: ")]), 422, "findings"),
            (Rig.release(base: 0, [("shop.json", Rig.app(hosts: ["other.test"]))]), 422, "unclaimed"),
            (Rig.release(base: 0, []), 409, "state"), (Rig.release(base: 0, [("../x.json", "{}")]), 400, "invalid"),
            (Rig.release(base: 0, [("x.txt", "{}")]), 400, "invalid"),
            (Rig.release(base: 0, [(".x.json", "{}")]), 400, "invalid"),
            (Rig.release(base: 0, [("shop.json", Rig.app())], ", \"retire\": true"), 403, "forbidden"),
            (Rig.release(base: 0, [], ", \"publishAt\": \"tomorrow\""), 400, "invalid"), ("{}", 400, "invalid"),
            (
                Rig.release(base: 0, [("shop.json", Rig.app())], ", \"publishAt\": \"2001-01-01T00:00:00Z\""), 400,
                "invalid"
            ),
            (Rig.release(base: 0, [], ", \"publishAt\": \"2199-01-01T00:00:00+24:00\""), 400, "invalid"),
            (Rig.release(base: 0, [], ", \"publishAt\": \"2199-01-01T00:00:00-01:60\""), 400, "invalid"),
            (Rig.release(base: 0, [], ", \"publishAt\": \"2026-02-30T00:00:00Z\""), 400, "invalid"),
            (Rig.release(base: 0, [], ", \"publishAt\": \"9999-12-31T23:59:60Z\""), 400, "invalid"),
            ("[]", 400, "invalid"), ("{ \"base\": 0, \"changes\": {}, \"chnages\": {} }", 400, "invalid"),
            ("{ \"base\": 0, \"base\": 0, \"changes\": {} }", 400, "invalid"),
            ("{ \"base\": -1, \"changes\": {} }", 400, "invalid"),
            ("{ \"base\": 0, \"changes\": { \"a.json\": 1 } }", 400, "invalid"),
            (String(repeating: "[", count: 10_000), 400, "invalid"),
            (Rig.release(base: 0, (0..<257).map { ("f\($0).json", "{}") }), 413, "too-large"),
            (Rig.release(base: 0, [("big.json", String(repeating: " ", count: 1 << 20) + "{}")]), 413, "too-large"),
        ] as [(String, Int, String)])
    func `what cannot be published leaves nothing behind`(body: String, status: Int, problem: String) throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        let entries = try rig.query("select 1 from audit").count
        let answer = try rig.post("acme/releases", token, body)
        #expect(answer.status == status && answer.problem == problem, "\(answer.value)")
        #expect(answer.fields.contains("content-type: application/problem+json\r\n"))
        #expect(try rig.query("select 1 from release").isEmpty && rig.query("select 1 from blob").isEmpty)
        #expect(try rig.query("select 1 from audit").count == entries)
    }

    @Test func `a link is not matched against rules that would take long`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let long = Rig.app() + "\n//" + String(repeating: " ", count: 900_000)
        #expect(try rig.post("acme/releases", token, Rig.release(base: 0, [("shop.json", long)])).status == 201)
        func status(_ count: Int) throws -> Int {
            let url = "https://shop.acme.test/" + String(repeating: "a", count: count)
            return try rig.ask(.get, "/api/v1/tenants/acme/match?url=\(url)", token).status
        }
        #expect(try status(10) == 200 && status(200) == 413)
    }

    @Test func `what is wrong between two files of a release is found before it is live`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test", "b.acme.test")
        let token = try rig.token(["publish", "check"], tenant: "acme")
        let hosts = ["shop.acme.test", "b.acme.test"]
        #expect(
            try rig.post("acme/releases", token, Rig.release(base: 0, [("a.json", Rig.app(hosts: hosts))])).status
                == 201)
        // The same app again, with other rules: phones with two entries for it are undefined.
        let second = Rig.release(base: 1, [("b.json", Rig.app(hosts: hosts, path: "/z/*"))])
        for path in ["acme/releases:check", "acme/releases"] {
            let answer = try rig.post(path, token, second)
            let rules = answer.value.member(named: "findings")?.asArray?.compactMap {
                $0.member(named: "rule")?.asString
            }
            #expect(rules?.filter { $0 == "APP-038" }.count == 1, "\(path): \(answer.value)")
        }
        let other = Rig.release(base: 2, [("b.json", Rig.app("dev.acme.other", hosts: hosts, path: "/z/*"))])
        let fine = try rig.post("acme/releases:check", token, other)
        #expect(fine.value.member(named: "findings")?.asArray?.isEmpty == true, "\(fine.value)")
    }

    @Test func `what phones rely on goes only if it is meant to, or is a day old at most`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test", "old.acme.test")
        let token = try rig.token(["publish", "check"], tenant: "acme")
        let strong = try rig.token(["publish", "retire"], tenant: "acme")
        let both = Rig.app(hosts: ["shop.acme.test", "old.acme.test"])
        #expect(try rig.post("acme/releases", token, Rig.release(base: 0, [("shop.json", both)])).status == 201)
        // A mistake of today.
        let undone = try rig.post("acme/releases", token, Rig.release(base: 1, [("shop.json", Rig.app())]))
        #expect(undone.status == 201, "\(undone.value)")
        #expect(try rig.post("acme/releases/1:rollback", token).status == 201)
        try rig.execute("update release set live_at = live_at - 90000000, created = created - 90000000")
        let body = { (more: String) in Rig.release(base: 3, [("shop.json", Rig.app())], more) }
        for path in ["acme/releases", "acme/releases:check"] {
            let held = try rig.post(path, token, body(""))
            #expect(held.status == 423 && held.problem == "removal-guard")
            let losses = held.value.member(named: "difference")?.member(named: "guard")?.asArray
            #expect(losses?.first?.member(named: "removes")?.asString?.contains("old.acme.test") == true)
        }
        #expect(try rig.post("acme/releases/2:rollback", token).status == 423)
        // What a file says of itself is no consent.
        for more in ["guard: \"off\"", "retired: { hosts: [\"old.acme.test\"] }"] {
            let text = "{ \(more), " + Rig.app().dropFirst()
            #expect(try rig.post("acme/releases", token, Rig.release(base: 3, [("shop.json", text)])).status == 423)
        }
        #expect(try rig.post("acme/releases", strong, body(", \"retire\": true")).status == 201)
    }

    @Test func `an approval is by another, and of what is still right`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let admin = try rig.token()
        #expect(try rig.ask(.put, "/api/v1/tenants/acme", admin, "{ \"approval\": true }").status == 200)
        #expect(try rig.ask(.put, "/api/v1/tenants/acme", admin, "{}").value.member(named: "approval")?.asBool == true)
        let author = try rig.token(["publish", "approve"], tenant: "acme")
        let other = try rig.token(["approve"], tenant: "acme")
        let release = try rig.post("acme/releases", author, Rig.release(base: 0, [("shop.json", Rig.app())]))
        #expect(release["state"] == "proposed")
        #expect(try rig.query("select live from tenant").first?.values == [.integer(0)])
        #expect(try rig.post("acme/releases/1:approve", author).problem == "state")
        let maker = try rig.token(["publish", "approve", "tokens"], tenant: "acme")
        let own = try rig.post("acme/releases", maker, Rig.release(base: 0, [("shop.json", Rig.app(path: "/own"))]))
        let scopes = "{ \"scopes\": [\"approve\", \"tokens\"] }"
        let child = try #require(try rig.post("acme/tokens", maker, scopes)["token"])
        let grandchild = try #require(try rig.post("acme/tokens", child, "{ \"scopes\": [\"approve\"] }")["token"])
        for token in [child, grandchild] {
            #expect(try rig.post("acme/releases/\(own.number):approve", token).problem == "state")
        }
        let stale = try rig.post("acme/releases", author, Rig.release(base: 0, [("shop.json", Rig.app(path: "/b"))]))
        #expect(try rig.post("acme/releases/1:approve", other)["state"] == "live")
        #expect(try rig.post("acme/releases/1:approve", other).problem == "state")
        // Made from what is no longer live.
        #expect(try rig.post("acme/releases/\(stale.number):approve", other).problem == "base")
        let refused = try rig.post("acme/releases/\(stale.number):reject", other, "{ \"reason\": \"no\" }")
        #expect(refused["state"] == "rejected" && refused["reason"] == "no")
        #expect(try rig.post("acme/releases/\(stale.number):approve", other).problem == "state")
    }

    @Test func `a scheduled release goes live at its time, or says why not`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let later = ", \"publishAt\": \"2199-01-01T00:00:00Z\""
        let first = try rig.post("acme/releases", token, Rig.release(base: 0, [("shop.json", Rig.app())], later))
        let second = try rig.post(
            "acme/releases", token, Rig.release(base: 0, [("shop.json", Rig.app(path: "/b"))], later))
        #expect(first["state"] == "scheduled" && second["state"] == "scheduled")
        var lines: [String] = []
        try rig.publisher.tick { lines.append($0) }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "scheduled")
        // The clock jumps.
        try rig.execute("update release set publish_at = number")
        try rig.publisher.tick { lines.append($0) }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "live")
        let lost = try rig.ask(.get, "/api/v1/tenants/acme/releases/2", token)
        #expect(lost["state"] == "rejected" && lost["reason"] == "release 1 is live")
        #expect(lines == ["release 2 of acme did not go live: release 1 is live"])
        // A time that has just passed is now.
        let now = HTTPDate.timestamp(Clock.wallSeconds() - 60)
        let third = try rig.post(
            "acme/releases", token,
            Rig.release(base: 1, [("shop.json", Rig.app(path: "/c"))], ", \"publishAt\": \"\(now)\""))
        #expect(third["state"] == "live")
    }

    @Test func `a scheduled release waits while another of its tenant is being compared`() throws {
        let rig = try PublishingRig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let body = Rig.release(base: 0, [("shop.json", Rig.app())], ", \"publishAt\": \"2199-01-01T00:00:00Z\"")
        #expect(try rig.post("acme/releases", token, body)["state"] == "scheduled")
        try rig.execute("update release set publish_at = 1")
        try rig.publisher.turns.begin("acme", waits: false)
        try rig.publisher.tick { _ in }
        rig.publisher.turns.end("acme", began: Clock.monotonicMilliseconds())
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "scheduled")
        try rig.publisher.tick { _ in }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "live")
    }

    @Test func `a tenant whose comparison took long waits before the next one, and nobody else does`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["check"], tenant: "acme")
        try rig.publisher.turns.begin("acme", waits: false)
        rig.publisher.turns.end("acme", began: Clock.monotonicMilliseconds() - 60_000)
        let body = Rig.release(base: 0, [("shop.json", Rig.app())])
        let refused = try rig.post("acme/releases:check", token, body)
        #expect(refused.status == 429 && refused["detail"]?.contains("the last comparison took long") == true)
        // Not what was scheduled, and not another tenant.
        try rig.publisher.turns.begin("acme", waits: false)
        try rig.publisher.turns.begin("rival", waits: true)
    }

    @Test func `a release that was scheduled before releases need an approval does not go live without one`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let body = Rig.release(base: 0, [("shop.json", Rig.app())], ", \"publishAt\": \"2199-01-01T00:00:00Z\"")
        #expect(try rig.post("acme/releases", token, body)["state"] == "scheduled")
        try rig.execute("update tenant set approval = 1")
        try rig.execute("update release set publish_at = 1")
        try rig.publisher.tick { _ in }
        let release = try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)
        #expect(release["state"] == "rejected" && release["reason"]?.contains("need an approval") == true)
    }

    @Test func `a release is checked again when it goes live`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let body = Rig.release(base: 0, [("shop.json", Rig.app())], ", \"publishAt\": \"2199-01-01T00:00:00Z\"")
        #expect(try rig.post("acme/releases", token, body)["state"] == "scheduled")
        try rig.execute("delete from claim")
        try rig.execute("update release set publish_at = 1")
        try rig.publisher.tick { _ in }
        let release = try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)
        #expect(release["state"] == "rejected" && release["reason"]?.contains("does not own shop.acme.test") == true)
    }

    @Test(arguments: TestEngine.available)
    func `of those who publish at once, one wins and the others learn its number`(engine: TestEngine) async throws {
        let rig = try Rig(engine)
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        let answers = try await withThrowingTaskGroup(of: PublishingRig.Answer.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try rig.post(
                        "acme/releases", token, Rig.release(base: 0, [("shop.json", Rig.app(path: "/\(number)"))]))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 201 }.count == 1)
        let others = answers.filter { $0.status != 201 }
        #expect(others.allSatisfy { $0.problem == "base" && $0.value.member(named: "live")?.asInt == 1 })
        #expect(try rig.query("select 1 from release").count == 1)
    }

    @Test func `one file is changed by its ETag`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        let path = "/api/v1/tenants/acme/apps/shop.json"
        func put(_ text: String, _ lines: [String]) throws -> PublishingRig.Answer {
            try rig.ask(.put, path, token, text, lines: lines)
        }
        #expect(try put(Rig.app(), []).status == 428)
        #expect(try put(Rig.app(), ["If-Match: \"x\""]).status == 412)
        #expect(try put(Rig.app(), ["If-None-Match: *"]).status == 201)
        #expect(try put(Rig.app(), ["If-None-Match: *"]).status == 412)
        let tag = ReleaseContent.digest(Array(Rig.app().utf8))
        #expect(try rig.ask(.get, path, token).fields.contains("etag: \"\(tag)\"\r\n"))
        #expect(try put(Rig.app(path: "/b"), ["If-Match: \"\(tag)\""]).status == 201)
        #expect(try rig.ask(.delete, path, token, lines: ["If-Match: \"\(tag)\""]).status == 412)
    }

    @Test func `a live release says which of the hosts that it has changed Apple has`() throws {
        let rig = try Rig()
        for host in ["a.test", "b.test", "*.w.test"] { try rig.own(host) }
        let token = try rig.token()
        func publish(_ base: Int, _ name: String, _ text: String) throws {
            let answer = try rig.post("acme/releases", token, Rig.release(base: base, [(name, text)]))
            #expect(answer.status == 201, "\(answer.value)")
        }
        func apple(_ number: Int) throws -> SourceValue? {
            try rig.ask(.get, "/api/v1/tenants/acme/releases/\(number)", token).value.member(named: "apple")
        }
        func hosts(_ number: Int) throws -> [String] {
            try apple(number)?.member(named: "missing")?.asArray?.compactMap { $0.member(named: "host")?.asString }
                ?? []
        }
        rig.copies.states.withLock { $0 = ["a.test": "unknown", "b.test": "older"] }
        let both = Rig.app(hosts: ["a.test", "b.test", "*.w.test"])
        try publish(0, "both.json", both)
        #expect(try hosts(1) == ["a.test", "b.test"])
        rig.copies.states.withLock { $0["a.test"] = "equal" }
        #expect(try hosts(1) == ["b.test"] && apple(1)?.member(named: "equal")?.asInt == 1)
        let detail = try apple(1)?.member(named: "missing")?.asArray?.first?.member(named: "detail")?.asString
        #expect(detail == "since true")
        // One more app on one host.
        try publish(1, "more.json", Rig.app("dev.acme.more", hosts: ["b.test"], path: "/b"))
        #expect(try hosts(2) == ["b.test"])
        #expect(try apple(1)?.asObject == nil, "it is not live any more")
        // A comment is nothing to Apple.
        try publish(2, "both.json", "// why\n\(both)")
        #expect(try hosts(3) == [] && apple(3)?.member(named: "equal")?.asInt == 0)
    }

    @Test func `receivers of messages are told what becomes of releases and hosts`() throws {
        let rig = try Rig()
        let admin = try rig.token()
        let host = "/api/v1/tenants/acme/hosts/shop.acme.test"
        #expect(try rig.ask(.put, host, admin, "{}")["state"] == "pending")
        #expect(try rig.ask(.put, host, admin, "{ \"proof\": \"operator\" }")["state"] == "owned")
        let first = Rig.release(base: 0, [("shop.json", Rig.app())], ", \"message\": \"first\"")
        #expect(try rig.post("acme/releases", admin, first).status == 201)
        let later = Rig.release(
            base: 1, [("shop.json", Rig.app(path: "/b"))], ", \"publishAt\": \"2099-01-01T00:00:00Z\"")
        #expect(try rig.post("acme/releases", admin, later)["state"] == "scheduled")
        #expect(try rig.post("acme/releases/2:reject", admin, "{ \"reason\": \"no\" }")["state"] == "rejected")
        try rig.execute("update tenant set approval = 1")
        let third = Rig.release(base: 1, [("shop.json", Rig.app(path: "/c"))])
        #expect(try rig.post("acme/releases", admin, third)["state"] == "proposed")
        let bodies = try rig.query("select journal from work where kind = 'webhook/test'").map { row -> String in
            let body: String = try row[0]
            return body.replacing(/"timestamp":"20[0-9-]{8}T[0-9:]{8}Z",/, with: "")
        }
        let actor = try rig.query("select author from release where number = 1")[0].values[0]
        guard case .text(let name) = actor else { return }
        func body(_ type: String, _ object: String, _ detail: String) -> String {
            #"{"type":"\#(type)","data":{"tenant":"acme",\#(object),"actor":"\#(name)","detail":"\#(detail)"}}"#
        }
        #expect(
            bodies.sorted() == [
                body("host.owned", #""host":"shop.acme.test""#, "operator"),
                body("release.live", #""release":1"#, "first"), body("release.proposed", #""release":3"#, ""),
                body("release.rejected", #""release":2"#, "no"), body("release.scheduled", #""release":2"#, ""),
            ])
    }

    @Test func `old releases are removed with their texts, and live ones never`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        // The first is old by its number and its time, the second only by its time.
        for (number, step) in [0, Release.keptCount, Release.keptCount - 2].enumerated() {
            try rig.execute("update release set created = 1")
            try rig.execute("update tenant set last = last + ? where name = 'acme'", step)
            let base = try rig.query("select live from tenant")[0].values[0]
            guard case .integer(let live) = base else { return }
            let body = Rig.release(base: Int(live), [("shop.json", Rig.app(path: "/\(number)"))])
            #expect(try rig.post("acme/releases", token, body).status == 201)
        }
        #expect(
            try rig.query("select number from release order by number").map(\.values) == [
                [.integer(102)], [.integer(201)],
            ])
        #expect(try rig.query("select 1 from blob").count == 2)
    }

    private func publish(_ rig: Rig, _ token: String, path: String, _ more: String = "") throws -> Rig.Answer {
        let live: Int64 = try rig.query("select live from tenant")[0][0]
        let files = [("fixed.json", Rig.app("dev.acme.fixed")), ("shop.json", Rig.app(path: path))]
        return try rig.post("acme/releases", token, Rig.release(base: Int(live), files, more))
    }

    @Test(arguments: TestEngine.available)
    func `the oldest releases are removed when there are too many bytes, and live and open ones never`(
        engine: TestEngine
    ) throws {
        let rig = try Rig(engine)
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        for number in 1...4 { #expect(try publish(rig, token, path: "/\(number)").status == 201) }
        #expect(
            try publish(rig, token, path: "/later", ", \"publishAt\": \"2099-01-01T00:00:00Z\"")["state"] == "scheduled"
        )
        let sizes = try rig.query("select bytes from release order by number").map { row -> Int64 in try row[0] }
        let text = Int64(Rig.app().utf8.count)
        #expect(sizes[0] > 2 * text && sizes[1] > text && sizes[0] - sizes[1] >= text, "\(sizes)")
        // The releases 4 and 3 have as much as may be kept, and 2 is beyond it.
        try rig.execute("update release set bytes = ? where number > 2", Release.keptBytes / 2)
        try rig.execute("update release set bytes = ? where number = 5", 2 * Release.keptBytes)
        #expect(try publish(rig, token, path: "/6").status == 201)
        func numbers() throws -> [Int64] {
            try rig.query("select number from release order by number").map { row in try row[0] }
        }
        #expect(try numbers() == [3, 4, 5, 6])
        try rig.execute("update release set bytes = ?", Release.keptBytes)
        #expect(try publish(rig, token, path: "/7").status == 201)
        #expect(try numbers() == [5, 6, 7])
        #expect(try rig.query("select 1 from blob").count == 4)
        #expect(try rig.query("select 1 from release_file").count == 6)
    }

    @Test func `releases that wait have a bound`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        let later = ", \"publishAt\": \"2099-01-01T00:00:00Z\""
        #expect(try publish(rig, token, path: "/1", later).status == 201)
        try rig.execute("update release set bytes = ?", Release.keptBytes)
        #expect(try publish(rig, token, path: "/2", later).status == 201)
        #expect(try publish(rig, token, path: "/3", later).problem == "too-large")
        #expect(try publish(rig, token, path: "/4")["state"] == "live")
    }

    /// Otherwise whoever may publish, and not retire, could push out what says how old something is.
    @Test func `if it is not known what was live a day ago, everything is guarded`() throws {
        let rig = try Rig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish"], tenant: "acme")
        for number in 1...3 { #expect(try publish(rig, token, path: "/\(number)").status == 201) }
        func loss() throws -> Int {
            try rig.post("acme/releases:check", rig.token(), Rig.release(base: 3, [("shop.json", nil)])).status
        }
        #expect(try loss() == 200, "a mistake of today is undone")
        // The second went live two days ago, and the third today.
        try rig.execute("update release set live_at = live_at - 172800000 where number < 3")
        try rig.execute("update release set ended_at = ended_at - 172800000 where number = 1")
        #expect(try loss() == 423)
        try rig.execute("delete from release where number = 2")
        #expect(try loss() == 423, "the second is unknown")
        try rig.execute("delete from release where number = 1")
        #expect(try loss() == 423, "nothing is known")
    }
}
