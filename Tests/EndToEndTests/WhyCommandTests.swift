// `associated why` against a host whose files are redirected. GoldenTests has its output for hosts of `associated serve`.

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
    }

    @Test func `a URL whose files cannot be fetched needs no request`() throws {
        let run = try Subject.run("why", "https://[::1]/a")
        #expect(run.status == 1)
        #expect(run.output.hasSuffix("; link to the name of the host\n"))
    }
}
