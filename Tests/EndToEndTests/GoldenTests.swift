// Compares the output of every command, on pipes and on a terminal, with the texts in Tests/Golden. A change of wording is a
// change of such a file; ASSOCIATED_UPDATE_GOLDEN=1 swift test --filter GoldenTests writes the files again.

import Foundation
import Testing

struct GoldenTests {
    private static let place = Peers.root.appendingPathComponent("Tests/Golden")
    private static let updates = ProcessInfo.processInfo.environment["ASSOCIATED_UPDATE_GOLDEN"] == "1"

    /// The names of all commands, from the program's own overview, so that no command can lack a golden help text.
    static func commandNames() throws -> [String] {
        let lines = try Subject.run("--help").output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        return lines.compactMap { $0.split(separator: " ").first.map(String.init) }
    }
    private static let app = "--package org.acme.shop --fingerprint \(LintCommandTests.print)"
    private static let closed = "--resolve shop.acme.test:443:127.0.0.1:1"

    private static let commands: [GoldenCommand] =
        ((try? commandNames()) ?? []).map { GoldenCommand("help-\($0)", "associated \($0) --help") } + [
            GoldenCommand("help", "associated --help"), GoldenCommand("no-command", "associated"),
            GoldenCommand("version", "associated version"), GoldenCommand("mistyped-command", "associated mtch"),
            GoldenCommand("lint", "associated lint broken"), GoldenCommand("lint-good", "associated lint aasa"),
            GoldenCommand("lint-json", "associated lint broken --format json"),
            GoldenCommand("lint-sarif", "associated lint broken --format sarif"),
            GoldenCommand("lint-github", "associated lint broken --format github"),
            GoldenCommand("lint-fix", "associated lint --fix --dry-run broken"),
            GoldenCommand("lint-explain", "associated lint --explain DAL-010"),
            GoldenCommand("lint-config", "associated lint config"),
            GoldenCommand("lint-missing", "associated lint nosuch"),
            GoldenCommand("lint-wrong-format", "associated lint --format xml"),
            GoldenCommand("diff", "associated diff config other"),
            GoldenCommand("diff-json", "associated diff other config --format json"),
            GoldenCommand("diff-live", "associated diff https://shop.acme.test other $(cat live)"),
            GoldenCommand("diff-broken", "associated diff config/apps/shop.json broken; echo $?"),
            GoldenCommand("diff-wrong", "associated diff config"),
            GoldenCommand("match", "associated match https://shop.acme.test/a/private/1"),
            GoldenCommand("match-json", "associated match --format json https://x.acme.test/a/1"),
            GoldenCommand("match-none", "associated match https://other.test/"),
            GoldenCommand(
                "match-expect", "associated match shop.acme.test/a/1 https://shop.acme.test/b --expect app; echo $?"),
            GoldenCommand("match-files", "associated match --apple aasa --android assetlinks.json https://a.test/a/b"),
            GoldenCommand("match-stream", "associated match - < urls"),
            GoldenCommand("match-live", "associated match --live $(cat live) https://shop.acme.test/a/1"),
            GoldenCommand("match-wrong-url", "associated match ftp://shop.acme.test/"),
            GoldenCommand(
                "match-phone",
                "associated match --debug-link phone; associated match --debug-link - < phone --format json"),
            GoldenCommand("match-phone-other", "associated match --debug-link phone --config other; echo $?"),
            GoldenCommand(
                "match-phone-wrong", "associated match --debug-link urls; associated match --debug-link phone a.test"),
            GoldenCommand("verify", "associated verify assetlinks.json \(app)"),
            GoldenCommand("verify-json", "associated verify assetlinks.json \(app) --format json"),
            GoldenCommand("verify-apple", "associated verify aasa --app-id 9JA89QQLNQ.org.acme.bank"),
            GoldenCommand("verify-missing", "associated verify nosuch.json \(app)"),
            GoldenCommand("verify-host", "associated verify shop.acme.test $(cat live) \(app)"),
            GoldenCommand("verify-closed", "associated verify shop.acme.test \(closed) \(app)"),
            GoldenCommand("verify-wrong", "associated verify aasa"),
            GoldenCommand("check", "associated check $(cat live) --config config shop.acme.test"),
            GoldenCommand("check-other", "associated check $(cat live) --config other shop.acme.test"),
            GoldenCommand("check-json", "associated check $(cat live) --format json shop.acme.test"),
            GoldenCommand(
                "check-closed", "associated check \(closed) --resolve b.test:443:127.0.0.1:1 shop.acme.test b.test"),
            GoldenCommand("check-wrong", "associated check ftp://shop.acme.test/"),
            GoldenCommand("why", "associated why $(cat live) https://shop.acme.test/a/1"),
            GoldenCommand("why-excluded", "associated why $(cat live) -v https://shop.acme.test/a/private/1"),
            GoldenCommand("why-closed", "associated why \(closed) https://shop.acme.test/a/1"),
            GoldenCommand("why-json", "associated why $(cat live) --format json https://shop.acme.test/a/1"),
            GoldenCommand("why-wrong", "associated why ftp://shop.acme.test/"),
            GoldenCommand("retire-wrong", "associated retire ../x.json"),
            GoldenCommand("history-missing", "associated history --state nosuch"),
            GoldenCommand("render", "associated render shop.acme.test"),
            GoldenCommand("render-apple", "associated render x.acme.test apple"),
            GoldenCommand("render-unknown", "associated render other.test"),
            GoldenCommand("render-diff", "associated render shop.acme.test --diff $(cat live) --config other"),
            GoldenCommand("render-same", "associated render shop.acme.test --diff $(cat live)"),
            GoldenCommand("import", "associated import aasa assetlinks.json --host shop.acme.test"),
            GoldenCommand(
                "import-url",
                "associated import https://shop.acme.test/.well-known/apple-app-site-association "
                    + "--host shop.acme.test $(cat live)"),
            GoldenCommand("import-broken", "associated import broken --host shop.acme.test"),
            GoldenCommand("import-wrong", "associated import aasa"),
            GoldenCommand("snippet-wrong", "associated snippet shop andoid"),
            GoldenCommand("snippet-unknown", "associated snippet shpo ios"),
            GoldenCommand("qr", "associated qr https://a.test"),
            GoldenCommand("qr-svg", "associated qr --svg 'a.test/?a=1&b=é'"),
            GoldenCommand("qr-wrong", "associated qr ftp://a.test/"),
            GoldenCommand("fingerprint", "associated fingerprint signer.pem --config config"),
            GoldenCommand("fingerprint-json", "associated fingerprint signer.pem --config config --format json"),
            GoldenCommand("fingerprint-wrong", "associated fingerprint urls"),
            GoldenCommand("init", "associated init made --name Shop --host shop.acme.test; rm -r made"),
            GoldenCommand("init-wrong", "associated init --name Shop --host ftp://x"),
            GoldenCommand("manual", "associated manual"), GoldenCommand("schema", "associated schema"),
            GoldenCommand("schema-wrong", "associated schema apps"),
            GoldenCommand("completion-wrong", "associated completion tcsh"),
            GoldenCommand("certificate", "associated certificate --output made a.test; rm -r made"),
            GoldenCommand("certificate-wrong", "associated certificate a.test"),
            GoldenCommand("sign-wrong", "associated sign aasa"),
            GoldenCommand("sign-missing", "associated sign nosuch --certificate a --key b --output c"),
            GoldenCommand(
                "sign",
                "associated sign aasa --certificate config/hosts/shop.acme.test/fullchain.pem "
                    + "--key config/hosts/shop.acme.test/privkey.pem --output signed; echo $?; rm -f signed"),
            GoldenCommand("health", "associated health --http $(cat http)"),
            GoldenCommand("health-closed", "associated health --http 127.0.0.1:1"),
            GoldenCommand("serve-wrong", "associated serve --http localhost"),
            // The server of the folder has `state`.
            GoldenCommand("serve-nothing", "associated serve --config nosuch --state other --http 127.0.0.1:0"),
        ]
        + ["ios", "android", "capacitor", "flutter", "expo", "react-native", "html"].map {
            GoldenCommand("snippet-\($0)", "associated snippet shop \($0)")
        } + ["bash", "zsh", "fish"].map { GoldenCommand("completion-\($0)", "associated completion \($0)") }

    /// One test for all commands, because they share a server that has to be stopped afterwards.
    @Test func `each command prints its golden text`() throws {
        let folder = try GoldenFolder()
        if Self.updates { try FileManager.default.createDirectory(at: Self.place, withIntermediateDirectories: true) }
        for command in Self.commands {
            let transcript = try command.transcript(in: folder)
            let file = Self.place.appendingPathComponent("\(command.name).txt")
            if Self.updates { try Data(transcript.utf8).write(to: file) }
            let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            #expect(
                transcript == expected,
                """
                \(command.command) does not print Tests/Golden/\(command.name).txt; if the change is intended, update the \
                file with ASSOCIATED_UPDATE_GOLDEN=1 swift test --filter GoldenTests
                """)
        }
    }

    @Test func `the golden texts are those of the listed commands`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.place.path).sorted()
        #expect(files == Self.commands.map { "\($0.name).txt" }.sorted())
        #expect(try Self.commandNames().contains("serve"))
    }

    /// Not a golden text, because the terminal echoes the answers at any time.
    @Test func `init asks on a terminal`() throws {
        let folder = try Folder()
        let command =
            "cd '\(folder.path)' && printf 'My Shop\\nftp://x\\nshop.acme.test\\ncom.acme\\n' | script --quiet --return --command "
            + "'\(Subject.executable.path) init' /dev/null"
        let run = try Subject.shell(command, ["TERM": "xterm"])
        #expect(run.output.contains("What is the name of the app? "), "\(run.output)")
        #expect(run.output.contains("Which domain do its links use? "))
        #expect(run.output.contains("ftp://x is not a host: it has a scheme"))
        #expect(run.output.contains("app id `com.acme` is a bundle id without a team id"))
        #expect(try folder.read("config/apps/myshop.json").contains(#"hosts: ["shop.acme.test"]"#))
    }
}
