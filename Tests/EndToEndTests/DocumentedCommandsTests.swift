// The examples in docs/commands.md, run as they stand there, in a folder with the demonstration's configuration and beside a
// server that serves it. What stands below a command is what it prints; `...` stands for lines that are left out.

import Foundation
import Testing

struct DocumentedCommandsTests {
    /// An example: a command, and what is shown of its output.
    private struct Example {
        var command: String
        var shown: [String] = []
    }

    private static let document = Peers.root.appendingPathComponent("docs/commands.md")

    /// The blocks of one kind in the document.
    private static func blocks(_ kind: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var isInside = false
        for line in try String(contentsOf: document, encoding: .utf8).components(separatedBy: "\n") {
            if isInside, line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            } else if line == "```\(kind)" {
                isInside = true
                blocks.append([])
            }
        }
        return blocks
    }

    private static func examples() throws -> [Example] {
        try blocks("console").flatMap { block in
            block.reduce(into: [Example]()) { examples, line in
                if line.hasPrefix("$ ") {
                    examples.append(Example(command: String(line.dropFirst(2))))
                } else {
                    examples[examples.count - 1].shown.append(line)
                }
            }
        }
    }

    /// A folder as a clone has it once the demonstration runs.
    private func clone() throws -> Folder {
        let folder = try Folder()
        for name in ["config", "public"] {
            try FileManager.default.copyItem(
                atPath: Peers.root.appendingPathComponent(name).path, toPath: "\(folder.path)/\(name)")
        }
        let lines = [
            "{", "  \"applinks\": {", "    \"details\": [", "      {",
            "        \"appIDs\": [\"8KQ2V7M4XN.dev.associated.shop\"],", "        \"components\": [",
            "          { \"/\": \"/b\" },", "          { \"/\": \"/c\", \"?\": { \"q\": \"?*\" } },", "        ]",
            "      }", "    ]", "  },",
            "  \"webcredentials\": { \"apps\": [\"8KQ2V7M4XN.dev.associated.shop\"] }", "}", "",
        ]
        try folder.write("theirs/apple-app-site-association", lines.joined(separator: "\n"))
        return folder
    }

    private func run(_ command: String, in folder: Folder, shell: String = "/bin/sh") throws -> Run {
        let path = "\(Subject.executable.deletingLastPathComponent().path):/usr/bin:/bin"
        return try Subject.run(
            URL(fileURLWithPath: shell), ["-c", "cd '\(folder.path)' && \(command)"],
            ["PATH": path, "HOME": folder.path])
    }

    @Test func `every example prints what it says`() throws {
        let folder = try clone()
        let server = try RunningServer([
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
            "\(folder.path)/.build/state", "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--dev",
        ])
        let port = server.addresses.last?.split(separator: ":").last.map(String.init) ?? ""
        let examples = try Self.examples()
        #expect(examples.count >= 14)
        for example in examples {
            // The demonstration has a port of its own here.
            let command = example.command.replacing(":8443:127.0.0.1", with: ":8443:127.0.0.1:\(port)")
            let run = try run(command, in: folder)
            let printed = run.output + run.errors
            #expect(run.status == (printed.contains("error[") ? 1 : 0), "\(command): \(printed)")
            // The shell takes what stands behind a command for a remark, and so does the reader.
            #expect(Self.is(printed, like: example.shown), "\(command) prints\n\(printed)")
        }
    }

    /// Whether a text has the lines that are shown, in their order and with nothing between but where `...` stands.
    private static func `is`(_ printed: String, like shown: [String]) -> Bool {
        if shown.isEmpty { return true }
        var rest = printed.components(separatedBy: "\n").dropLast()[...]
        var mayLeaveOut = false
        for line in shown {
            if line == "..." {
                mayLeaveOut = true
                continue
            }
            guard let place = mayLeaveOut ? rest.firstIndex(of: line) : rest.first == line ? rest.startIndex : nil
            else {
                return false
            }
            rest = rest[(place + 1)...]
            mayLeaveOut = false
        }
        return rest.isEmpty || mayLeaveOut
    }

    @Test func `the scripts run too`() throws {
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

    @Test func `the hook refuses a commit that lint refuses`() throws {
        let folder = try clone()
        let hook = try #require(try Self.blocks("sh").first { $0.contains("#!/bin/sh") }).joined(separator: "\n")
        try folder.write("hook", hook)
        let set = "git init --quiet . && git add config && "
        #expect(try run("\(set) sh hook", in: folder).status == 0)
        try folder.write("config/apps/broken.json", "{")
        let refused = try run("git add config && sh hook", in: folder)
        #expect(refused.status == 1)
        #expect(refused.output.contains("config/apps/broken.json:1:"))
        #expect(try run("git -c user.name=a -c user.email=a@b commit --quiet -m a; sh hook", in: folder).status == 0)
    }
}
