import SourceJSON
import Testing

@testable import Console
@testable import Publishing
@testable import Service

struct DraftPageTests {
    private let app =
        #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [{ "/": "/y/*" }] }"#

    private func send(
        _ rig: ConsoleRig, _ cookie: String?, _ text: String, do verb: String = "check", base: String = "1"
    ) -> ConsoleRig.Answer {
        rig.post(
            "/draft",
            ["tenant": "acme", "file": "shop.json", "text": text, "base": base, "message": "why", "do": verb], cookie)
    }

    @Test func `a draft begins with what is live`() throws {
        let rig = try PagesTests.rig()
        let page = rig.get("/draft?tenant=acme&file=shop.json", try rig.signIn(["read"], tenant: "acme"))
        #expect(page.text.contains("&quot;/x/*&quot;") && page.text.contains("name=\"base\" value=\"1\""))
        #expect(page.text.contains("may not publish"))
    }

    @Test func `says what would change, what is wrong and where`() throws {
        let rig = try PagesTests.rig()
        let cookie = try rig.signIn(["read", "check"], tenant: "acme")
        let fine = send(rig, cookie, app)
        #expect(
            fine.status == 200 && fine.text.contains("can be published")
                && fine.text.contains("What would change for phones"))
        #expect(fine.text.contains("apple-app-site-association"))
        let broken = send(rig, cookie, "{ name: \"<script>\",\n  hosts: 7 }")
        #expect(broken.text.contains("have errors") && broken.text.contains("2 |   hosts: 7"))
        #expect(!broken.text.contains("<script>") && broken.text.contains("{ name: &quot;&lt;script&gt;&quot;"))
        #expect(send(rig, cookie, app, base: "0").text.contains("release 1 is live"))
    }

    @Test func `a draft without a tenant or a file says so`() throws {
        let rig = try PagesTests.rig()
        let cookie = try rig.signIn(["admin"])
        for (tenant, file) in [("", "shop.json"), ("acme", "")] {
            let page = rig.post("/draft", ["tenant": tenant, "file": file, "text": app, "do": "check"], cookie)
            #expect(page.text.contains("Name the tenant and the file.") && !page.text.contains("/api/v1"))
        }
    }

    @Test func `a host that is not owned is claimed from the refusal`() throws {
        let rig = try PagesTests.rig()
        let text = app.replacing("shop.acme.test", with: "next.acme.test")
        let reader = send(rig, try rig.signIn(["read", "check"], tenant: "acme"), text)
        #expect(reader.text.contains("Hosts that acme does not own") && !reader.text.contains("Claim it"))
        let cookie = try rig.signIn(["read", "check", "hosts"], tenant: "acme")
        #expect(send(rig, cookie, text).text.contains("action=\"/hosts/next.acme.test/claim\""))
        let claimed = rig.post("/hosts/next.acme.test/claim", ["tenant": "acme"], cookie)
        #expect(claimed.status == 303 && claimed.field("location") == "/hosts/next.acme.test")
        #expect(rig.get("/hosts/next.acme.test", cookie).text.contains("_associated.next.acme.test"))
        // Not for another tenant, and not without the scope.
        #expect(rig.post("/hosts/x.test/claim", ["tenant": "rival"], cookie).status == 404)
        let weak = try rig.signIn(["read", "check"], tenant: "acme")
        #expect(rig.post("/hosts/x.test/claim", ["tenant": "acme"], weak).status == 403)
    }

    @Test func `a new file replaces no other, and a text outlives the release of another`() throws {
        let rig = try PagesTests.rig()
        let cookie = try rig.signIn(["read", "check", "publish"], tenant: "acme")
        let page = rig.get("/draft", cookie)
        #expect(page.text.contains("name=\"new\" value=\"1\""))
        #expect(!rig.get("/draft?tenant=acme&file=shop.json", cookie).text.contains("name=\"new\""))
        let form: KeyValuePairs = ["tenant": "acme", "file": "shop.json", "text": app, "new": "1", "do": "publish"]
        #expect(rig.post("/draft", form, cookie).text.contains("shop.json exists"))
        let late = send(rig, cookie, app, base: "0")
        #expect(late.text.contains("release 1 is live") && late.text.contains("name=\"base\" value=\"1\""))
        #expect(late.text.contains("&quot;/y/*&quot;"))
    }

    @Test func `publishes for a token that may`() throws {
        let rig = try PagesTests.rig()
        let refused = send(rig, try rig.signIn(["read", "check"], tenant: "acme"), app, do: "publish")
        #expect(refused.status == 200 && refused.text.contains("needs the scope publish"))
        let cookie = try rig.signIn(["read", "check", "publish"], tenant: "acme")
        let answer = send(rig, cookie, app, do: "publish")
        #expect(answer.status == 303 && answer.field("location") == "/apps/acme/releases/2")
        #expect(rig.get("/apps/acme/releases/2.json", cookie).value["state"].text == "live")
        let other = send(rig, try rig.signIn(["read", "check", "publish"], tenant: "rival"), app, do: "publish")
        #expect(other.text.contains("no tenant acme for this token"))
    }

    @Test(arguments: HTMLTests.hostile)
    func `what is written stays text`(text: String) throws {
        let rig = try PagesTests.rig()
        let page = rig.post(
            "/draft", ["tenant": text, "file": text, "text": text, "message": text, "publishAt": text],
            try rig.signIn(["admin"]))
        #expect(page.status == 200)
        #expect(
            !page.text.contains("<script>alert") && !page.text.contains("<img") && !page.text.contains("' autofocus"))
    }
}

struct TesterPageTests {
    private let document =
        #"{"applinks":{"details":[{"appIDs":["8KQ2V7M4XN.dev.acme.shop"],"components":[{"/":"/no/*","exclude":true},{"/":"/yes/*"}]}]}}"#

    @Test func `says which rule decides, by the files that phones get`() throws {
        let rig = try PagesTests.rig()
        rig.server.set("/document/apple/shop.acme.test", document)
        let cookie = try rig.signIn(["read"], tenant: "acme")
        let urls = "https://shop.acme.test/yes/1\nshop.acme.test/no/1\nhttps://rival.test/x\n%%%"
        let answer = rig.post("/tester", ["urls": urls], cookie)
        #expect(answer.status == 303)
        let address = try #require(answer.field("location"))
        let page = rig.get(address, cookie)
        for text in ["iOS: opens the app", "iOS: stays in the browser", "rival.test is not served here", "Not tested"] {
            #expect(page.text.contains(text), "\(text)")
        }
        let items = rig.get(address.replacing("/tester?", with: "/tester.json?"), cookie).value["items"].items
        #expect(items.map { $0["apple"].items.first?["decision"].text } == ["match", "exclude", nil, nil])
        // The field for everything leads to no other page for a URL, with or without its scheme.
        for (text, answer) in [
            ("https://shop.acme.test/yes/1", "opens the app"), ("shop.acme.test/no/1", "in the browser"),
        ] {
            let found = rig.get(path("search", query: ["q": text]), cookie)
            #expect(found.text.contains("iOS: ") && found.text.contains(answer) && !found.text.contains("Nothing here"))
        }
        // A server that does not answer says nothing about hosts.
        rig.server.set("down", "")
        let silent = rig.get(address, cookie)
        #expect(silent.text.contains("The server does not answer now") && !silent.text.contains("is not served here"))
    }

    @Test func `shows the rule that decides in its app file, if phones get what that says`() throws {
        let rig = try PagesTests.rig()
        let text = """
            { name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [
              { "/": "/no/*", exclude: true },
              { "/": "/yes/*" },
            ] }
            """
        rig.server.setFile("acme/shop.json", text)
        rig.server.set(
            "/status/shop.acme.test",
            #"{"name":"shop.acme.test","tenant":"acme","appFiles":["acme/shop.json"],"reasons":[],"errors":[]}"#)
        let cookie = try rig.signIn(["read"], tenant: "acme")
        let address = path("tester.json", query: ["urls": "shop.acme.test/yes/1"])
        // Phones get something else, such as the last good version.
        let served = String(document.dropLast()) + #","webcredentials":{"apps":["8KQ2V7M4XN.dev.acme.shop"]}}"#
        rig.server.set("/document/apple/shop.acme.test", served.replacing("/yes/*", with: "/y/*"))
        #expect(rig.get(address, cookie).value["items"].items.first?["rules"].items.isEmpty == true)
        rig.server.set("/document/apple/shop.acme.test", served)
        let item = try #require(rig.get(address, cookie).value["items"].items.first)
        let rule = try #require(item["rules"].items.first)
        #expect(rule["file"].text == "acme/shop.json" && rule["line"].number == 3 && rule["first"].number == 2)
        let page = rig.get(path("tester", query: ["urls": "shop.acme.test/yes/1"]), cookie)
        #expect(page.text.contains("<mark>3 |   { &quot;/&quot;: &quot;/yes/*&quot; },</mark>"))
        #expect(!page.text.contains("--"), "an option of the command")
    }

    @Test func `tests links against a release, and against a draft`() throws {
        let rig = try PagesTests.rig()
        let cookie = try rig.signIn(["read", "check"], tenant: "acme")
        let form: KeyValuePairs = ["urls": "shop.acme.test/x/1\nshop.acme.test/y/1", "tenant": "acme", "release": "1"]
        let address = try #require(rig.post("/tester", form, cookie).field("location"))
        let page = rig.get(address, cookie)
        #expect(page.text.contains("release 1 of acme</a> alone") && page.text.contains("iOS: opens the app"))
        let items = rig.get(address.replacing("/tester?", with: "/tester.json?"), cookie).value["items"].items
        #expect(items.map { $0["apple"].items.first?["decision"].text } == ["match", "none"])
        #expect(rig.get(address, try rig.signIn(["read"], tenant: "rival")).status == 404)
        let draft = rig.post(
            "/draft",
            [
                "tenant": "acme", "file": "shop.json", "base": "1", "do": "check", "urls": "https://shop.acme.test/y/1",
                "text":
                    #"{ name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }, links: [{ "/": "/y/*" }] }"#,
            ], cookie)
        #expect(draft.text.contains("iOS: opens the app") && draft.text.contains("<mark>1 |"))
    }

    @Test func `more than an address holds is tested at once`() throws {
        let rig = try PagesTests.rig()
        rig.server.set("/document/apple/shop.acme.test", document)
        let urls = (0..<1_001).map { "https://shop.acme.test/yes/\($0)" }.joined(separator: "\n")
        let page = rig.post("/tester", ["urls": urls], try rig.signIn(["read"]))
        #expect(page.status == 200 && page.text.contains("/yes/999") && page.text.contains("1 are left out"))
    }
}
