import Database
import HTTP
import Testing

@testable import Console
@testable import Publishing
@testable import Service

struct SessionsTests {
    @Test func `a token is known as soon as it is made`() throws {
        let rig = try ConsoleRig()
        var text = ""
        try rig.write { transaction throws(DatabaseError) in
            text = try AccessToken.create(tenant: nil, label: "", scopes: ["read"], author: "test", in: transaction)
                .text
        }
        #expect(rig.post("/sign-in", ["token": text]).status == 303)
    }

    @Test func `a token becomes an opaque cookie that scripts cannot read and other sites do not send`() throws {
        let rig = try ConsoleRig()
        let token = try rig.token(["read"])
        let answer = rig.post(
            "/sign-in", ["token": " \(token)\n", "next": "/hosts"], lines: ["X-Forwarded-Proto: https"])
        #expect(answer.status == 303 && answer.field("location") == "/hosts")
        let cookie = try #require(answer.field("set-cookie"))
        for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=28800", "Secure"] {
            #expect(cookie.contains(part))
        }
        #expect(!cookie.contains(token) && !cookie.contains(token.split(separator: "_")[2]))
        #expect(rig.get("/", answer.cookie).status == 200)
        let plain = rig.post("/sign-in", ["token": token])
        #expect(plain.field("set-cookie")?.contains("Secure") == false)
    }

    @Test func `a stranger is led to the form and back`() throws {
        let rig = try ConsoleRig()
        let answer = rig.get("/hosts?prefix=a&after=b")
        #expect(answer.status == 303 && answer.field("location") == "/sign-in?next=%2Fhosts%3Fprefix%3Da%26after%3Db")
        #expect(rig.get("/sign-in?next=/hosts").text.contains("value=\"/hosts\""))
        #expect(rig.get("/hosts.json").status == 401)
        #expect(rig.get("/", "associated=\(String(repeating: "0", count: 64))").status == 303)
    }

    @Test(arguments: ["https://evil.example/", "//evil.example", "/\\evil.example", "hosts", "/a b", "/\r\nx"])
    func `signing in leads nowhere else`(next: String) throws {
        let rig = try ConsoleRig()
        #expect(rig.post("/sign-in", ["token": try rig.token(["read"]), "next": next]).field("location") == "/")
    }

    @Test func `a session ends with its token, at the sign-out and after eight hours`() throws {
        let rig = try ConsoleRig()
        let token = try rig.token(["read"])
        let cookie = try #require(rig.post("/sign-in", ["token": token]).cookie)
        let secret = String(cookie.dropFirst("associated=".count))
        #expect(rig.console.sessions.find(secret) != nil)
        #expect(rig.console.sessions.find(secret, now: .max / 2) == nil)
        let id = String(token.split(separator: "_")[1])
        try rig.write { transaction throws(DatabaseError) in
            _ = try AccessToken.revoke(id, of: nil, by: "test", in: transaction)
        }
        try rig.publisher.refresh()
        #expect(rig.get("/", cookie).status == 303)
        let other = try rig.signIn(["read"])
        #expect(rig.post("/sign-out", [:], other).status == 303)
        #expect(rig.get("/", other).status == 303)
    }

    @Test func `a stranger has no long form held in memory, whoever has a session has`() throws {
        let rig = try ConsoleRig()
        let long = ["content-length: \(Draft.keptBytesMax + 1)"]
        for lines in [long, ["transfer-encoding: chunked"]] {
            let refused = rig.post("/draft", ["text": "mine"], lines: lines)
            #expect(refused.status == 401 && refused.text.contains("Go back to what you wrote"))
            #expect(!refused.text.contains("mine"))
            #expect(
                rig.post("/draft", ["text": "mine"], try rig.signIn(["read", "check"]), lines: lines).status == 200)
        }
        #expect(rig.post("/draft", ["text": "mine"]).text.contains("mine"))
    }

    @Test func `the cookie that another host has added is passed over`() throws {
        let rig = try ConsoleRig()
        let token = try rig.token(["read"])
        let secure = try #require(rig.post("/sign-in", ["token": token], lines: ["X-Forwarded-Proto: https"]).cookie)
        #expect(secure.hasPrefix("__Host-associated="))
        let plain = try #require(rig.post("/sign-in", ["token": token]).cookie)
        for cookie in [secure, plain, "associated=bad; \(plain)", "associated; associated=; \(secure)"] {
            #expect(rig.get("/", cookie).status == 200, "\(cookie)")
        }
    }

    @Test func `a token without the scope read sees nothing, and can sign out`() throws {
        let rig = try ConsoleRig()
        let cookie = try rig.signIn(["check"])
        for page in ["/", "/hosts", "/tester?urls=a.example", "/certificates"] {
            #expect(rig.get(page, cookie).status == 403, "\(page)")
        }
        #expect(rig.post("/sign-out", [:], cookie).status == 303)
        #expect(rig.get("/", cookie).status == 303)
    }

    @Test func `who signs in again and again ends no session of others`() throws {
        let rig = try ConsoleRig()
        let other = try rig.signIn(["read"])
        let token = try rig.token(["read"])
        let cookies = (0..<Sessions.perPersonMax + 1).map { _ in rig.post("/sign-in", ["token": token]).cookie }
        #expect(rig.get("/", other).status == 200 && rig.get("/", cookies.last ?? nil).status == 200)
        #expect(cookies.count { rig.get("/", $0).status == 200 } == Sessions.perPersonMax)
    }

    @Test func `ten thousand wrong tokens keep nobody out`() throws {
        let rig = try ConsoleRig()
        let token = try rig.token(["read"])
        let wrong = "asc_000000000000_\(String(repeating: "0", count: 64))"
        let statuses = (0..<10_000).map { _ in rig.post("/sign-in", ["token": wrong]).status }
        #expect(statuses.first == 401 && statuses.last == 429)
        #expect(rig.post("/sign-in", ["token": token]).status == 303)
    }

    @Test(
        arguments: [
            nil, "null", "https://evil.example", "https://console.test.evil.example", "https://console.test:444",
            "console.test",
        ] as [String?])
    func `refuses a form of another site`(origin: String?) throws {
        let rig = try ConsoleRig()
        let cookie = try rig.signIn(["read"])
        #expect(rig.post("/sign-out", [:], cookie, origin: origin).status == 403)
        #expect(rig.post("/sign-in", ["token": try rig.token(["read"])], origin: origin).status == 403)
        #expect(rig.get("/", cookie).status == 200)
    }

    @Test func `accepts the name that a proxy passes on`() throws {
        let rig = try ConsoleRig()
        let cookie = try rig.signIn(["read"])
        let lines = ["X-Forwarded-Host: public.example"]
        #expect(rig.post("/sign-out", [:], cookie, origin: "https://public.example", lines: lines).status == 303)
    }

    @Test func `a development server asks only others to sign in`() throws {
        let rig = try ConsoleRig(isOpen: true)
        #expect(rig.get("/").status == 200)
        #expect(rig.get("/", lines: ["X-Forwarded-For: 192.0.2.1"]).status == 303)
        for (host, status) in [
            ("localhost", 200), ("127.0.0.1", 200), ("console.localhost", 200), ("evil.example", 303), ("", 303),
        ] {
            let session = rig.console.session(ServiceRequest(.get, "/", host: host))
            #expect((session != nil) == (status == 200), "\(host)")
        }
        #expect(rig.post("/sign-out", [:], origin: "https://evil.example").status == 403)
    }

    @Test func `what was written when the session ended is sent again after signing in`() throws {
        let rig = try ConsoleRig()
        let text = "{ name: \"<b>&\",\n  hosts: [] }\u{200B}"
        let answer = rig.post("/hosts/a.example/check", ["tenant": text], "associated=gone")
        #expect(answer.status == 401)
        let kept = try #require(answer.text.firstMatch(of: /name="kept" value="([^"]*)"/)?.1)
        #expect(!kept.contains("<"))
        let form = kept.replacing("&amp;", with: "&").replacing("&#39;", with: "'")
        let again = rig.post(
            "/sign-in", ["token": try rig.token(["read"]), "next": "/hosts/a.example/check", "kept": String(form)])
        #expect(again.status == 200 && again.cookie != nil)
        #expect(again.text.contains("action=\"/hosts/a.example/check\""))
        #expect(again.text.contains("{ name: &quot;&lt;b&gt;&amp;&quot;,\n  hosts: [] }\u{200B}"))
    }
}
