// The commands that ask a live host: `match --live`, `import URL` and `render --diff`, against `associated serve`.

import Foundation
import Testing

struct LiveFilesTests {
    /// A server with a certificate of its own authority, and the options to ask it.
    private final class Host {
        let folder: Folder
        let server: RunningServer
        let options: [String]

        init() throws {
            folder = try Folder()
            _ = try Subject.run(
                "certificate", "--state", "\(folder.path)/state", "--output", "\(folder.path)/config/hosts",
                "shop.acme.test")
            try folder.write("config/apps/shop.json", MatchCommandTests.app)
            try folder.write("other/apps/shop.json", MatchCommandTests.app.replacing("/a/*", with: "/b/*"))
            server = try RunningServer([
                "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
                "\(folder.path)/state", "--http", "127.0.0.1:0", "--https", "127.0.0.1:0",
            ])
            let port = server.addresses.last?.split(separator: ":").last.map(String.init) ?? ""
            options = [
                "--ca", "\(folder.path)/state/development-ca.pem", "--resolve", "shop.acme.test:443:127.0.0.1:\(port)",
            ]
        }
    }

    @Test func `match asks the URL's host`() throws {
        let host = try Host()
        let run = try Subject.run(["match", "--live", "https://shop.acme.test/a/private/1"] + host.options)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let file = "https://shop.acme.test/.well-known/apple-app-site-association"
        #expect(run.output.contains("iOS, 9JA89QQLNQ.org.acme.shop: stays in the browser\n"))
        #expect(run.output.contains("rule 0 excludes the URL, so it stays in the browser (\(file):1)"))
        #expect(run.output.contains("Android, org.acme.shop: stays in the browser\n"))
        let closed = try Subject.run(
            "match", "--live", "--format", "json", "--resolve", "shop.acme.test:443:127.0.0.1:1",
            "https://shop.acme.test/a")
        #expect(closed.output == #"{"url":"https://shop.acme.test/a","apple":[],"android":[]}"# + "\n")
        #expect(closed.errors.contains("cannot fetch \(file): cannot connect"))
    }

    @Test func `render compares with what is served`() throws {
        let host = try Host()
        let same = try Subject.run(
            ["render", "shop.acme.test", "--diff", "--config", "\(host.folder.path)/config"] + host.options)
        #expect(same.status == 0)
        #expect(same.output.isEmpty)
        let run = try Subject.run(
            ["render", "shop.acme.test", "apple", "--diff", "--config", "\(host.folder.path)/other"] + host.options)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("--- https://shop.acme.test/.well-known/apple-app-site-association\n"))
        #expect(run.output.contains("-            \"/\": \"/a/*\"\n+            \"/\": \"/b/*\"\n"))
    }

    @Test func `import takes URLs`() throws {
        let host = try Host()
        let base = "https://shop.acme.test/.well-known"
        let run = try Subject.run(
            ["import", "\(base)/apple-app-site-association", "\(base)/assetlinks.json", "--host", "shop.acme.test"]
                + host.options)
        #expect(run.status == 0)
        #expect(run.output.contains("\"9JA89QQLNQ.org.acme.shop\""))
        #expect(run.output.contains("\"/\": \"/a/private/*\""))
        let missing = try Subject.run(["import", "\(base)/nothing", "--host", "shop.acme.test"] + host.options)
        #expect(missing.errors == "associated: cannot fetch \(base)/nothing: it answers 404\n")
    }
}
