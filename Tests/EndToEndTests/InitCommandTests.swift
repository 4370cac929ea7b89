// `associated init`, and what is generated from the descriptions of the commands: completions and the manual page.

import Foundation
import Testing

struct InitCommandTests {
    @Test func `writes a configuration that lint is silent about`() throws {
        let folder = try Folder()
        let path = "\(folder.path)/config"
        let arguments = [
            "init", path, "--name", "My \"Shop\"", "--host", "shop.acme.test", "--app-id", "9JA89QQLNQ.org.acme.shop",
            "--package", "org.acme.shop", "--fingerprint", LintCommandTests.print,
        ]
        let run = try Subject.run(arguments)
        #expect(run.status == 0)
        #expect(run.output == "\(path)/apps/myshop.json\n\(path)/server.json\n")
        let lint = try Subject.run("lint", path)
        #expect(lint.output.isEmpty, "\(lint.output)")
        #expect(lint.errors == "0 errors, 0 warnings\n")
        try folder.write("config/server.json", "{}")
        let again = try Subject.run(arguments)
        #expect(again.errors.contains("\(path)/server.json is there already, and stays"))
        #expect(try folder.read("config/server.json") == "{}")
    }

    @Test func `a name without letters has a file all the same`() throws {
        let folder = try Folder()
        let run = try Subject.run("init", "\(folder.path)/deep/c", "--name", "!!!", "--host", "shop.acme.test")
        #expect(run.output == "\(folder.path)/deep/c/apps/app.json\n\(folder.path)/deep/c/server.json\n")
    }

    @Test func `says where to go on when something is left to fill in`() throws {
        let folder = try Folder()
        let run = try Subject.run("init", "\(folder.path)/c", "--name", "Shop", "--host", "shop.acme.test")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("next: fill in what is missing"))
        #expect(try Subject.run("lint", "\(folder.path)/c").status == 1)
    }

    @Test(arguments: [
        (["init"], "init needs --name NAME and --host HOST where there is nobody to ask"),
        (["init", "--name", "Shop", "--host", "https://x"], "`https://x` is not a host: it has a scheme"),
        (
            ["init", "--name", "Shop", "--host", "a.example", "--app-id", "shop"],
            "app id `shop` is not PREFIX.bundle.id, so it equals no signed app's id"
        ),
        (["completion", "tcsh"], "there are completions for bash, zsh and fish, and none for tcsh"),
    ])
    func `wrong usage is one line and status 2`(arguments: [String], message: String) throws {
        let command = ([Subject.executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let run = try Subject.run(URL(fileURLWithPath: "/bin/sh"), ["-c", "\(command) < /dev/null"])
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(message)\n")
    }

    @Test func `bash completes commands and their options`() throws {
        let folder = try Folder()
        try folder.write("completion", try Subject.run("completion", "bash").output)
        let script = """
            source \(folder.path)/completion
            COMP_WORDS=(associated ver); COMP_CWORD=1; _associated; echo "${COMPREPLY[@]}"
            COMP_WORDS=(associated lint --f); COMP_CWORD=2; _associated; echo "${COMPREPLY[@]}"
            """
        let run = try Subject.run(URL(fileURLWithPath: "/bin/bash"), ["-c", script])
        #expect(run.output == "verify version\n--format --fail-on --fix\n")
        #expect(run.errors.isEmpty)
    }

    @Test func `the other completions and the manual name every command and option`() throws {
        let overview = try Subject.run("--help").output
        let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(commands.contains("lint"))
        let zsh = try Subject.run("completion", "zsh").output
        let fish = try Subject.run("completion", "fish").output
        let page = try Subject.run("manual").output
        for command in commands {
            #expect(zsh.contains("    '\(command):"))
            #expect(fish.contains(" -a \(command) -d "))
            #expect(page.contains(".SS \(command)"))
        }
        #expect(zsh.contains("'--explain["))
        #expect(fish.contains("__fish_seen_subcommand_from lint' -l explain -d "))
        #expect(page.contains(".B \\-\\-explain RULE\n"))
        #expect(page.hasPrefix(".TH ASSOCIATED 1 "))
    }
}
