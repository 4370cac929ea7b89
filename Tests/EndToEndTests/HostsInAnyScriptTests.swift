// Hosts in scripts other than Latin, in app files and on the command line.

import Testing

struct HostsInAnyScriptTests {
    private func configuration() throws -> Folder {
        let folder = try Folder()
        let app = MatchCommandTests.app.replacing(#""shop.acme.test", "*.acme.test""#, with: #""例え.jp""#)
        try folder.write(
            "config/apps/shop.json",
            app.replacing("links:", with: #"examples: { "https://例え.jp/a/1": "app" }, links:"#))
        return folder
    }

    @Test func `app file, examples, match and render accept the same host name`() throws {
        let folder = try configuration()
        let config = "\(folder.path)/config"
        let lint = try Subject.run("lint", config)
        #expect(!lint.output.contains("error["), "\(lint.output)")
        let match = try Subject.run("match", "--config", config, "https://例え.jp/a/1")
        #expect(match.status == 0)
        #expect(match.output.hasPrefix("https://xn--r8jz45g.jp/a/1\niOS, 9JA89QQLNQ.org.acme.shop: opens the app\n"))
        let json = try Subject.run("match", "--config", config, "--format", "json", "https://例え.jp/a/1")
        #expect(json.output.hasPrefix(#"{"url":"https://例え.jp/a/1","apple":[{"#))
        let render = try Subject.run("render", "例え.jp", "apple", "--config", config)
        #expect(render.status == 0)
        #expect(render.output == (try Subject.run("render", "xn--r8jz45g.jp", "apple", "--config", config)).output)
    }

    @Test(arguments: ["https://例え.jp/", "xn--r8jz45g.jp:443", "https://xn--r8jz45g.jp:8443/a?b", "http://例え.jp"])
    func `a host may be typed with a port or in a URL`(host: String) throws {
        let folder = try configuration()
        let config = "\(folder.path)/config"
        let render = try Subject.run("render", host, "apple", "--config", config)
        #expect(render.status == 0, "\(render.errors)")
        let check = try Subject.run(
            "check", host, "--timeout", "1", "--resolve", "例え.jp:443:127.0.0.1:1",
            "--resolve", "例え.jp:8443:127.0.0.1:1", "--resolve", "例え.jp:80:127.0.0.1:1")
        #expect(check.status == 1, "\(check.errors)")
        #expect(check.output.contains("xn--r8jz45g.jp"))
    }

    @Test func `lint accepts what init writes`() throws {
        let folder = try Folder()
        let run = try Subject.run("init", "\(folder.path)/first", "--name", "X", "--host", "例え.jp")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.read("first/apps/x.json").contains(#""https://例え.jp/private/1": {"#))
    }

    @Test func `commands request a live host by its ASCII name`() throws {
        let resolve = ["--resolve", "例え.jp:443:127.0.0.1:1"]
        let verify = try Subject.run(["verify", "例え.jp", "--app-id", "9JA89QQLNQ.org.acme.shop"] + resolve)
        #expect(verify.output.contains("apple: file-rejected: cannot connect"), "\(verify.output)\(verify.errors)")
        let check = try Subject.run(["check", "例え.jp"] + resolve + ["--resolve", "例え.jp:80:127.0.0.1:1"])
        #expect(check.status == 1)
        #expect(check.output.contains("xn--r8jz45g.jp"), "\(check.output)\(check.errors)")
        let live = try Subject.run(["match", "--live", "https://例え.jp/"] + resolve)
        #expect(live.errors.contains("cannot fetch https://xn--r8jz45g.jp/.well-known/"), "\(live.errors)")
        let imported = try Subject.run(["import", "https://例え.jp/x", "--host", "例え.jp"] + resolve)
        #expect(imported.errors.contains("cannot connect"), "\(imported.errors)")
    }
}
