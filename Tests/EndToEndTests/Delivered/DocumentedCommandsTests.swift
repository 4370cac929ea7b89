// Runs the examples of docs/commands.md, README.md, docs/first-app.md, docs/acme.md and docs/process.md and compares their output with the documents.
// Most run in a folder with the demonstration's configuration, next to a server that serves it. In the documents, `...` stands for
// omitted lines, and the words behind the language of a block say what runs it.

import Foundation
import Testing

struct DocumentedCommandsTests {
    /// A command and its output as a document shows them.
    private struct Example {
        var command: String
        var shown: [String] = []
    }

    private static func lines(of document: String) throws -> [String] {
        try String(contentsOf: Peers.root.appendingPathComponent(document), encoding: .utf8)
            .components(separatedBy: "\n")
    }

    /// A code block: its language, and the words behind it, which renderers do not show.
    private struct Block {
        var language: String
        var runner: String
        var lines: [String] = []
    }

    private static func blocks(in document: String) throws -> [Block] {
        var blocks: [Block] = []
        var isInside = false
        for line in try lines(of: document) {
            if line.hasPrefix("```") {
                isInside.toggle()
                let words = line.dropFirst(3).split(separator: " ", maxSplits: 1).map(String.init)
                if isInside {
                    blocks.append(Block(language: words.first ?? "", runner: words.dropFirst().first ?? ""))
                }
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }

    /// The code blocks of one language in a document.
    private static func blocks(_ kind: String, in document: String = "docs/commands.md") throws -> [[String]] {
        try blocks(in: document).filter { $0.language == kind }.map(\.lines)
    }

    private static func examples(in document: String) throws -> [Example] {
        try blocks("console", in: document).flatMap { block in
            block.reduce(into: [Example]()) { examples, line in
                if line.hasPrefix("$ ") {
                    examples.append(Example(command: String(line.dropFirst(2))))
                } else {
                    examples[examples.count - 1].shown.append(line)
                }
            }
        }
    }

    @Test(arguments: ["README.md", "docs/first-app.md", "docs/acme.md", "docs/process.md"])
    func `each block of commands names what runs it, or why nothing does`(document: String) throws {
        for block in try Self.blocks(in: document) where ["sh", "console", "ini"].contains(block.language) {
            if block.runner.hasPrefix("untested: ") { continue }
            let place =
                block.runner.hasPrefix("script/") ? block.runner : "Tests/EndToEndTests/Delivered/\(block.runner).swift"
            let runner = try? Self.lines(of: place).joined(separator: "\n")
            #expect(runner?.contains(document) == true, "\(document): \(block)")
        }
    }

    /// A folder like a clone of the project.
    private func clone() throws -> Folder {
        let folder = try Folder()
        try folder.copyFromProject("config", "public")
        let lines = [
            "{", "  \"applinks\": {", "    \"details\": [", "      {",
            "        \"appIDs\": [\"8KQ2V7M4XN.dev.associated.shop\"],", "        \"components\": [",
            "          { \"/\": \"/b\" },", "          { \"/\": \"/c\", \"?\": { \"q\": \"?*\" } },", "        ]",
            "      }", "    ]", "  },",
            "  \"webcredentials\": { \"apps\": [\"8KQ2V7M4XN.dev.associated.shop\"] }", "}", "",
        ]
        try folder.write("theirs/apple-app-site-association", lines.joined(separator: "\n"))
        let identity = "-c user.name=a -c user.email=a@acme.test"
        let git = "git init -q -b main . && git add config && git \(identity) commit -q -m one"
        let commit = try run(git, in: folder)
        try #require(commit.status == 0, "\(commit.errors)")
        return folder
    }

    private func run(_ command: String, in folder: Folder, shell: String = "/bin/sh") throws -> Run {
        let path = "\(Subject.executable.deletingLastPathComponent().path):/usr/bin:/bin"
        return try Subject.run(
            URL(fileURLWithPath: shell), ["-c", "cd '\(folder.path)' && \(command)"],
            ["PATH": path, "HOME": folder.path])
    }

    @Test func `every example in the documents prints the output shown there`() throws {
        let folder = try clone()
        let server = try RunningServer([
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
            "\(folder.path)/.build/state", "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--dev",
        ])
        try folder.write(".curlrc", "silent")
        let requests = try Self.examples(in: "README.md").filter { $0.command.hasPrefix("curl ") }
        let examples = try Self.examples(in: "docs/commands.md") + requests
        #expect(examples.count >= 16)
        for example in examples {
            // Here the demonstration listens on other ports.
            let command = example.command.replacing(".localhost:8443", with: ".localhost:\(server.securePort)")
                .replacing(".localhost:8080", with: ".localhost:\(server.port)")
            let run = try run(command, in: folder)
            let printed = run.output + run.errors
            #expect(run.status == (printed.contains("error[") ? 1 : 0), "\(command): \(printed)")
            #expect(Self.is(printed, like: example.shown), "\(command) prints\n\(printed)")
        }
    }

    @Test func `the lint and match examples of the README print the output shown there`() throws {
        let folder = try Folder()
        try folder.write(
            "config/apps/shop.json",
            """
            {
              name: "Acme Shop",
              hosts: ["shop.example.com"],
              ios: { appIDs: ["8KQ2V7M4XN.com.acme.shop"] },
              android: { package: "com.acme.shop", fingerprints: ["\(LintCommandTests.print)"] },
              links: [
                { "/": "/help/*" },
                { "/": "/help/website/*", exclude: true },
                { "/": "/buy/*", "?": { page: "?*" } },
              ],
            }

            """)
        let examples = try Self.examples(in: "README.md").filter { $0.command.hasPrefix("associated ") }
        #expect(examples.map { $0.command.split(separator: " ")[1] } == ["lint", "match"])
        for example in examples {
            let run = try run(example.command, in: folder)
            let printed = run.output + run.errors
            #expect(run.status == 0 && Self.is(printed, like: example.shown), "\(example.command) prints\n\(printed)")
        }
    }

    @Test func `the steps of docs/first-app.md work one after the other`() throws {
        let folder = try Folder()
        try folder.write(".curlrc", "silent")
        var server: RunningServer?
        for block in try Self.blocks(in: "docs/first-app.md") where block.runner == "DocumentedCommandsTests" {
            let script = block.lines.joined(separator: "\n").replacing("8443", with: server?.securePort ?? "0")
            if script.hasPrefix("associated serve --dev") {
                let options = script.split(separator: " ").dropFirst(2).map(String.init)
                server = try RunningServer(options + ["--http", "127.0.0.1:0"] + folder.options)
                continue
            }
            let examples = try Self.examples(in: "docs/first-app.md")
            for command in block.language == "console" ? examples.map(\.command) : ["set -e; \(script)"] {
                let run = try run(command, in: folder)
                #expect(run.status == 0, "\(command): \(run.errors)")
                let shown = block.language == "console" ? examples.first { $0.command == command }?.shown ?? [] : []
                #expect(Self.is(run.output, like: shown), "\(command) prints\n\(run.output)")
                if command.contains("curl ") {
                    let answers = run.output.components(separatedBy: "HTTP/1.1 200 OK\r\n")
                    #expect(
                        answers.count == 3 && run.output.split(separator: "content-type: application/json").count == 3)
                }
            }
        }
        try #require(server).stop()
    }

    @Test func `the README lists every command`() throws {
        let rows = try Self.lines(of: "README.md").drop { !$0.hasPrefix("| command |") }.prefix { !$0.isEmpty }
        let listed = rows.compactMap { $0.split(separator: "|").first }
            .flatMap { $0.matches(of: /`([a-z]+)`/).map { String($0.1) } }
        #expect(listed.sorted() == (try GoldenTests.commandNames()).sorted())
    }

    @Test func `an upgrade is done by the commands of process.md`() throws {
        let folder = try Folder(serving: "a.example")
        try folder.makeFolder("bin")
        for name in ["associated", "bin/associated"] { try Subject.copyExecutable(to: "\(folder.path)/\(name)") }
        let server = try RunningServer(
            command: ["\(folder.path)/bin/associated", "serve", "--http", "127.0.0.1:0"] + folder.options,
            environment: [:],
            input: nil)
        let upgrades = try Self.blocks(in: "docs/process.md").filter { $0.runner == "DocumentedCommandsTests" }
        #expect(upgrades.count == 1)
        for line in upgrades.flatMap(\.lines) {
            let command = line.replacing("/usr/local/", with: "\(folder.path)/")
                .replacing(" PID", with: " \(server.processIdentifier)")
            let run = try run(command, in: folder)
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        #expect(server.line(beginning: "upgraded: ") != nil)
        server.stop()
    }

    @Test(.enabled(if: AuthorityLab.isInstalled, AuthorityLab.absence))
    func `the commands of acme.md work beside a manager`() throws {
        let lab = try AuthorityLab(hosts: ["news.example.com", "go.example.com"])
        try lab.expect("2 issued")
        let commands = try Self.blocks(in: "docs/acme.md").filter { $0.runner == "DocumentedCommandsTests" }
            .flatMap(\.lines).filter { $0.hasPrefix("$ associated acme ") }.map { $0.prefix { $0 != "#" }.dropFirst(2) }
        #expect(commands.count >= 5)
        for command in commands {
            let run = try lab.acme(command.split(separator: " ").dropFirst(2).map(String.init))
            #expect(run.status == 0, "\(command): \(run.text)")
        }
    }

    /// Whether a text has the shown lines in their order, with other lines only at `...`, which may also stand for the rest of a line.
    private static func `is`(_ printed: String, like shown: [String]) -> Bool {
        if shown.isEmpty { return true }
        func isShown(_ line: String, _ shown: String) -> Bool {
            shown.hasSuffix("...") ? line.hasPrefix(shown.dropLast(3)) : line == shown
        }
        var rest = printed.replacing("\r\n", with: "\n").components(separatedBy: "\n")[...]
        if rest.last == "" { rest = rest.dropLast() }
        var mayLeaveOut = false
        for line in shown {
            if line == "..." {
                mayLeaveOut = true
                continue
            }
            guard let place = rest.firstIndex(where: { isShown($0, line) }), mayLeaveOut || place == rest.startIndex
            else { return false }
            rest = rest[(place + 1)...]
            mayLeaveOut = false
        }
        return rest.isEmpty || mayLeaveOut
    }

    @Test func `every script in the document runs`() throws {
        let folder = try clone()
        let scripts = try Self.blocks("sh").filter { !$0.contains("#!/bin/sh") }
        #expect(!scripts.isEmpty)
        for script in scripts {
            let run = try run(script.joined(separator: "\n"), in: folder, shell: "/bin/bash")
            #expect(run.status == 0)
            #expect(run.errors.isEmpty, "\(run.errors)")
        }
        #expect(try folder.read(".zfunc/_associated").hasPrefix("#compdef associated"))
        #expect(try folder.read("associated.1").hasPrefix(".TH ASSOCIATED 1"))
    }

    @Test func `the pre-commit hook stops a commit with a lint error`() throws {
        let folder = try clone()
        let hook = try #require(try Self.blocks("sh").first { $0.contains("#!/bin/sh") }).joined(separator: "\n")
        try folder.write("hook", hook)
        let set = "git init --quiet . && git add config && "
        #expect(try run("\(set) sh hook", in: folder).status == 0)
        try folder.write("config/apps/broken.json", "{")
        let refused = try run("git add config && sh hook", in: folder)
        #expect(refused.status == 1)
        #expect(refused.output.contains("config/apps/broken.json:1:"))
        // What is committed counts, whatever the file is now.
        try folder.write("config/apps/broken.json", try folder.read("config/apps/shop.json"))
        #expect(try run("sh hook", in: folder).output.contains("config/apps/broken.json:1:"))
        #expect(try run("git -c user.name=a -c user.email=a@b commit --quiet -m a; sh hook", in: folder).status == 0)
    }
}
