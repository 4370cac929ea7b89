// `associated check` against `associated serve`: a correct host, and one whose proxy serves its own file.

import Foundation
import Glibc
import Testing

struct CheckTests {
    /// A server with certificates of its development CA, and the options to check it.
    private final class Checked {
        let folder: Folder
        let server: RunningServer
        let options: [String]

        init() throws {
            folder = try Folder()
            let made = try Subject.run(
                "certificate", "--state", "\(folder.path)/state", "--output", "\(folder.path)/config/hosts",
                "shop.example")
            #expect(made.status == 0)
            try folder.write("config/apps/shop.json", CheckTests.app(path: "/a/*"))
            try folder.write("other/apps/shop.json", CheckTests.app(path: "/b/*"))
            server = try RunningServer([
                "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
                "\(folder.path)/state",
                "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--admin", "127.0.0.1:0",
            ])
            let ports = server.addresses.map { $0.split(separator: ":").last.map(String.init) ?? "" }
            options = [
                "--ca", "\(folder.path)/state/development-ca.pem", "--resolve", "shop.example:80:127.0.0.1:\(ports[0])",
                "--resolve", "shop.example:443:127.0.0.1:\(ports[1])",
            ]
        }
    }

    private static func app(path: String) -> String {
        """
        { name: "Shop", hosts: ["shop.example"], ios: { appIDs: ["7QK4Z2M9XA.dev.associated.shop"] },
          links: [{ "/": "\(path)" }] }
        """
    }

    @Test func `a correct host has no findings`() throws {
        let checked = try Checked()
        let run = try Subject.run(
            ["check", "shop.example", "--config", "\(checked.folder.path)/config"] + checked.options)
        #expect(run.errors == "")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "shop.example")
        #expect(lines.contains("  at 127.0.0.1"))
        #expect(lines.contains { $0.hasPrefix("  TLSv1.3, certificate by CN=associated development CA") })
        let file = "  /.well-known/apple-app-site-association  200 application/json, "
        #expect(lines.contains { $0.hasPrefix(file) && $0.hasSuffix(" bytes") })
        #expect(lines.contains { $0.hasPrefix("  /.well-known/assetlinks.json  404") })
        #expect(lines.last == "  0 errors, 0 warnings, 0 notes")
        #expect(run.status == 0)
    }

    @Test func `a finding about another well-known file names the file`() throws {
        let checked = try Checked()
        try checked.folder.write("config/hosts/shop.example/well-known/security.txt", "Contact: x\n")
        #expect(
            try eventually {
                try Subject.run(["check", "shop.example"] + checked.options).output.contains(
                    "warning[SRV-010]: /.well-known/security.txt:")
            })
    }

    @Test func `a host with files that differ from the configuration has findings`() throws {
        let checked = try Checked()
        let run = try Subject.run(
            ["check", "shop.example", "--format", "json", "--config", "\(checked.folder.path)/other"] + checked.options)
        #expect(run.status == 1)
        let reports = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
        #expect(reports.count == 1)
        #expect(reports[0]["host"] as? String == "shop.example")
        let findings = try #require(reports[0]["findings"] as? [[String: Any]])
        #expect(findings.map { $0["rule"] as? String } == ["SRV-016"])
        #expect(findings[0]["severity"] as? String == "error")
        #expect(findings[0]["file"] as? String == "https://shop.example/.well-known/apple-app-site-association")
    }

    @Test func `reports each host that cannot be reached`() throws {
        let run = try Subject.run([
            "check", "absent.invalid", "closed.example", "--resolve", "closed.example:443:127.0.0.1:1",
        ])
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("absent.invalid\n  error[AHST-001, GHST-001]"))
        #expect(run.output.contains(": cannot look up absent.invalid"))
        #expect(run.output.contains("error[AHST-001, GHST-001]: cannot connect: connection refused at 127.0.0.1:1"))
        #expect(run.output.split(separator: "\n").count { $0.contains("error[") } == 2, "one line for each host")
        #expect(run.errors.hasSuffix("2 hosts, 2 with errors\n"))
    }

    @Test func `checks all hosts of a configuration at one address`() throws {
        let checked = try Checked()
        let port = try #require(checked.options.last?.split(separator: ":").last)
        let run = try Subject.run(
            "check", "--all", "--config", "\(checked.folder.path)/config", "--connect", "127.0.0.1:\(port)", "--ca",
            "\(checked.folder.path)/state/development-ca.pem")
        #expect(run.output == "", "a host in order is not listed")
        #expect(run.status == 0)
        let none = try Subject.run("check", "--all", "--config", "\(checked.folder.path)/none")
        #expect(none.status == 1)
    }

    @Test func `the ledger does not record requests of check`() throws {
        let checked = try Checked()
        #expect(try Subject.run(["check", "shop.example"] + checked.options).output.contains("200 application/json"))
        let admin = try #require(checked.server.addresses.first { $0.hasSuffix(" (admin)") })
            .dropFirst("http://".count).dropLast(" (admin)".count)
        let path = "https://shop.example/.well-known/apple-app-site-association"
        let port = try #require(checked.options.last?.split(separator: ":").last)
        let fetched = try Subject.curl([
            "--user-agent", "Googlebot/2.1", "--output", "/dev/null", "--cacert", checked.options[1], "--connect-to",
            "shop.example:443:127.0.0.1:\(port)", path,
        ])
        #expect(fetched.status == 0)
        // The fetches of `check` were earlier, so they would be in the ledger by now.
        var text = ""
        while !text.contains("Googlebot: last fetch") {
            text = try Subject.run("status", "shop.example", "--admin", String(admin)).output
        }
        #expect(text.components(separatedBy: ": no fetch of ").count == 5, "\(text)")
    }

    @Test func `reports an invalid CA file before any request`() throws {
        let folder = try Folder()
        try folder.write("empty.pem", "")
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        for (name, message) in [
            ("pipe", "cannot read %: it is not a regular file"),
            ("missing", "cannot read %: no such file or directory"),
            (".", "cannot read %: it is not a regular file"), ("empty.pem", "% contains no certificate"),
        ] {
            let path = "\(folder.path)/\(name)"
            let run = try Subject.run("check", "a.invalid", "--ca", path)
            #expect(run.status == 1)
            #expect(run.errors == "associated: \(message.replacing("%", with: path))\n")
        }
    }
}
