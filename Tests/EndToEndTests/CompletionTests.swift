// Completions in their shells. bash and zsh run on a terminal where keys are pressed; fish prints its own offers. Tests of a
// shell that is not installed are skipped; script/peers installs all three.

import Foundation
import Testing

struct CompletionTests {
    static func path(of program: String) -> String? {
        ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The text before the tab key, and the words of the command line afterwards.
    static let keys: [(typed: String, words: [String])] = [
        ("sni", ["snippet"]), ("serve --sta", ["serve", "--state"]), ("completion f", ["completion", "fish"]),
        ("lint --format sar", ["lint", "--format", "sarif"]), ("lint --format=sar", ["lint", "--format=sarif"]),
        ("lint --as ent", ["lint", "--as", "entitlements"]),
        ("match x --format j", ["match", "x", "--format", "json"]),
        ("lint --explain AASA-019", ["lint", "--explain", "AASA-019"]),
        ("serve --sandbox req", ["serve", "--sandbox", "required"]),
        ("verify a --relation get", ["verify", "a", "--relation", "get_login_creds"]),
        ("snippet sh", ["snippet", "shop"]), ("retire sh", ["retire", "shop"]),
        ("snippet shop capa", ["snippet", "shop", "capacitor"]),
        ("snippet --config other ba", ["snippet", "--config", "other", "bank"]),
        ("snippet shop ios --mode developer+", ["snippet", "shop", "ios", "--mode", "developer+managed"]),
        ("lint two", ["lint", "two words"]), ("serve --config two", ["serve", "--config", "two words"]),
        ("serve --http ", ["serve", "--http"]), ("match fi", ["match", "fi"]),
        ("render a.test app", ["render", "a.test", "apple"]),
    ]

    /// Types lines into a shell, and reads the arguments of a function called `associated`, one line of JSON for each.
    private static let driver = #"""
        import json, os, pty, re, select, sys, time
        program, setup, folder, lines = sys.argv[1], sys.argv[2], sys.argv[3], json.load(sys.stdin)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execve(program, [program] + (["--norc", "--noprofile", "-i"] if "bash" in program else ["-f", "-i"]),
                      {"PATH": "/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8"})
        end = time.monotonic() + 60
        def read(mark):
            seen = b""
            while mark not in seen:
                if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                    sys.exit(f"no {mark!r} in {seen[-2000:]!r}")
                seen += os.read(terminal, 65536)
            return seen.decode(errors="replace")
        # The marks are put together by the shell, so that an echo of what is typed has none of them.
        os.write(terminal, f"source {setup}; printf '%s%s\\n' REA DY1\n".encode())
        read(b"READY1")
        for line in lines:
            os.write(terminal, f"associated {line}\t\n".encode())
            seen = read(b"READY2")
            words = re.findall(r"<<(.*?)>>", seen.split("GIVEN:")[-1])
            print(json.dumps({"words": words, "seen": seen}))
        os.write(terminal, b"exit\n")
        os.waitpid(pid, 0)
        """#

    private static let setups = [
        "bash": "bind 'set completion-query-items 0'; bind 'set page-completions off'; source ./completion\n",
        "zsh": "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; LISTMAX=100000; source ./completion\n",
    ]

    private struct Answer: Decodable {
        let words: [String]
        let seen: String
    }

    private func scene(_ shell: String) throws -> Folder {
        let folder = try Folder()
        for name in ["config/apps/shop.json", "other/apps/bank.json", "two words/x", "file"] {
            try folder.write(name, "{}")
        }
        try folder.write("completion", Subject.run("completion", shell).output)
        return folder
    }

    /// The words of each line after the tab key, in a shell on a terminal.
    private func press(_ shell: String, _ lines: [String]) throws -> [Answer] {
        let folder = try scene(shell)
        let function = #"associated() { printf GIVEN:; printf '<<%s>>' "$@"; printf '\n%s%s\n' REA DY2; }"#
        try folder.write("setup", (Self.setups[shell] ?? "") + function + "\n")
        try folder.write("driver.py", Self.driver)
        try folder.write("lines.json", String(decoding: try JSONEncoder().encode(lines), as: UTF8.self))
        let program = try #require(Self.path(of: shell))
        let run = try Subject.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c",
                "python3 '\(folder.path)/driver.py' \(program) ./setup '\(folder.path)' < '\(folder.path)/lines.json'",
            ],
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        #expect(run.status == 0, "\(run.errors)")
        return try run.output.split(separator: "\n").map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
    }

    private static let canPress = path(of: "python3") != nil || path(of: "env") != nil

    @Test(.enabled(if: canPress, "there is no Python here"), arguments: ["bash", "zsh"].filter { path(of: $0) != nil })
    func `the tab key completes words, files and apps`(shell: String) throws {
        let answers = try press(shell, Self.keys.map(\.typed))
        #expect(answers.count == Self.keys.count)
        for (answer, key) in zip(answers, Self.keys) {
            let words = answer.words.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
            #expect(words == key.words, "\(shell): \(key.typed): \(answer.seen)")
        }
    }

    /// Every option with a value and every operand, so that the shell executes no placeholder as a command.
    @Test(.enabled(if: canPress, "there is no Python here"), arguments: ["bash", "zsh"].filter { path(of: $0) != nil })
    func `completing any option causes no shell error`(shell: String) throws {
        let commands = try Subject.run("--help").output.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.output.1) }
        let lines = try commands.flatMap { command in
            let help = try Subject.run(command, "--help").output
            let options = help.matches(of: #/(?m)^  (--[a-z-]+) [A-Z]/#).map { String($0.output.1) }
            return ["\(command) "] + options.map { "\(command) \($0) " }
        }
        #expect(lines.count > 60)
        let answers = try press(shell, lines)
        for (answer, line) in zip(answers, lines) {
            #expect(answer.words.starts(with: line.split(separator: " ").map(String.init)), "\(line): \(answer.seen)")
            for complaint in ["not found", "_arguments", "invalid", "syntax error", "unbound", "bad "] {
                #expect(!answer.seen.contains(complaint), "\(shell): \(line): \(answer.seen)")
            }
        }
    }

    @Test(.enabled(if: path(of: "shellcheck") != nil, "there is no ShellCheck here"))
    func `ShellCheck has nothing against the script for bash`() throws {
        let folder = try scene("bash")
        let run = try Subject.shell(
            "\(try #require(Self.path(of: "shellcheck"))) --norc -s bash '\(folder.path)/completion'")
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(.enabled(if: path(of: "fish") != nil, "there is no fish here"))
    func `fish offers words, files and apps`() throws {
        let folder = try scene("fish")
        let lines = Self.keys.map { "complete -C 'associated \($0.typed)'; echo END" }
        try folder.write("ask", "source completion\n" + lines.joined(separator: "\n") + "\n")
        let run = try Subject.shell(
            "cd '\(folder.path)' && \(try #require(Self.path(of: "fish"))) --no-config ask",
            ["PATH": "/usr/bin:/bin", "HOME": folder.path])
        #expect(run.errors.isEmpty, "\(run.errors)")
        let answers = run.output.components(separatedBy: "END\n").dropLast()
        #expect(answers.count == Self.keys.count)
        for (answer, key) in zip(answers, Self.keys) {
            let offers = answer.split(separator: "\n").map { $0.split(separator: "\t")[0] }
            // Without known values there is nothing to offer.
            let isFree =
                key.typed.split(separator: " ").map(String.init) == key.words && !key.words.contains("AASA-019")
            let word = key.words.last.map { $0 == "two words" ? "two words/" : $0 } ?? ""
            #expect(offers.map(String.init) == (isFree ? [] : [word]), "\(key.typed): \(answer)")
        }
    }
}
