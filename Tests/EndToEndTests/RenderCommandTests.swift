// `associated render`: prints or writes the files of a host.

import Foundation
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
}
