import Database
import Delivery
import HTTP
import Issuance
import SourceJSON
import Store
import Testing

@testable import Console
@testable import Publishing
@testable import Service

struct PagesTests {
    /// Each page with names that fit, and some that are hostile.
    static let paths = [
        "/", "/hosts", "/hosts?prefix=shop", "/hosts/shop.acme.test", "/apps", "/apps/acme", "/apps/acme/releases/1",
        "/apps/acme/releases/1/files/shop.json", "/apps/acme/shop.json", "/file?path=acme/op.json", "/certificates",
        "/certificates?state=queued", "/activity",
        "/search?q=shop", "/search?q=8KQ2V7M4XN.dev.acme.shop", "/tester", "/draft?tenant=acme&file=shop.json",
    ]

    /// A rig with a release, a host that is served, and one of another tenant.
    static func rig() throws -> ConsoleRig {
        let rig = try ConsoleRig(hosts: [("shop.acme.test", "acme"), ("rival.test", "rival"), ("op.test", "")])
        try rig.write { transaction throws(DatabaseError) in
            for (host, tenant) in [("shop.acme.test", "acme"), ("rival.test", "rival"), ("new.acme.test", "acme")] {
                try transaction.execute(
                    "insert into claim values (?, ?, 'owned', 'operator', '', 0, 0, 0, '')", host, tenant)
            }
        }
        let app =
            #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [{ "/": "/x/*" }] }"#
        let token = try rig.token(["admin"])
        let body = SourceValue.object([
            ("base", .integer(0)), ("changes", .object([("shop.json", .string(app))])),
            ("message", .string("<i>first</i>")),
        ])
        let id = try #require(rig.publisher.token(token)?.id)
        let identity = try #require(rig.publisher.identity(ofTokenID: id))
        #expect(rig.console.ask(.post, "/tenants/acme/releases", body, as: identity).status == .created)
        rig.server.set("/status/shop.acme.test", host("shop.acme.test"))
        rig.server.set("/status/rival.test", host("rival.test"))
        rig.server.set("/document/apple/shop.acme.test", "{\"applinks\": {\"details\": \"<script>\"}}")
        rig.server.set("/apps", #"{"files":["acme/op.json","secret.json"],"more":false}"#)
        rig.server.setFile("acme/op.json", "{ name: \"<b>\" }")
        rig.server.setFile("secret.json", "{}")
        return rig
    }

    private static func host(_ name: String) -> String {
        #"{"host":"\#(name)","name":"\#(name)","nowSeconds":0,"documents":[],"reasons":["<script>a</script>"],"errors":[],"apps":["8KQ2V7M4XN.dev.acme.shop"],"appFiles":["acme/shop.json"],"tenant":"acme","certificate":{"folder":"\#(name)","state":"usable","notAfterSeconds":4102444800,"lifeLeftPercent":60,"problems":[]},"verifiers":[{"verifier":"apple-cdn","document":"apple","lastSeconds":1,"status":200,"count":3,"confirmed":true,"version":"current","network":"17.0.0.0/8"}],"recordedSinceSeconds":0}"#
    }

    private static let roles: [(scopes: [String], tenant: String?)] = [
        (["admin"], nil), (["read"], nil), (["admin"], "acme"), (["read", "check"], "acme"), (["read"], "rival"),
        (["publish"], "acme"), (["hosts"], nil),
    ]

    @Test(arguments: roles.indices, paths)
    func `every role gets a page, or a reason, and never what belongs to another`(role: Int, path: String) throws {
        let rig = try Self.rig()
        let (scopes, tenant) = Self.roles[role]
        let cookie = try rig.signIn(scopes, tenant: tenant)
        let page = rig.get(path, cookie)
        #expect([200, 403, 404].contains(page.status), "\(path): \(page.status)")
        if tenant == nil, scopes != ["hosts"] { #expect(page.status == 200, "\(path): \(page.text)") }
        #expect(page.text.hasPrefix("<!doctype html>") && page.text.contains("<main"))
        #expect(!page.text.contains("<script>") && !page.text.contains("<i>first") && !page.text.contains("<b>"))
        #expect(page.field("content-security-policy")?.contains("default-src 'none'") == true)
        #expect(page.field("content-security-policy")?.contains("unsafe") == false)
        #expect(page.field("x-frame-options") == "DENY" && page.field("cache-control") == "no-store")
        #expect(page.text.utf8.count < 64 * 1_024)
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? "?\(parts[1])" : ""
        let twin = rig.get(path == "/" ? "/overview.json" : "\(parts[0]).json\(query)", cookie)
        #expect(twin.status == page.status && twin.value.asObject != nil, "\(path): \(twin.text)")
        // A page that says that there is none names what was asked for.
        if tenant == "rival", page.status != 404 {
            for text in ["shop.acme.test", "8KQ2V7M4XN", "op.test", "secret.json"]
            where !path.contains("q=\(text.prefix(4))") {
                #expect(
                    !page.text.replacing("value=\"8KQ2V7M4XN.dev.acme.shop\"", with: "").contains(text),
                    "\(path): \(text)")
            }
        }
        if tenant == "acme" { #expect(!page.text.contains("rival.test") && !page.text.contains("secret.json")) }
        #expect(rig.get(path).status == 303)
    }

    @Test(arguments: HTMLTests.hostile)
    func `hostile names in paths and queries stay text`(text: String) throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"])
        for address in [
            path("hosts", text), path("apps", text), path("apps", "acme", text), path("apps", text, "releases", text),
            path("hosts", query: ["prefix": text, "after": text]), path("search", query: ["q": text]),
            path("certificates", query: ["state": text]), path("file", query: ["path": text]),
            path("sign-in", query: ["next": text]), path("activity", query: ["before": text]),
        ] {
            let page = rig.get(address, address.hasPrefix("/sign-in") ? nil : cookie)
            #expect(page.status < 500, "\(address)")
            #expect(
                !page.text.contains("<script>alert") && !page.text.contains("<img")
                    && !page.text.contains("' autofocus"))
        }
    }

    @Test func `a page that has not changed is not sent again`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"])
        let first = rig.get("/hosts", cookie)
        let tag = try #require(first.field("etag"))
        let second = rig.get("/hosts", cookie, lines: ["If-None-Match: \(tag)"])
        #expect(second.status == 304 && second.text.isEmpty && second.field("content-length") == nil)
        #expect(rig.get("/hosts", cookie, lines: ["If-None-Match: \"other\""]).status == 200)
    }

    @Test func `reading scopes change nothing`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["read"])
        for form in ["/apps/acme/releases/1/rollback", "/apps/acme/releases/1/approve", "/hosts/shop.acme.test/check"] {
            #expect(rig.post(form, [:], cookie).status == 403, "\(form)")
        }
        #expect(!rig.get("/apps/acme/releases/1", cookie).text.contains("<form method=\"post\" action=\"/apps"))
    }

    @Test func `a database that is away leaves what the manager has in memory`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"])
        rig.control.noteStore(DatabaseError(.unreachable, "no route to db.example"))
        let page = rig.get("/", cookie)
        #expect(page.status == 200 && page.text.contains("no route to db.example"))
        #expect(rig.get("/overview.json", cookie).value["fine"].asBool == false)
        #expect(rig.get("/hosts", cookie).text.contains("shop.acme.test"))
    }

    @Test func `nothing is green while something could not be asked`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"])
        #expect(rig.get("/overview.json", cookie).value["fine"].asBool == true)
        rig.server.set("down", "")
        let value = rig.get("/overview.json", cookie).value
        #expect(value["fine"].asBool == false && !value["sentence"].text.contains("Nothing needs you"))
        rig.server.set("down", nil)
        rig.console.take(ConsoleFigures())
        #expect(rig.get("/overview.json", cookie).value["fine"].asBool == false)
    }

    @Test func `a host shows what the live release has changed in its documents`() throws {
        let rig = try Self.rig()
        let identity = try #require(
            rig.publisher.token(try rig.token(["admin"])).flatMap { token in
                rig.publisher.identity(ofTokenID: token.id)
            })
        let cookie = try rig.signIn(["read"], tenant: "acme")
        func documents(_ path: String) -> String {
            #"{"applinks":{"details":[{"appIDs":["8KQ2V7M4XN.dev.acme.shop"],"components":[{"/":"\#(path)"}]}]},"webcredentials":{"apps":["8KQ2V7M4XN.dev.acme.shop"]}}"#
        }
        rig.server.set("/document/apple/shop.acme.test", documents("/y/*"))
        // Of the first release, nothing was before.
        #expect(rig.get("/hosts/shop.acme.test.json", cookie).value["before"].isNull)
        let app =
            #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [{ "/": "/y/*" }] }"#
        let body = SourceValue.object([
            ("base", .integer(1)), ("changes", .object([("shop.json", .string(app))])), ("retire", .bool(true)),
        ])
        #expect(rig.console.ask(.post, "/tenants/acme/releases", body, as: identity).status == .created)
        let page = rig.get("/hosts/shop.acme.test", cookie)
        #expect(page.text.contains("Changed since release 1"))
        let lines = page.text.split(separator: "<").filter { $0.hasPrefix("del>") || $0.hasPrefix("ins>") }
        #expect(lines.count == 2 && lines[0].contains("/x/*") && lines[1].contains("/y/*"), "\(lines)")
    }

    @Test func `a browser that has lost its way gets a page, and a program what the API says`() throws {
        let rig = try Self.rig()
        let browser = ["Accept: text/html,application/xhtml+xml"]
        let page = rig.get("/nowhere", try rig.signIn(["read"]), lines: browser)
        #expect(page.status == 404 && page.text.contains("There is no such page"))
        #expect(rig.get("/nowhere", lines: browser).field("location") == "/sign-in")
        #expect(rig.get("/nowhere", lines: ["Accept: */*"]).status == 401)
        #expect(rig.get("/api/v1/tenants", lines: browser).status == 401)
    }

    @Test func `webhooks that get no messages need the operator`() throws {
        let rig = try Self.rig()
        var figures = ConsoleFigures()
        (figures.issuance, figures.webhookProblems) = (IssuanceFigures(), ["the secret cannot be read"])
        rig.console.take(figures)
        try rig.write { transaction throws(DatabaseError) in
            let kind = Work.Kind("\(WebhookQueue.kindPrefix)x")
            for key in ["a", "b"] {
                try Work.add(kind, key, tenant: "acme", state: WebhookQueue.waiting, due: 0, in: transaction)
            }
            try transaction.execute("update work set tries = 1, problem = 'it answers 500' where key = 'a'")
        }
        let all = rig.get("/overview.json", try rig.signIn(["read"])).value
        let titles = all["causes"].items.map { "\($0["title"].text): \($0["detail"].text)" }
        #expect(titles.contains("A webhook gets no messages: the secret cannot be read"))
        #expect(titles.contains("1 message to webhooks could not be sent: it answers 500"))
        #expect(rig.get("/overview.json", try rig.signIn(["read"], tenant: "acme")).value["causes"].items.isEmpty)
    }

    @Test func `a host on its last good version is live, and needs a person`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"])
        let count = rig.get("/overview.json", cookie).value["hosts"].number
        rig.server.set(
            "/status",
            #"{"waits":[],"lastGood":[{"host":"shop.acme.test","reason":"a.json: error"}],"findings":[],"hosting":{"hostsOnLastGoodVersion":1},"certificates":null}"#
        )
        let value = rig.get("/overview.json", cookie).value
        #expect(value["sentence"].text == "\(count) of \(count) hosts are live. 1 needs you.")
        #expect(value["fine"].asBool == false)
    }

    @Test func `a finding leads to the line of its file, and its host is not just served`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["read"])
        let reason = "/srv/apps/config/apps/acme/op.json:1:3: error[APP-001]: <no>"
        let other = "/srv/state/published/apps/acme/shop.json:1:3: error[APP-001]: no"
        rig.server.set(
            "/status",
            #"{"waits":[],"lastGood":[{"host":"shop.acme.test","reason":"\#(reason)"}],"findings":[{"finding":"\#(other)"}],"hosting":{"hostsOnLastGoodVersion":1},"certificates":null}"#
        )
        let overview = rig.get("/", cookie).text
        let address = "/file?path=acme%2Fop.json&amp;line=1"
        #expect(overview.contains("<a href=\"\(address)#line\">acme/op.json:1:3</a>: error[APP-001]: &lt;no&gt;"))
        #expect(overview.contains("<a href=\"/apps/acme/shop.json?line=1#line\">acme/shop.json:1:3</a>: error"))
        #expect(rig.get("/file?path=acme%2Fop.json&line=1", cookie).text.contains("<mark id=\"line\">{ name: <span"))
        // What begins elsewhere is no place, whoever has written it.
        let message = "look x/published/apps/rival/a.json:1:1: error[APP-001]: broken"
        for text in [
            message, "/srv/apps/config/apps/acme/published/apps/rival/a.json: error",
            "/srv/state/published/apps/a/b/c.json:1:1: error",
        ] {
            let html = String(
                decoding: finding(
                    text,
                    ConsoleCall(rig.console, ServiceRequest(.get, "/"), Session(identity: rig.publisher.developer))
                ).bytes, as: UTF8.self)
            #expect(!html.contains("<a"), "\(html)")
        }
        for line in ["0", "9", "x", "-1"] {
            #expect(!rig.get("/file?path=acme%2Fop.json&line=\(line)", cookie).text.contains("<mark"), "\(line)")
        }
        let items = rig.get("/hosts.json", cookie).value["items"].items
        #expect(items.filter { $0["lastGood"].asBool == true }.map(\.["host"].text) == ["shop.acme.test"])
        #expect(rig.get("/hosts", cookie).text.contains("Last good version"))
    }

    @Test func `the live release can be undone, after a look at what that changes`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"], tenant: "acme")
        func publish(_ base: String, _ path: String) -> Int {
            let app =
                #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [{ "/": "\#(path)" }] }"#
            return rig.post(
                "/draft",
                ["do": "publish", "tenant": "acme", "file": "shop.json", "base": base, "text": app], cookie
            ).status
        }
        #expect(publish("1", "/y/*") == 303)
        let page = rig.get("/apps/acme/releases/2", cookie).text
        let form = "/apps/acme/releases/2/rollback"
        #expect(page.contains(form) && page.contains("Undo this release"))
        let compared = rig.post(form, ["do": "check"], cookie)
        #expect(compared.status == 200 && compared.text.contains("What that would change for phones"))
        #expect(compared.text.contains("− https://shop.acme.test/y<"))
        #expect(rig.get("/apps/acme.json", cookie).value["live"].number == 2)
        // What differs in the files, too.
        #expect(page.contains("shop.json, changed") && page.contains("<ins>+ ") && page.contains("/y/*"))
        #expect(rig.post(form, ["do": "publish"], cookie).field("location") == "/apps/acme/releases/3")
        // The files of each can be read.
        #expect(rig.get("/apps/acme/releases/2/files/shop.json", cookie).text.contains("/y/*"))
        #expect(rig.get("/apps/acme/releases/3/files/shop.json", cookie).text.contains("/x/*"))
        #expect(rig.get("/apps/acme/releases/3/files/other.json", cookie).status == 404)
        #expect(
            rig.get("/apps/acme/releases/2/files/shop.json", try rig.signIn(["read"], tenant: "rival")).status == 404)
    }

    @Test func `a release that waits can be withdrawn, and is named where another is written`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["admin"], tenant: "acme")
        let app = #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] } }"#
        let fields: KeyValuePairs = [
            "do": "publish", "tenant": "acme", "file": "shop.json", "base": "1", "text": app,
            "publishAt": "2199-01-01 08:00",
        ]
        #expect(rig.post("/draft", fields, cookie).field("location") == "/apps/acme/releases/2")
        #expect(rig.get("/apps/acme", cookie).text.contains("goes live <time datetime=\"2199-01-01T08:00:00Z\""))
        let draft = rig.get("/draft?tenant=acme&file=shop.json", cookie).text
        #expect(draft.contains("Release 2</a> waits, and is to go live"))
        let form = "/apps/acme/releases/2/withdraw"
        #expect(rig.get("/apps/acme/releases/2", cookie).text.contains(form))
        #expect(rig.post(form, [:], try rig.signIn(["read"], tenant: "acme")).status == 403)
        #expect(rig.post(form, [:], cookie).status == 303)
        let release = rig.get("/apps/acme/releases/2.json", cookie).value
        #expect(release["state"].text == "rejected" && release["reason"].text == "withdrawn")
        #expect(!rig.get("/draft?tenant=acme&file=shop.json", cookie).text.contains("waits"))
    }

    @Test func `a folder of the operator has a page, for those who may see it`() throws {
        let rig = try Self.rig()
        rig.server.set("/apps/ops%2F", #"{"files":["ops/a.json","opsx/b.json"],"more":false}"#)
        let page = rig.get("/apps/ops", try rig.signIn(["read"])).text
        #expect(page.contains("ops/a.json") && !page.contains("opsx/b.json"))
        #expect(rig.get("/apps/ops", try rig.signIn(["read"], tenant: "acme")).status == 404)
    }

    @Test func `a claim can be given up on the page of its host`() throws {
        let rig = try Self.rig()
        let cookie = try rig.signIn(["hosts", "read"], tenant: "acme")
        let form = "/hosts/new.acme.test/give-up"
        #expect(rig.get("/hosts/new.acme.test", cookie).text.contains(form))
        #expect(rig.post(form, ["tenant": "rival"], cookie).status == 404)
        #expect(rig.post(form, ["tenant": "acme"], cookie).status == 303)
        #expect(rig.get("/hosts/new.acme.test", cookie).status == 404)
    }

    /// What somebody pastes, and the links in it.
    @Test(
        arguments: [
            (
                "https://a.test/1, https://b.test/2\nhttps://c.test/3",
                ["https://a.test/1", "https://b.test/2", "https://c.test/3"]
            ),
            ("a.test/x y, b.test/z", ["a.test/x y", "b.test/z"]),
            (" https://a.test/1,https://b.test/2 ", ["https://a.test/1", "https://b.test/2"]),
            ("https://a.test/p?x=1,2", ["https://a.test/p?x=1,2"]), ("\n \n", []),
        ])
    func `pasted text is taken apart into links`(text: String, links: [String]) {
        #expect(text.split(whereSeparator: \.isNewline).flatMap { LinkTester.links(String($0)) } == links)
    }

    @Test func `a changed rule is one changed line, and an unchanged one none`() throws {
        func lines(_ rules: String) throws -> [String] {
            let text =
                #"{"applinks":{"details":[{"appIDs":["A.b","A.c"],"components":[\#(rules)]}]},"webcredentials":{"apps":["A.b"]}}"#
            return documentLines(try #require(SourceReader.read(Array(text.utf8), as: .json).value))
        }
        let old = try lines(#"{"/":"/p/*"},{"/":"/cart","?":{"x":"1"}}"#)
        let new = try lines(#"{"/":"/p/*","exclude":true},{"/":"/cart","?":{"x":"1"}},{"/":"/s/*"}"#)
        let html = String(decoding: lineChanges(from: old, to: new, since: 7).bytes, as: UTF8.self)
        let changes = html.split(separator: "<").filter { $0.hasPrefix("ins>") || $0.hasPrefix("del>") }.map {
            $0.filter { $0 != " " }
        }
        let quoted = { (text: String) in text.replacing("\"", with: "&quot;") }
        #expect(
            changes == [
                quoted(#"del>−{"/":"/p/*"}"#), quoted(#"ins>+{"/":"/p/*","exclude":true}"#),
                quoted(#"ins>+{"/":"/s/*"}"#),
            ])
        #expect(
            String(decoding: lineChanges(from: old, to: old, since: 7).bytes, as: UTF8.self).contains(
                "The same as in release 7"))
    }

    @Test func `what differs in a long or a deep text is found, or said to be too long`() throws {
        func html(_ old: [String], _ new: [String]) -> String {
            String(decoding: lineChanges(from: old, to: new, since: 7).bytes, as: UTF8.self)
        }
        let long = (0..<100_000).map { "line \($0)" }
        #expect(
            html(long, long.prefix(50_000) + ["new"] + long.dropFirst(50_001)).contains(
                "<del>− line 50000</del><ins>+ new</ins>"))
        #expect(html(long, long).contains("The same as in release 7"))
        #expect(html(["a"], ["a", "a"]).contains("<ins>+ a</ins>"))
        #expect(html(long, long.map { "\($0)x" }).contains("Too long"))
        let deep = String(repeating: "[[1],", count: 500) + "1" + String(repeating: "]", count: 500)
        let value = try #require(SourceReader.read(Array(deep.utf8), as: .json).value)
        #expect(documentLines(value).count < 200)
    }

    @Test func `claims that wait for their record are on the first page of their tenant`() throws {
        let rig = try Self.rig()
        try rig.write { transaction throws(DatabaseError) in
            for host in ["a.acme.test", "b.acme.test"] {
                try transaction.execute("insert into claim values (?, 'acme', 'pending', 'dns', '', 0, 0, 0, '')", host)
            }
        }
        let title = "2 hosts are claimed and not proved yet"
        func titles(_ tenant: String?) throws -> [String] {
            rig.get("/overview.json", try rig.signIn(["read"], tenant: tenant)).value["causes"].items.map(
                \.["title"].text)
        }
        #expect(try titles(nil).contains(title) && titles("acme").contains(title) && !titles("rival").contains(title))
    }

    @Test func `a hundred thousand hosts are shown a hundred at a time`() throws {
        let names = (0..<100_000).map { (name: "h\($0).example.com", folder: "") }
        let rig = try ConsoleRig(hosts: names)
        let cookie = try rig.signIn(["read"])
        var (seen, next): (Set<String>, String?) = ([], "")
        for _ in 0..<3 {
            let page = rig.get(
                path("hosts", query: ["prefix": "h9", "after": next ?? ""]).replacing("/hosts", with: "/hosts.json"),
                cookie)
            let items = page.value["items"].items.map(\.["host"].text)
            #expect(items.count == 100 && items.allSatisfy { $0.hasPrefix("h9") } && seen.isDisjoint(with: items))
            seen.formUnion(items)
            next = page.value["next"].asString
        }
        let page = rig.get("/hosts", cookie)
        #expect(page.text.utf8.count < 64 * 1_024 && page.text.contains("100000 served"))
    }
}
