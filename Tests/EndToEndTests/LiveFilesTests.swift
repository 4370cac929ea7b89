// The commands that fetch from a live host, against `associated serve`: what can go wrong. GoldenTests has what goes right.

import Foundation
import Testing

struct LiveFilesTests {
    /// A server with a certificate of its development CA, and the options to reach it.
    private final class Host {
        let folder: Folder
        let server: RunningServer
        let options: [String]

        init(app: String = MatchCommandTests.app) throws {
            folder = try Folder()
            try folder.certify("shop.acme.test")
            try folder.write("config/apps/shop.json", app)
            server = try folder.serve("--https", "127.0.0.1:0")
            options = server.reach("shop.acme.test", folder)
        }
    }

    @Test func `match fetches on the URL's port`() throws {
        let host = try Host()
        let place = "shop.acme.test:\(host.server.securePort)"
        let options = host.options.prefix(2) + ["--resolve", "\(place):127.0.0.1"]
        let run = try Subject.run(["match", "--live", "https://\(place)/a/1"] + options)
        #expect(run.status == 0)
        #expect(run.output.contains("opens the app\n"))
        #expect(run.output.contains("(https://\(place)/.well-known/apple-app-site-association:1)"))
        let plain = try Subject.run(["match", "--live", "http://\(place)/a/1"] + options)
        #expect(plain.status == 1)
        #expect(plain.errors.contains("the files are fetched over https, and http://\(place) names a port for http"))
    }

    @Test func `a host without the file has no app`() throws {
        let lines = MatchCommandTests.app.split(separator: "\n").filter { !$0.contains("android:") }
        let host = try Host(app: lines.joined(separator: "\n"))
        let run = try Subject.run(["match", "--live", "--format", "json", "https://shop.acme.test/a"] + host.options)
        #expect(run.output.contains(#","android":[],"explanation":"#))
        #expect(run.status == 0)
        #expect(run.output.contains(#""decision":"match","rule":1"#))
    }

    @Test func `match distinguishes an unreachable host from one without apps`() throws {
        let host = try Host()
        let url = "https://shop.acme.test/a"
        let file = "https://shop.acme.test/.well-known/apple-app-site-association"
        let refused = ["--resolve", "shop.acme.test:443:127.0.0.1:1"]
        let ways = [(refused, "cannot connect"), (Array(host.options.suffix(2)), "certificate")]
        for (options, reason) in ways {
            let text = try Subject.run(["match", "--live", url] + options)
            #expect(text.status == 1)
            #expect(text.output.hasPrefix("\(url)\niOS: cannot fetch \(file): "))
            #expect(text.output.contains("\nAndroid: cannot fetch https://"))
            #expect(text.errors.contains("cannot fetch \(file): "))
            #expect(text.errors.contains(reason))
            let json = try Subject.run(["match", "--live", "--format", "json", url] + options)
            #expect(json.status == 1)
            #expect(json.output.hasPrefix(#"{"url":"\#(url)","error":"cannot fetch \#(file): "#))
            try host.folder.write("urls", "\(url)\n\(url)?\n")
            let command = ([Subject.executable.path, "match", "--live", "-"] + options).joined(separator: " ")
            let lines = try Subject.shell("\(command) < \(host.folder.path)/urls")
            #expect(lines.status == 1)
            #expect(lines.output.split(separator: "\n").count { $0.contains(#","error":"cannot fetch "#) } == 2)
        }
    }

    @Test func `render shows a file that only the live host has, or only the configuration`() throws {
        let host = try Host()
        let platform = "android: { package: 'a.b', fingerprints: ['\(LintCommandTests.print)'] }"
        try host.folder.write("new/apps/a.json", "{ name: 'A', hosts: ['shop.acme.test'], \(platform) }")
        func diff(_ config: String) throws -> Run {
            try Subject.run(
                ["render", "shop.acme.test", "--diff", "--config", "\(host.folder.path)/\(config)"] + host.options)
        }
        let dropped = try diff("new")
        let file = "https://shop.acme.test/.well-known/apple-app-site-association"
        #expect(dropped.status == 1)
        #expect(dropped.output.hasPrefix("--- \(file)\n+++ /dev/null\n@@ -1,"), "\(dropped.output)\(dropped.errors)")
        let same = try diff("config")
        #expect(same.status == 0 && same.output.isEmpty, "\(same.output)\(same.errors)")
        let ios = MatchCommandTests.app.split(separator: "\n").filter { !$0.contains("android:") }
        try host.folder.write("ios/apps/a.json", ios.joined(separator: "\n"))
        #expect(try diff("ios").output.contains("+++ /dev/null"))
    }

    @Test func `match rejects a URL whose files cannot be fetched`() throws {
        let (url, problem) = ("https://shop.acme.test:0/", "the port of https://shop.acme.test:0 is not valid")
        let run = try Subject.run("match", "--live", url)
        #expect(run.status == 1)
        #expect(run.output == "\(url)\niOS: \(problem)\nAndroid: \(problem)\n")
        #expect(run.errors == "associated: \(problem)\n")
    }

    @Test func `match rejects files together with --live`() throws {
        let run = try Subject.run("match", "--live", "--apple", "/nothing", "https://shop.acme.test/")
        #expect(run.status == 2)
        #expect(run.errors.contains("give one of --live, --app, and files with --apple and --android"))
    }

    @Test func `import reports a URL without a file`() throws {
        let host = try Host()
        let url = "https://shop.acme.test/.well-known/nothing"
        let run = try Subject.run(["import", url, "--host", "shop.acme.test"] + host.options)
        #expect(run.errors == "associated: cannot fetch \(url): it answers 404\n")
    }

    @Test(arguments: ["match", "verify", "import"])
    func `fetches through the proxy of the environment`(command: String) throws {
        let proxy = try LoopbackServer { client in
            _ = client.receive()
            client.send(Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8))
        }
        let arguments =
            switch command {
            case "match": ["match", "--live", "https://shop.example/a"]
            case "verify": ["verify", "shop.example", "--app-id", "8KQ2V7M4XN.dev.associated.app"]
            default: ["import", "https://shop.example/.well-known/assetlinks.json"]
            }
        func errors(_ variables: [String: String]) throws -> String {
            let run = try Subject.run(Subject.executable, arguments, variables)
            #expect(run.status != 0)
            return run.errors + run.output
        }
        let refusal = "the proxy \(proxy.address) did not connect to shop.example:443: it answered 403"
        let text = try errors(["https_proxy": "http://\(proxy.address)"])
        #expect(text.contains(refusal), "\(text)")
        #expect(
            try errors(["https_proxy": "proxy:3128"]).contains("https_proxy is not the URL of an HTTP proxy; write "))
    }
}
