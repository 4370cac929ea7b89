// Signing on the command line, and a running server's reports about certificates.

import Foundation
import Testing

struct SigningTests {
    private let folder: Folder
    private let document = "{\"applinks\":{\"details\":[]}}\n"

    /// A development CA in `state`, and a certificate of it in `out/a.example`.
    init() throws {
        folder = try Folder()
        try folder.write("document.json", document)
        let run = try Subject.run("certificate", "--state", path("state"), "--output", path("out"), "a.example")
        #expect(run.status == 0)
        let files = ["state/development-ca.pem", "out/a.example/fullchain.pem", "out/a.example/privkey.pem"]
        #expect(run.output == files.map { "\(path($0))\n" }.joined())
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func sign(_ more: String..., key: String = "out/a.example/privkey.pem") throws -> Run {
        try Subject.run(
            ["sign", path("document.json"), "--certificate", path("out/a.example/fullchain.pem"), "--key", path(key)]
                + more)
    }

    private func openssl(_ arguments: String...) throws -> Run {
        try Subject.run(URL(fileURLWithPath: "/usr/bin/env"), ["openssl"] + arguments)
    }

    @Test(arguments: ["cms", "smime"])
    func `openssl extracts the exact file from a signed one`(command: String) throws {
        let run = try sign("--output", path("signed"))
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
        let verified = try openssl(
            command, "-verify", "-binary", "-inform", "DER", "-in", path("signed"), "-CAfile",
            path("state/development-ca.pem"), "-purpose", "sslserver")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(verified.output == document)
    }

    @Test func `refuses an encrypted key`() throws {
        #expect(
            try openssl(
                "pkcs8", "-topk8", "-in", path("out/a.example/privkey.pem"), "-passout", "pass:hush", "-out",
                path("locked.pem")
            ).status == 0)
        let run = try sign("--output", path("signed"), key: "locked.pem")
        #expect(run.status == 1)
        #expect(run.errors.contains("error[CERT-005]") && run.errors.contains("openssl pkey -in"))
        #expect(!FileManager.default.fileExists(atPath: path("signed")))
    }

    @Test func `never overwrites certificates`() throws {
        let key = try folder.read("out/a.example/privkey.pem")
        let run = try Subject.run("certificate", "--state", path("state"), "--output", path("out"), "a.example")
        #expect(run.status == 1)
        #expect(run.errors.contains("the file exists already; remove it first"))
        #expect(try folder.read("out/a.example/privkey.pem") == key)
        let bad = try Subject.run("certificate", "--state", path("state"), "--output", path("out"), "../up")
        #expect(bad.status == 1)
        #expect(bad.errors.contains("it is not a host name in lower case"))
    }

    @Test func `a running server reports a broken certificate, and signs with a new one automatically`() throws {
        try folder.write(
            "config/apps/a.json", Folder.app("a.example").replacing("app\"]", with: "app\"], signed: true"))
        let host = path("config/hosts/a.example")
        try folder.makeFolder("config/hosts")
        try FileManager.default.copyItem(atPath: path("out/a.example"), toPath: host)
        let key = try folder.read("out/a.example/privkey.pem")
        try folder.write("config/hosts/a.example/privkey.pem", "rubbish")
        let server = try RunningServer(["--config", path("config"), "--https", "127.0.0.1:0", "--http", "127.0.0.1:0"])
        #expect(
            server.announcements.contains { $0.hasPrefix("\(path("config"))/apps/a.json:1:") && $0.contains("APP-041") }
        )
        let port = try #require(server.addresses.last?.split(separator: ":").last)
        let fetch = [
            "--include", "--cacert", path("state/development-ca.pem"), "--resolve", "a.example:\(port):127.0.0.1",
            "https://a.example:\(port)/apple-app-site-association", "--output", path("answer"),
        ]
        #expect(try Subject.curl(fetch).status != 0)
        #expect(server.nextLine()?.hasPrefix("\(host)/privkey.pem: error[CERT-004]: ") == true)

        try folder.write("config/hosts/a.example/privkey.pem", key)
        while let line = server.nextLine(), !line.hasPrefix("reloaded: ") {}
        #expect(try Subject.curl(fetch).status == 0)
        let answer = try Data(contentsOf: URL(fileURLWithPath: path("answer")))
        #expect(answer.range(of: Data("content-type: application/pkcs7-mime\r\n".utf8)) != nil)
    }
}
