// Every option of `serve` that takes a path, in a sandbox: its path must be usable although all other files are blocked. The
// options are taken from `--help`, so a new one fails until it has a line here.

import Foundation
import Posix
import Testing

@Suite(.enabled(if: Landlock.version > 0 && SystemCallFilter.isSupported, "the kernel has Landlock and seccomp"))
struct SandboxedOptionsTests {
    private let folder: Folder
    private let page = "page of a.example"

    init() throws {
        folder = try Folder(serving: "a.example")
        try folder.write("pages/a.example/page.html", page)
        // Each has a folder of its own, which no other option allows.
        for name in ["state", "log", "plain", "secure", "admin"] { try folder.write("\(name)/.keep", "") }
        try folder.write("acme/.well-known/acme-challenge/token-of-an-order", "token-of-an-order.thumbprint")
        try folder.write("token/file", "0123456789abcdef\n")
        try folder.write("phrase/file", "hush\n")
    }

    /// The value of an option, and a check that it works in a server.
    private struct Case: Sendable {
        let value: String
        var more: [String] = []
        let works: @Sendable (SandboxedOptionsTests, RunningServer) throws -> Bool
    }

    private static let cases: [String: Case] = [
        "--config": Case(value: "config") { try $1.fetch("/.well-known/apple-app-site-association").contains("/one/") },
        "--public": Case(value: "pages") { try $1.fetch("/page.html") == $0.page },
        "--state": Case(value: "state") { tests, _ in
            eventually { FileManager.default.fileExists(atPath: "\(tests.folder.path)/state/tenants") }
        },
        "--http": Case(value: "unix:plain/socket") { tests, _ in
            try tests.fetch("/page.html", socket: "plain/socket") == tests.page
        },
        "--https": Case(value: "unix:secure/socket", more: ["--dev"]) { tests, _ in
            try tests.fetch("/page.html", scheme: "https", socket: "secure/socket") == tests.page
        },
        "--admin": Case(value: "unix:admin/socket") { tests, _ in
            try tests.fetch("/healthz", socket: "admin/socket", host: "localhost").contains("alive")
        },
        "--admin-token-file": Case(value: "token/file", more: ["--admin", "127.0.0.1:0"]) { _, server in
            let url = "\(server.addresses.last?.split(separator: " ").first ?? "")/metrics"
            let allowed = try Subject.curl(["--header", "Authorization: Bearer 0123456789abcdef", url]).output
            return try allowed.contains("associated_ready") && !Subject.curl([url]).output.contains("associated_ready")
        },
        "--acme-webroot": Case(value: "acme") {
            try $1.fetch("/.well-known/acme-challenge/token-of-an-order") == "token-of-an-order.thumbprint"
        },
        "--access-log": Case(value: "log/requests") { tests, server in
            _ = try server.fetch("/page.html")
            guard try eventually({ try tests.folder.read("log/requests").contains("/page.html") }) else { return false }
            // After rotation, another file of the same name must be created.
            try FileManager.default.moveItem(
                atPath: "\(tests.folder.path)/log/requests", toPath: "\(tests.folder.path)/log/old")
            server.send(SIGUSR1)
            return eventually { FileManager.default.fileExists(atPath: "\(tests.folder.path)/log/requests") }
        },
    ]

    /// An option of `serve` that takes a path, or an address that can be one.
    private static let options: [(name: String, variable: String)] = {
        let help = (try? Subject.run("serve", "--help").output) ?? ""
        return help.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 2, words[0].hasPrefix("--"), ["FILE", "DIR", "PLACE", "ADDR:PORT"].contains(words[1])
            else { return nil }
            return (String(words[0]), words.last?.trimmingCharacters(in: ["[", "]"]) ?? "")
        }
    }()

    @Test func `every option that takes a path has a test`() {
        #expect(Set(SandboxedOptionsTests.options.map(\.name)) == Set(SandboxedOptionsTests.cases.keys))
    }

    @Test(arguments: options.map(\.name), [false, true])
    func `an option works in a sandbox`(name: String, asVariable: Bool) throws {
        let (option, example) = try (
            #require(SandboxedOptionsTests.options.first { $0.name == name }),
            #require(SandboxedOptionsTests.cases[name])
        )
        let kind = example.value.hasPrefix("unix:") ? "unix:" : ""
        let value = "\(kind)\(folder.path)/\(example.value.dropFirst(kind.count))"
        var arguments =
            ["--sandbox", "required"]
            + example.more.map { argument in
                argument.hasPrefix("unix:") ? "unix:\(folder.path)/\(argument.dropFirst(5))" : argument
            }
        for (other, path) in [("--config", "config"), ("--public", "pages")] where other != name {
            arguments += [other, "\(folder.path)/\(path)"]
        }
        if name != "--http" { arguments += ["--http", "127.0.0.1:0"] }
        let server = try RunningServer(
            arguments + (asVariable ? [] : [name, value]), environment: asVariable ? [option.variable: value] : [:])
        #expect(try example.works(self, server))
    }

    private func fetch(_ path: String, scheme: String = "http", socket: String, host: String = "a.example") throws
        -> String
    {
        try Subject.curl(["--insecure", "--unix-socket", "\(folder.path)/\(socket)", "\(scheme)://\(host)\(path)"])
            .output
    }
}
