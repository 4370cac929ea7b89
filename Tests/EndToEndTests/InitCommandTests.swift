// `associated init`, and the manual page.

import Foundation
import Testing

struct InitCommandTests {
    @Test func `writes a configuration without findings`() throws {
        let folder = try Folder()
        let path = "\(folder.path)/config"
        let arguments = [
            "init", path, "--name", "My \"Shop\"", "--host", "shop.acme.test", "--app-id", "9JA89QQLNQ.org.acme.shop",
            "--package", "org.acme.shop", "--fingerprint", LintCommandTests.print, "--store-id", "640199958",
        ]
        let run = try Subject.run(arguments)
        #expect(run.status == 0)
        #expect(run.output == "\(path)/apps/myshop.json\n\(path)/server.json\n")
        #expect(run.errors.hasPrefix("next: run `associated lint \(path)`"), "nothing is left to fill in")
        let lint = try Subject.run("lint", path)
        #expect(lint.output.isEmpty, "\(lint.output)")
        #expect(lint.errors == "0 errors, 0 warnings\n")
        let second = try Subject.run(arguments)
        #expect(second.status == 1)
        #expect(second.errors.contains("/myshop.json already exists; remove it, or give this app another --name"))
        try folder.remove("config/apps/myshop.json")
        try folder.write("config/server.json", "{}")
        let again = try Subject.run(arguments)
        #expect(again.errors.contains("\(path)/server.json already exists; left unchanged"))
        #expect(try folder.read("config/server.json") == "{}")
    }

    @Test(arguments: [("--app-id", "--package", "ios:"), ("--package", "--app-id", "android:")])
    func `an id of - means that there is no such app`(given: String, none: String, block: String) throws {
        let folder = try Folder()
        let id = given == "--app-id" ? "9JA89QQLNQ.org.acme.shop" : "org.acme.shop"
        let run = try Subject.run(
            "init", "\(folder.path)/c", "--name", "Shop", "--host", "shop.acme.test", given, id, none, "-",
            "--fingerprint", LintCommandTests.print, "--store-id", "640199958")
        #expect(run.errors.hasPrefix("next: run `associated lint"), "\(run.errors)")
        let text = try folder.read("c/apps/shop.json")
        #expect(["ios:", "android:"].filter { text.contains("\n  \($0) {\n") } == [block], "\(text)")
        let lint = try Subject.run("lint", "\(folder.path)/c")
        #expect(lint.errors == "0 errors, 0 warnings\n", "\(lint.output)\(lint.errors)")
        let neither = try Subject.run(
            "init", "\(folder.path)/d", "--name", "Shop", "--host", "shop.acme.test", given, "-", none, "-")
        #expect(neither.status == 2)
    }

    @Test func `accepts a host as a URL`() throws {
        let folder = try Folder()
        let run = try Subject.run(
            "init", "\(folder.path)/c", "--name", "Zürich", "--host", "https://shop.acme.test/", "--store-id",
            "640199958")
        #expect(run.output.hasPrefix("\(folder.path)/c/apps/zurich.json\n"), "\(run.output)\(run.errors)")
        let text = try folder.read("c/apps/zurich.json")
        #expect(text.contains(#"hosts: ["shop.acme.test"]"#) && text.contains(#"storeID: "640199958""#))
    }

    @Test(arguments: [("!!!", "app"), ("Магазин", "app"), ("Łódź Ønske 24", "lodzonske24")])
    func `the name of the file is ASCII`(name: String, stem: String) throws {
        let folder = try Folder()
        let run = try Subject.run("init", "\(folder.path)/deep/c", "--name", name, "--host", "shop.acme.test")
        #expect(run.output == "\(folder.path)/deep/c/apps/\(stem).json\n\(folder.path)/deep/c/server.json\n")
    }

    @Test func `names the next step if placeholders remain`() throws {
        let folder = try Folder()
        let run = try Subject.run("init", "\(folder.path)/c", "--name", "Shop", "--host", "shop.acme.test")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("next: in \(folder.path)/c/apps/shop.json, replace the placeholders, or remove "))
        #expect(try Subject.run("lint", "\(folder.path)/c").status == 1)
    }

    @Test(.enabled(if: CompletionTests.path(of: "groff") != nil, "there is no groff here"))
    func `groff accepts the manual`() throws {
        let folder = try Folder()
        try folder.write("page", try Subject.run("manual").output)
        let groff = URL(fileURLWithPath: try #require(CompletionTests.path(of: "groff")))
        let run = try Subject.run(groff, ["-man", "-ww", "-Tutf8", "\(folder.path)/page"])
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.contains("OPTION…") && run.output.contains("ASSOCIATED_ADMIN_TOKEN_FILE"))
    }
}
