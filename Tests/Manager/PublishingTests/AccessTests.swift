// Who may do what: every route with every kind of token, and tokens that are none.

import Database
import HTTP
import SourceJSON
import Store
import Testing

@testable import DatabaseSupport
@testable import Publishing
@testable import Service

struct AccessTests {
    /// A path of a route, with what exists in the rig.
    private static func path(_ route: APIRoute, _ tenant: String) -> String {
        let names = ["TENANT": tenant, "NAME": "shop.json", "NUMBER": "1", "HOST": "shop.acme.test", "ID": "0"]
        let parts = route.pattern.split(separator: "/").map { segment in
            let name = segment.prefix { $0 != ":" }
            return (names[String(name)] ?? String(name)) + segment[name.endIndex...]
        }
        return PublishingAPI.base + "/" + parts.joined(separator: "/")
    }

    private func ask(_ rig: PublishingRig, _ route: APIRoute, _ tenant: String, _ token: String?) throws -> Int {
        let query = route.query.filter(\.isRequired).map { "?\($0.name)=https://shop.acme.test/" }.joined()
        return try rig.ask(route.method, AccessTests.path(route, tenant) + query, token, route.body == nil ? nil : "{}")
            .status
    }

    @Test func `every route asks for its scope, and for its tenant`() throws {
        let rig = try PublishingRig(tenants: ["acme", "other"])
        var tokens: [String: String] = [:]
        for scope in Scope.published { tokens[scope] = try rig.token([scope], tenant: "acme") }
        for route in PublishingAPI.all {
            guard let scope = route.scope else {
                #expect(try ask(rig, route, "acme", nil) < 400)
                continue
            }
            #expect(try ask(rig, route, "acme", nil) == 401, "\(route.pattern)")
            for (name, token) in tokens {
                let status = try ask(rig, route, "acme", token)
                let isAllowed = name == scope || name == "admin"
                #expect(
                    (status == 403) == !isAllowed,
                    "\(route.method) \(route.pattern) by \(name): \(status)")
                if route.rows == .tenant, isAllowed {
                    // Nobody learns what another tenant has, or that there is one.
                    #expect(try ask(rig, route, "other", token) == 404, "\(route.pattern)")
                    #expect(try ask(rig, route, "nobody", token) == 404, "\(route.pattern)")
                }
            }
        }
    }

    @Test func `rows of another tenant are in no list`() throws {
        let rig = try PublishingRig(tenants: ["acme", "other"])
        let token = try rig.token(["read"], tenant: "acme")
        let audit = try rig.ask(.get, "/api/v1/audit", token)
        #expect(
            audit.value.member(named: "items")?.asArray?.compactMap { $0.member(named: "tenant")?.asString } == [
                "acme", "acme",
            ])
        let tenants = try rig.ask(.get, "/api/v1/tenants", token)
        #expect(
            tenants.value.member(named: "items")?.asArray?.compactMap { $0.member(named: "name")?.asString } == ["acme"]
        )
    }

    /// The parameters, and which entries of five they give.
    @Test(
        arguments: [
            ("", [1, 2, 3, 4, 5]), ("?after=3", [4, 5]), ("?before=4", [3, 2, 1]), ("?after=1&before=5", [4, 3, 2]),
            ("?after=4&before=2", []), ("?after=9", []),
        ] as [(String, [Int])])
    func `the audit log is read from both ends`(query: String, numbers: [Int]) throws {
        let rig = try PublishingRig()
        let token = try rig.token(["admin"])
        try rig.execute("delete from audit")
        try rig.execute(
            """
            insert into audit values (1, 0, 'a', '', 'x', 'o', '', 'h'), (2, 0, 'a', '', 'x', 'o', '', 'h'),
                (3, 0, 'a', '', 'x', 'o', '', 'h'), (4, 0, 'a', '', 'x', 'o', '', 'h'), (5, 0, 'a', '', 'x', 'o', '', 'h')
            """)
        let items = try rig.ask(.get, "/api/v1/audit\(query)", token).value.member(named: "items")?.asArray ?? []
        #expect(items.compactMap { $0.member(named: "seq")?.asInt } == numbers)
    }

    @Test func `a token that is expired, revoked or made up is none`() throws {
        let rig = try PublishingRig()
        let (token, admin) = (try rig.token(["read"], tenant: "acme"), try rig.token())
        let path = "/api/v1/tenants/acme"
        #expect(try rig.ask(.get, path, token).status == 200)
        let last = token.last == "0" ? "1" : "0"
        for wrong in [String(token.dropLast()), token.dropLast() + last, token + "0", "asc_x_y", "", "\(token) x"] {
            #expect(try rig.ask(.get, path, wrong).status == 401, "\(wrong)")
        }
        let id = String(token.split(separator: "_")[1])
        #expect(try rig.ask(.delete, "\(path)/tokens/\(id)", admin).status == 204)
        #expect(try rig.ask(.get, path, token).status == 401)
        #expect(try rig.ask(.delete, "\(path)/tokens/\(id)", admin).status == 404)
        try rig.execute("update token set expires = 1")
        try rig.execute("delete from audit where seq = 2")
        _ = try rig.token()
        #expect(try rig.ask(.get, path, admin).status == 401)
    }

    @Test(
        arguments: [
            (["tokens", "read"], "[\"read\"]", 201), (["tokens"], "[\"read\"]", 403), (["tokens"], "[\"admin\"]", 403),
            (["admin"], "[\"admin\"]", 403), (["admin"], "[\"publish\"]", 201), (["tokens"], "[]", 400),
            (["tokens"], "[\"nothing\"]", 400), (["tokens"], "[\"tokens\", \"tokens\"]", 400),
        ] as [([String], String, Int)])
    func `a token gives no more than it has`(own: [String], wanted: String, status: Int) throws {
        let rig = try PublishingRig()
        let token = try rig.token(own, tenant: "acme")
        let answer = try rig.post("acme/tokens", token, "{ \"scopes\": \(wanted) }")
        #expect(answer.status == status, "\(answer.value)")
        guard let made = answer["token"] else { return }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme", made).status != 401)
        #expect(try rig.query("select 1 from token where label like '%asc_%'").isEmpty)
    }

    @Test func `a token that was made by another lives no longer`() throws {
        let rig = try PublishingRig()
        let (token, admin) = (try rig.token(["tokens", "read"], tenant: "acme"), try rig.token())
        func make(_ token: String, _ days: Int) throws -> PublishingRig.Answer {
            try rig.post("acme/tokens", token, "{ \"scopes\": [\"tokens\"], \"days\": \(days) }")
        }
        let child = try make(token, 3_660)
        let grandchild = try make(try #require(child["token"]), 3_660)
        #expect(
            try rig.query("select 1 from token where tenant <> '' and expires > (select min(expires) from token)")
                .isEmpty
        )
        // A token for all tenants makes those of others.
        let other = try make(admin, 3_660)
        #expect(try rig.query("select 1 from token where expires - created > 300000000000").count == 1)
        let id = String(token.split(separator: "_")[1])
        #expect(try rig.ask(.delete, "/api/v1/tenants/acme/tokens/\(id)", admin).status == 204)
        for made in [child, grandchild] {
            #expect(try rig.ask(.get, "/api/v1/tenants/acme/tokens", made["token"]).status == 401)
        }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/tokens", other["token"]).status == 200)
    }

    @Test func `a token has sixty changes a minute`() throws {
        let rig = try PublishingRig()
        let token = try rig.token(["publish", "check"], tenant: "acme")
        // What it only tries is counted by itself.
        for path in ["acme/releases", "acme/releases:check"] {
            for number in 1...70 {
                let status = try rig.post(path, token).status
                #expect(status == (number <= TokenTable.writesPerMinuteMax ? 400 : 429), "\(path) \(number)")
            }
            #expect(try rig.post(path, token).fields.contains("retry-after: 60\r\n"))
        }
    }

    @Test func `the document describes every route`() throws {
        let rig = try PublishingRig()
        let document = try rig.ask(.get, "/api/v1/openapi.json", nil).value
        let paths = document.member(named: "paths")
        for route in PublishingAPI.all {
            let operation = paths?.member(named: PublishingAPI.base + OpenAPI.template(route.pattern))?
                .member(named: "\(route.method)".lowercased())
            #expect(operation?.member(named: "x-scope")?.asString == route.scope, "\(route.pattern)")
            let names = operation?.member(named: "parameters")?.asArray?.compactMap {
                $0.member(named: "name")?.asString
            }
            #expect(names == (route.segments + route.query + route.fields).map(\.name))
            #expect(route.segments.allSatisfy { APIKind.segments[$0.name.uppercased()] != nil })
        }
        for kind in APIProblem.Kind.allCases {
            #expect(try rig.ask(.get, APIProblem.Kind.path + kind.rawValue, nil).status == 200)
        }
        #expect(try rig.ask(.get, APIProblem.Kind.path + "x", nil).status == 404)
    }
}
