// `associated render`: prints or writes the files of a host.

import Certificates
import Foundation
import TLS
import Testing

struct RenderCommandTests {
    @Test func `prints the files that a server sends, byte for byte`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        try folder.write("config/hosts/files.acme.test/well-known/assetlinks.json", "[ ]\n")
        let config = "\(folder.path)/config"
        let server = try RunningServer(["--config", config, "--public", folder.path, "--http", "127.0.0.1:0"])
        for (host, platform, file) in [
            ("shop.acme.test", "apple", "apple-app-site-association"),
            ("SHOP.acme.test.", "android", "assetlinks.json"),
            ("x.acme.test", "apple", "apple-app-site-association"), ("files.acme.test", "android", "assetlinks.json"),
        ] {
            let served = try server.fetch("/.well-known/\(file)", host: host)
            let run = try Subject.run("render", host, platform, "--config", config, "--public", folder.path)
            #expect(run.status == 0)
            #expect(run.output == served)
            #expect(!run.output.isEmpty)
        }
        let both = try Subject.run("render", "shop.acme.test", "--config", config)
        #expect(both.output.split(separator: "\n").count == 2)
        try folder.write("config/apps/bad.json", "{ name: \"Other\", hosts: [\"other.test\"], ")
        #expect(
            try Subject.run("render", "other.test", "--config", config).errors.hasSuffix(
                "other.test cannot be rendered because of the error above; a running server may still serve its last "
                    + "good version\n"))
        #expect(try Subject.run("render", "other.test", "linux").status == 2)
    }

    @Test func `writes nothing behind a link out of the output folder`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        try folder.write("outside/Info.plist", "<plist/>")
        for (link, target, words) in [
            ("dist/shop.acme.test", "../outside", ["render", "shop.acme.test"]),
            ("app/Shop.entitlements", "../outside/Info.plist", ["snippet", "shop", "ios", "--force"]),
        ] {
            let output = "\(folder.path)/\(link.split(separator: "/")[0])"
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            try folder.link(link, to: target)
            let run = try Subject.run(words + ["--config", "\(folder.path)/config", "--output", output])
            #expect(run.status == 1 && run.errors.contains("\(link) is a link out of \(output); remove it"), "\(run)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/outside") == ["Info.plist"])
            #expect(try folder.read("outside/Info.plist") == "<plist/>")
        }
    }

    @Test func `writes the documents of every host for a static website`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        try folder.write("config/hosts/files.acme.test/well-known/assetlinks.json", "[ ]\n")
        let config = "\(folder.path)/config", output = "\(folder.path)/dist"
        let files = "\(output)/files.acme.test/.well-known/assetlinks.json"
        // Existing files are replaced.
        try folder.write("dist/files.acme.test/.well-known/assetlinks.json", "old")
        let run = try Subject.run("render", "--all", "--output", output, "--config", config)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try String(contentsOfFile: files, encoding: .utf8) == "[ ]\n")
        let names = run.output.split(separator: "\n").map { $0.dropFirst(output.count + 1) }
        #expect(names.contains("_wildcard.acme.test/.well-known/apple-app-site-association"), "\(names)")
        #expect(names.contains("shop.acme.test/.well-known/assetlinks.json"))
        #expect(!names.contains { $0.hasSuffix("/webauthn") || $0.hasSuffix("/passkey-endpoints") })
        let one = try Subject.run("render", "shop.acme.test", "apple", "--config", config)
        let shop = "\(output)/shop.acme.test/.well-known/apple-app-site-association"
        #expect(try String(contentsOfFile: shop, encoding: .utf8) == one.output)
        let compared = try Subject.run(
            "render", "--all", "--diff", "--config", config, "--resolve", "*:443:127.0.0.1:1")
        #expect(compared.status == 1)
        for host in ["files.acme.test", "shop.acme.test"] {
            #expect(compared.errors.contains("cannot fetch https://\(host)/.well-known/"), "\(compared.errors)")
        }
        #expect(!compared.errors.contains("*"))
        for wrong in [
            ["--all"], ["--all", "--diff", "--output", output], ["--output", output], ["shop.acme.test", "--all"],
            ["x.test", "--diff", "--output", output],
        ] { #expect(try Subject.run(["render", "--config", config] + wrong).status == 2, "\(wrong)") }
    }

    @Test func `writes the files of passkeys beside the others`() throws {
        let folder = try Folder()
        try folder.write(
            "config/apps/shop.json",
            """
            { name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] },
              passkeys: { enroll: "https://shop.acme.test/add", origins: ["https://acme.test"] } }
            """)
        let output = "\(folder.path)/dist"
        let run = try Subject.run(
            "render", "shop.acme.test", "--output", output, "--config", "\(folder.path)/config")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try folder.read("dist/shop.acme.test/.well-known/webauthn").contains("https://acme.test"))
        #expect(try folder.read("dist/shop.acme.test/.well-known/passkey-endpoints").contains("shop.acme.test/add"))
    }

    /// An answer of the live host to a request for a file that the configuration has, and what `--diff` prints about it.
    private static let answers: [(answer: String, output: String, error: String?)] = [
        ("404 Not Found", "+++ ", nil), ("410 Gone", "+++ ", nil),
        ("403 Forbidden", "", "it answers 403"), ("301 Moved", "", "it answers 301"),
        ("503 Unavailable", "", "it answers 503"),
    ]

    @Test(arguments: answers)
    func `a live host that has no file differs, and one with another answer cannot be compared`(
        answer: String, output: String, error: String?
    ) throws {
        let folder = try Folder(files: ["config/apps/a.json": Self.app("a", "a.acme.test")])
        try folder.certify("a.acme.test")
        let server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/config/hosts")) { _ in
            .text("HTTP/1.1 \(answer)\r\ncontent-length: 0\r\n\r\n")
        }
        let run = try Subject.run(
            "render", "a.acme.test", "--diff", "--config", "\(folder.path)/config", "--ca",
            "\(folder.path)/state/development-ca.pem", "--resolve", "a.acme.test:443:\(server.address)")
        #expect(run.status == 1)
        #expect(output.isEmpty ? run.output.isEmpty : run.output.contains(output), "\(run.output)")
        let path = "https://a.acme.test/.well-known/apple-app-site-association"
        #expect(run.errors == (error.map { "associated: cannot fetch \(path): \($0)\n" } ?? ""))
    }

    private static func app(_ id: String, _ hosts: String...) -> String {
        #"{ name: "A", hosts: \#(hosts), ios: { appIDs: ["9JA89QQLNQ.org.acme.\#(id)"] }, links: [{ "/": "/a" }] }"#
    }

    /// A file with errors, the hosts that it leaves out, and its folder. Owners keep a tenant from leaving out another's host.
    private static let broken: [(text: String, hosts: [String])] = [
        (app("1!", "new.acme.test"), ["new.acme.test"]), (app("1!", "b.acme.test"), ["b.acme.test"]),
        (app("1!", "b.acme.test", "x.b.acme.test"), ["b.acme.test", "x.b.acme.test"]),
        (#"{ hosts: ["b.acme.test"] no"#, ["b.acme.test"]), ("no", []), (app("2", "a.acme.test"), []),
        (#"{ hosts: ["a.acme.test"] no"#, []),
    ]

    @Test(arguments: broken)
    func `a host that a file with errors names is left out, and named`(text: String, hosts: [String]) throws {
        let folder = try Folder(files: [
            "config/server.json": #"{ owners: { a: ["a.acme.test"] } }"#,
            "config/apps/a/a.json": Self.app("a", "a.acme.test"), "config/apps/b/b.json": Self.app("b", "b.acme.test"),
            "config/apps/b/bad.json": text,
        ])
        let config = "\(folder.path)/config"
        let all = try Subject.run("render", "--all", "--output", "\(folder.path)/out", "--config", config)
        #expect(all.status == 1)
        let names = hosts.isEmpty ? "" : " of \(hosts.joined(separator: ", "))"
        #expect(all.errors.contains("/apps/b/bad.json has errors, so its part\(names) is left out"), "\(all.errors)")
        for host in ["a.acme.test", "b.acme.test"] {
            #expect(all.output.contains("/\(host)/") != hosts.contains(host), "\(all.output)")
            let one = try Subject.run("render", host, "--config", config)
            #expect(one.status == (hosts.contains(host) ? 1 : 0), "\(one.errors)")
            // What is incomplete is shown, and not written.
            #expect(one.output.hasPrefix("{"))
        }
        let other = try Subject.run("render", "other.acme.test", "--config", config)
        #expect(other.errors == "associated: other.acme.test is not served from \(config)\n")
    }
}
