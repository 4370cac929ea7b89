// `associated diff` and `lint --against`: the sides that a user can name, and what is wrong with them.

import Foundation
import Testing

struct DifferenceCommandTests {
    private static let app = GoldenFolder.app
    private static let changed = app.replacing("\"/a/*\"", with: "\"/b/*\"")
    private static let nothing = "Nothing changes for any phone.\n"

    private func git(_ folder: Folder, _ line: String) throws {
        let identity = "-c user.name=a -c user.email=a@acme.test -c init.defaultBranch=main"
        let run = try Subject.shell("cd '\(folder.path)' && git \(identity) \(line)", ["HOME": folder.path])
        try #require(run.status == 0, "\(run.errors)")
    }

    private func diff(_ folder: Folder, _ arguments: String) throws -> Run {
        try Subject.shell("cd '\(folder.path)' && '\(Subject.executable.path)' diff \(arguments)")
    }

    /// A repository with `config` and `config/retired`, and a changed `config` in the directory.
    private func repository() throws -> Folder {
        let folder = try Folder()
        try folder.write("config/apps/team/shop.json", Self.app)
        try folder.write("config/apps/notes.txt", "no app file")
        try folder.write("config/server.json", "{}")
        try folder.write("config/hosts/shop.acme.test/well-known/x.json", "{}")
        try git(folder, "init -q .")
        try git(folder, "add config")
        try git(folder, "commit -q -m one")
        try folder.write("config/apps/team/shop.json", Self.changed)
        return folder
    }

    @Test func `reads sides from folders, files and git`() throws {
        let folder = try repository()
        try folder.write("old/shop.json", Self.app)
        try folder.write("old.json", Self.app)
        try folder.write("new.json", Self.changed)
        let sides = [
            ("HEAD:config", "config"), ("main:config", "./config/"), ("HEAD:config/apps", "config/apps"),
            ("HEAD:./config/apps/team", "config/apps/team"),
            ("HEAD:config/apps/team/shop.json", "config/apps/team/shop.json"), ("old.json", "new.json"),
            ("HEAD:config/apps/team/shop.json", "new.json"), ("old", "config/apps/team"),
        ]
        for (before, after) in sides {
            let run = try diff(folder, "\(before) \(after)")
            #expect(run.status == 0 && run.errors.isEmpty, "\(before) \(after): \(run.errors)")
            #expect(run.output.contains("  - https://shop.acme.test/a: 9JA89QQLNQ.org.acme.shop on"), "\(run.output)")
            #expect(run.output.contains("  + https://shop.acme.test/b: 9JA89QQLNQ.org.acme.shop on"))
            #expect(!run.output.contains("Removed") && !run.output.contains("guard"))
            #expect(try diff(folder, "\(before) \(before)").output == Self.nothing)
        }
    }

    @Test(arguments: [
        ("nosuch config", "there is no file or directory nosuch; write REFERENCE:PATH for one in git"),
        ("nosuch:config config", "git has no nosuch:config"), ("HEAD:nosuch config", "git has no HEAD:nosuch"),
        ("config broken", "broken/apps/shop.json:1:13"), ("broken config", "cannot compare broken, which has errors"),
        ("config empty", "there is no app file in empty"),
        ("HEAD:config/hosts config", "there is no app file in HEAD:config/hosts"),
        ("config config --environment staging", "no app file has an environment `staging`"),
        (
            "config https://shop.acme.test --resolve shop.acme.test:443:127.0.0.1:1",
            "cannot fetch https://shop.acme.test/"
        ),
    ])
    func `names the side that cannot be read`(arguments: String, message: String) throws {
        let folder = try repository()
        try folder.write("broken/apps/shop.json", "{ name: \"x\" ")
        try folder.write("empty/apps/notes.txt", "")
        let run = try diff(folder, arguments)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `git runs no program of the repository`() throws {
        let folder = try repository()
        try folder.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch ran\n")
        try folder.write("run", "#!/bin/sh\ntouch '\(folder.path)/ran'\ncat\n")
        _ = try Subject.shell("cd '\(folder.path)' && chmod +x run .git/hooks/post-checkout")
        for name in ["core.fsmonitor", "core.pager", "filter.x.smudge", "diff.x.textconv", "core.sshCommand"] {
            try git(folder, "config \(name) '\(folder.path)/run'")
        }
        try folder.write(".git/info/attributes", "* filter=x diff=x\n")
        #expect(try diff(folder, "HEAD:config HEAD:config").output == Self.nothing)
        #expect(try Subject.shell("test -e '\(folder.path)/ran'").status == 1)
    }

    @Test(arguments: [
        ("", "", 0), ("loss", "", 0), ("change", "", 0), ("", Self.changed, 0), ("loss", Self.changed, 1),
        ("change", Self.changed, 1), ("loss", Self.more, 0), ("change", Self.more, 1), ("none", "", 2),
    ])
    func `fails on what --fail-on names`(severity: String, after: String, status: Int) throws {
        let folder = try Folder()
        try folder.write("before.json", Self.app)
        try folder.write("after.json", after.isEmpty ? Self.app : after)
        let option = severity.isEmpty ? "" : "--fail-on \(severity)"
        #expect(try diff(folder, "before.json after.json \(option)").status == status)
    }

    private static let more = app.replacing("{ \"/\": \"/a/*\" }", with: "{ \"/\": \"/a/*\" }, { \"/\": \"/b\" }")

    @Test func `a retired file is not held, and the environment decides`() throws {
        let folder = try repository()
        try folder.write("config/apps/other.json", Self.app.replacing("shop.acme", with: "other.acme"))
        func diff(_ more: String = "") throws -> String { try self.diff(folder, "HEAD:config config \(more)").output }
        _ = try Subject.shell("cd '\(folder.path)' && rm -r config/apps/team")
        #expect(try diff().contains("! team/shop.json removes host shop.acme.test; none of its change"))
        try folder.write("config/retired/team/shop.json", "// on purpose")
        #expect(try !diff().contains("guard"))
        let overlay = Self.app.replacing(
            "scheme:", with: "environments: { staging: { links: [{ \"/\": \"/s\" }] } }, scheme:")
        try folder.write("config/apps/team/shop.json", overlay)
        #expect(try !diff().contains("/s:") && diff("--environment staging").contains("+ https://shop.acme.test/s:"))
        try folder.write("config/server.json", "{ environment: \"staging\" }")
        #expect(try diff().contains("+ https://shop.acme.test/s:"))
        try folder.write("config/server.json", "{ owners: { team: [\"shop.acme.test\"] } }")
        let run = try self.diff(folder, "HEAD:config config")
        #expect(run.errors.contains("config/apps/team/shop.json:3:29: error[APP-046]"), "\(run.errors)")
    }

    @Test func `lint shows the difference after its findings`() throws {
        let folder = try repository()
        let command = "cd '\(folder.path)' && '\(Subject.executable.path)' lint --against HEAD:config"
        let run = try Subject.shell(command)
        #expect(
            run.status == 0 && run.output.contains("- https://shop.acme.test/a: 9JA89QQLNQ.org.acme.shop on"),
            "\(run.errors)")
        #expect(try Subject.shell("\(command) --format json").status == 2)
        #expect(try Subject.shell("\(command) config config").status == 2)
    }
}
