// Who owns a host.

import Database
import HTTP
import SourceJSON
import Store
import Testing

@testable import DatabaseSupport
@testable import Publishing
@testable import Service

struct HostOwnershipTests {
    @Test(
        arguments: [
            ("a.test", "a.test", true), ("a.test", "b.test", false), ("shop.a.test", "a.test", true),
            ("shop.a.test", "*.a.test", true), ("a.b.a.test", "*.a.test", true), ("a.test", "shop.a.test", false),
            ("*.a.test", "shop.a.test", true), ("*.a.test", "x.y.a.test", true), ("*.a.test", "a.test", true),
            ("a.test", "*.a.test", true), ("xa.test", "a.test", false), ("*.a.test", "xa.test", false),
        ] as [(String, String, Bool)])
    func `an owned host keeps these from others`(owned: String, wanted: String, isExcluded: Bool) throws {
        #expect(HostOwnership.excludes(owned, wanted) == isExcluded)
        // The search in the store finds the same.
        let rig = try PublishingRig(tenants: ["acme", "other"])
        try rig.own(owned, by: "other")
        let admin = try rig.token()
        let answer = try rig.ask(.put, "/api/v1/tenants/acme/hosts/\(wanted)", admin, "{ \"proof\": \"operator\" }")
        #expect((answer.status == 409) == isExcluded, "\(answer.value)")
        #expect(!isExcluded || answer["detail"]?.contains("other") == true)
    }

    private static let day = HostOwnership.checkMilliseconds

    @Test(
        arguments: [
            (.pending, true, 0, .owned), (.pending, false, 0, .pending), (.pending, nil, 0, .pending),
            (.owned, false, 6 * day, .owned), (.owned, false, 8 * day, .lapsed), (.owned, nil, 30 * day, .owned),
            (.lapsed, true, 0, .owned), (.lapsed, false, 0, .lapsed), (.lapsed, nil, 0, .lapsed),
        ] as [(HostOwnership.State, Bool?, Int64, HostOwnership.State)])
    func `a missing record ends a claim after a week`(
        before: HostOwnership.State, found: Bool?, age: Int64, after: HostOwnership.State
    ) {
        var claim = HostOwnership("a.test", of: "acme", proof: .dns, created: 0)
        (claim.state, claim.verified) = (before, 1_000)
        #expect(claim.next(found: found, now: 1_000 + age) == after)
        claim.proof = .operator
        #expect(claim.next(found: found, now: 1_000 + age) == before)
    }

    @Test(arguments: TestEngine.available)
    func `a host is proved by its record, and given up`(engine: TestEngine) throws {
        let rig = try PublishingRig(engine, tenants: ["acme", "other"])
        let token = try rig.token(["hosts", "publish"], tenant: "acme")
        let rival = try rig.token(["hosts"], tenant: "other")
        let path = "/api/v1/tenants/acme/hosts/Shop.ACME.test"
        let claim = try rig.ask(.put, path, token, "{}")
        let record = try #require(claim.value.member(named: "record")?.member(named: "value")?.asString)
        #expect(claim["state"] == "pending" && claim["host"] == "shop.acme.test")
        #expect(try rig.ask(.put, path, token, "{ \"proof\": \"operator\" }").status == 403)
        #expect(try rig.ask(.put, "/api/v1/tenants/other/hosts/shop.acme.test", rival, "{}").status == 200)
        let absent = try rig.ask(.post, "\(path):check", token)
        #expect(absent["state"] == "pending" && absent["problem"] == "_associated.shop.acme.test has no TXT record")
        rig.texts.set("_associated.shop.acme.test", "associated=wrong")
        #expect(
            try rig.ask(.post, "\(path):check", token)["problem"]?.contains("another text: associated=wrong") == true)
        // An operator who vouches for it needs no record.
        let operatorToken = try rig.token(["admin"])
        let other = "/api/v1/tenants/acme/hosts/vouched.acme.test"
        _ = try rig.ask(.put, other, token, "{}")
        #expect(try rig.ask(.post, "\(other):check", token)["problem"] != nil)
        let vouched = try rig.ask(.put, other, operatorToken, "{ \"proof\": \"operator\" }")
        #expect(vouched["state"] == "owned" && vouched["problem"] == nil)
        rig.texts.set("_associated.shop.acme.test", record)
        #expect(try rig.ask(.post, "\(path):check", token)["state"] == "owned")
        // The claim of the other is still there, and cannot be proved.
        #expect(try rig.ask(.put, "/api/v1/tenants/other/hosts/shop.acme.test", rival, "{}").status == 409)
        let body = PublishingRig.release(base: 0, [("shop.json", PublishingRig.app())])
        #expect(try rig.post("acme/releases", token, body).status == 201)
        #expect(try rig.ask(.delete, path, token).problem == "state")
        let empty = PublishingRig.release(base: 1, [("shop.json", nil)])
        #expect(try rig.post("acme/releases", token, empty).status == 201)
        #expect(try rig.ask(.delete, path, token).status == 204)
        #expect(try rig.ask(.get, "/ask?domain=shop.acme.test", nil).status == 404)
    }

    @Test(arguments: TestEngine.available)
    func `of two who prove a host at once, one owns it`(engine: TestEngine) async throws {
        let rig = try PublishingRig(engine, tenants: ["acme", "other"])
        let admin = try rig.token()
        let paths = ["acme", "other"].map { "/api/v1/tenants/\($0)/hosts/shop.acme.test" }
        let records = try paths.map {
            try rig.ask(.put, $0, admin, "{}").value.member(named: "record")?.member(named: "value")?.asString
        }
        rig.texts.set("_associated.shop.acme.test", records[0], records[1])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for path in paths { group.addTask { try rig.ask(.post, "\(path):check", admin).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409])
        #expect(try rig.query("select 1 from claim where state = 'owned'").count == 1)
    }

    @Test func `a host stays owned while its release is live, by whatever claim`() throws {
        let rig = try PublishingRig()
        try rig.own("*.acme.test")
        let token = try rig.token(["hosts", "publish"], tenant: "acme")
        let body = PublishingRig.release(base: 0, [("shop.json", PublishingRig.app())])
        #expect(try rig.post("acme/releases", token, body).status == 201)
        let wide = "/api/v1/tenants/acme/hosts/*.acme.test"
        #expect(try rig.ask(.delete, wide, token).problem == "state")
        #expect(try rig.query("select 1 from claim").count == 1)
        try rig.own("shop.acme.test")
        #expect(try rig.ask(.delete, wide, token).status == 204)
    }

    @Test func `a host that another owns below it ends no claim`() throws {
        let rig = try PublishingRig(tenants: ["acme", "other"])
        let token = try rig.token(["hosts"], tenant: "acme")
        let path = "/api/v1/tenants/acme/hosts/acme.test"
        let record = try rig.ask(.put, path, token, "{}").value.member(named: "record")?.member(named: "value")
        rig.texts.set("_associated.acme.test", record?.asString)
        #expect(try rig.ask(.post, "\(path):check", token)["state"] == "owned")
        let admin = try rig.token()
        let below = "/api/v1/tenants/other/hosts/shop.acme.test"
        #expect(try rig.ask(.put, below, admin, "{ \"proof\": \"operator\" }").status == 200)
        try rig.execute("update claim set checked = 0")
        try rig.publisher.tick { _ in }
        #expect(try rig.ask(.put, path, token, "{}")["state"] == "owned")
        #expect(try rig.query("select 1 from claim where tenant = 'acme' and checked > 0").count == 1)
    }

    @Test func `the daily look ends claims that are no longer proved, and passes the host on`() throws {
        let rig = try PublishingRig(tenants: ["acme", "other"])
        let token = try rig.token(["hosts"], tenant: "acme")
        let path = "/api/v1/tenants/acme/hosts/shop.acme.test"
        let claim = try rig.ask(.put, path, token, "{}")
        let text = claim.value.member(named: "record")?.member(named: "value")?.asString
        rig.texts.set("_associated.shop.acme.test", text)
        #expect(try rig.ask(.post, "\(path):check", token)["state"] == "owned")
        try rig.publisher.refresh()
        #expect(rig.publisher.knows("shop.acme.test"))
        try rig.texts.fail("_associated.shop.acme.test")
        try rig.execute("update claim set checked = 0, verified = 1")
        var lines: [String] = []
        try rig.publisher.tick { lines.append($0) }
        #expect(lines.isEmpty, "name servers that do not answer say nothing")
        rig.texts.set("_associated.shop.acme.test", nil)
        try rig.execute("update claim set checked = 0")
        try rig.publisher.tick { lines.append($0) }
        #expect(lines == ["acme no longer proves that it owns shop.acme.test"])
        try rig.publisher.refresh()
        #expect(!rig.publisher.knows("shop.acme.test"))
        let rival = try rig.token(["hosts"], tenant: "other")
        let other = try rig.ask(.put, "/api/v1/tenants/other/hosts/shop.acme.test", rival, "{}")
        rig.texts.set(
            "_associated.shop.acme.test", other.value.member(named: "record")?.member(named: "value")?.asString)
        #expect(try rig.ask(.post, "/api/v1/tenants/other/hosts/shop.acme.test:check", rival)["state"] == "owned")
    }

    @Test(arguments: ["a..b", "-a.test", "127.0.0.1", "a.test/", "%2e%2e"])
    func `what is no host name cannot be claimed`(host: String) throws {
        let rig = try PublishingRig()
        let token = try rig.token(["hosts"], tenant: "acme")
        #expect(try rig.ask(.put, "/api/v1/tenants/acme/hosts/\(host)", token, "{}").status >= 400)
        #expect(try rig.query("select 1 from claim").isEmpty)
    }
}
