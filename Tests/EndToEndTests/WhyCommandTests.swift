// `associated why` against a host whose files are redirected. GoldenTests has its output for hosts of `associated serve`.

import Certificates
import TLS
import Testing

struct WhyCommandTests {
    @Test func `names a redirect of the files as the cause`() throws {
        let folder = try Folder()
        try folder.certify("shop.example")
        let server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/config/hosts")) { _ in
            .text("HTTP/1.1 301 Moved\r\nlocation: https://shop.example/elsewhere\r\ncontent-length: 0\r\n\r\n")
        }
        let options = [
            "--ca", "\(folder.path)/state/development-ca.pem", "--resolve", "shop.example:443:\(server.address)",
            "--resolve", "shop.example:80:127.0.0.1:1", "--resolve", "www.shop.example:443:127.0.0.1:1",
        ]
        let run = try Subject.run(["why", "https://shop.example/a/1"] + options)
        #expect(run.errors == "")
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "https://shop.example/a/1")
        #expect(lines.contains { $0.hasPrefix("  problem  apple-app-site-association: the answer is a redirect") })
        #expect(lines.contains { $0.hasPrefix("  problem  assetlinks.json: the answer is a redirect") })
        #expect(!run.output.contains("  ok "))
        let cause = try #require(lines.last)
        #expect(cause.hasPrefix("cause: apple-app-site-association: the answer is a redirect, which verifiers do not "))
        #expect(cause.contains("301 to https://shop.example/elsewhere"))
        #expect(cause.hasSuffix("; serve the file on this host with 200"))
        let android = try Subject.run(["why", "shop.example/a/1", "--platform", "android"] + options)
        #expect(android.output.contains("\ncause: assetlinks.json: the answer is a redirect"))
        #expect(!android.output.contains("apple-app-site-association"))
        let apple = try Subject.run(["why", "shop.example/a/1", "--platform", "ios"] + options)
        #expect(!apple.output.contains("assetlinks.json"))
        #expect(apple.output.contains("\ncause: apple-app-site-association: "))
    }

    @Test func `shows the line of the rule that decides, and a port without TLS`() throws {
        let folder = try Folder()
        let app = MatchCommandTests.app.replacing("shop.acme.test", with: "shop.localhost")
        try folder.write("config/apps/shop.json", app)
        let server = try folder.serve("--https", "127.0.0.1:0", "--dev")
        let url = "https://shop.localhost:\(server.securePort)/a/private/1"
        let options = ["--ca", "\(folder.path)/state/development-ca.pem", "--platform", "ios"]
        let run = try Subject.run(["why", url, "--config", "\(folder.path)/config"] + options)
        #expect(run.status == 1)
        let file = "\(folder.path)/config/apps/shop.json"
        let rule = "links[0] excludes the URL, so it stays in the browser (path `/a/private/*`, \(file):5)"
        #expect(run.output.contains(rule), "\(run.output)\(run.errors)")
        // The generated file has one line.
        let other = try Subject.run(["why", url] + options)
        #expect(other.output.contains("rule 0 excludes the URL, so it stays in the browser (path `/a/private/*`)"))
        // The host serves another file than the configuration has.
        try folder.write("other/apps/shop.json", app.replacing("/a/private/*", with: "/a/private/1"))
        let older = try Subject.run(["why", url, "--config", "\(folder.path)/other"] + options)
        #expect(older.output.contains("rule 0 excludes the URL, so it stays in the browser (path `/a/private/*`)"))
        let plain = try Subject.run(["why", "https://shop.localhost:\(server.port)/a"] + options)
        #expect(plain.output.contains("cause: TLS: the server does not speak TLS on port \(server.port); it may speak"))
        server.stop()
    }

    @Test func `a URL whose files cannot be fetched needs no request`() throws {
        let run = try Subject.run("why", "https://[::1]/a")
        #expect(run.status == 1)
        #expect(run.output.hasSuffix("; link to the name of the host\n"))
    }
}
