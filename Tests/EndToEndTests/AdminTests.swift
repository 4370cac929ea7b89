// The running server as operators see it: probes, a scrape with exactly the events so far, and `status`.

import Foundation
import Posix
import SourceJSON
import Testing

struct AdminTests {
    /// A server with an admin listener, and both addresses.
    private struct Bench {
        let server: RunningServer
        let admin: String

        init(_ more: [String] = [], admin: String = "127.0.0.1:0", environment: [String: String] = [:]) throws {
            server = try RunningServer(
                ServeTests.demo + ["--http", "127.0.0.1:0", "--admin", admin] + more, environment: environment)
            self.admin = server.admin
        }

        func ask(_ path: String, _ more: String...) throws -> Run {
            let place =
                admin.hasPrefix("unix:")
                ? ["--unix-socket", String(admin.dropFirst(5)), "http://localhost\(path)"] : ["http://\(admin)\(path)"]
            return try Subject.curl(["--write-out", "%{http_code}"] + more + place)
        }

        /// One request with a user agent.
        func fetch(_ host: String, _ path: String, agent: String = "curl") throws {
            _ = try server.fetch(path, host: host, "--user-agent", agent)
        }

        /// The samples that are not 0, by series.
        func scrape() throws -> [String: Double] {
            var values: [String: Double] = [:]
            for line in try ask("/metrics").output.split(separator: "\n") where !line.hasPrefix("#") {
                guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                    continue
                }
                values[String(line[..<space])] = value
            }
            return values
        }
    }

    @Test func `status without an address shows the findings about the settings`() throws {
        let folder = try Folder()
        try folder.write("server.json", #"{ amdin: "127.0.0.1:9000" }"#)
        let run = try Subject.run("status", "--config", folder.path)
        #expect(run.status == 1)
        #expect(
            run.errors.contains(
                "error[CFG-002]: unknown setting `amdin`; the server does not start, because a misspelt setting "
                    + "could leave it less protected than intended; write `admin`\n"))
    }

    @Test func `a scrape counts exactly the events so far`() throws {
        let bench = try Bench()
        let path = "/.well-known/apple-app-site-association"
        for _ in 0..<3 { try bench.fetch("shop.localhost", path) }
        try bench.fetch("shop.localhost", "/.well-known/assetlinks.json", agent: "GoogleAssociationService")
        try bench.fetch("shop.localhost", path, agent: "AASA-Bot/1.0.0")
        try bench.fetch("absent.localhost", path)
        try bench.fetch("shop.localhost", "/demo/")
        try bench.fetch("shop.localhost", "/products/anchor")
        try bench.fetch("shop.localhost", "/.well-known/nothing")
        // A connection counts as closed when the server has noticed it.
        var numbers = try bench.scrape()
        while numbers["associated_connections_open"] != 0
            || numbers["associated_verifier_fetches_total{verifier=\"apple\",status=\"2xx\"}"] == 0
        {
            numbers = try bench.scrape()
        }
        let requests = numbers.filter { $0.key.hasPrefix("associated_requests_total") && $0.value != 0 }
        #expect(
            requests == [
                "associated_requests_total{status=\"2xx\",document=\"apple_app_site_association\"}": 4,
                "associated_requests_total{status=\"2xx\",document=\"assetlinks\"}": 1,
                "associated_requests_total{status=\"4xx\",document=\"apple_app_site_association\"}": 1,
                "associated_requests_total{status=\"2xx\",document=\"page\"}": 1,
                "associated_requests_total{status=\"2xx\",document=\"landing\"}": 1,
                "associated_requests_total{status=\"4xx\",document=\"none\"}": 1,
            ])
        #expect(numbers["associated_request_duration_seconds_count"] == 9)
        #expect(numbers["associated_request_duration_seconds_bucket{le=\"+Inf\"}"] == 9)
        #expect(numbers["associated_connections_accepted_total"] == 9)
        #expect(numbers["associated_connections_closed_total{reason=\"client\"}"] == 9)
        #expect(numbers["associated_verifier_fetches_total{verifier=\"apple\",status=\"2xx\"}"] == 1)
        #expect(numbers["associated_verifier_fetches_total{verifier=\"google\",status=\"2xx\"}"] == 1)
        #expect(numbers["associated_hosts"] == 2)
        #expect(numbers["associated_app_files"] == 2)
        #expect(numbers["associated_ready"] == 1)
        #expect(numbers["associated_findings{severity=\"error\"}"] == 0)
        #expect((numbers["process_resident_memory_bytes"] ?? 0) > 1_000_000)
        #expect((numbers["process_open_fds"] ?? 0) > 5)
    }

    @Test func `status shows verifier fetches, also after a restart`() throws {
        let state = try Folder()
        do {
            let bench = try Bench(["--state", state.path])
            try bench.fetch("shop.localhost", "/.well-known/apple-app-site-association", agent: "AASA-Bot/1.0.0")
            try bench.fetch("shop.localhost", "/.well-known/assetlinks.json", agent: "Mozilla/5.0 (Googlebot/2.1)")
            var text = ""
            while !text.contains("\nGooglebot: last fetch of shop.localhost ") {
                text = try Subject.run("status", "shop.localhost", "--admin", bench.admin).output
            }
            #expect(text.contains("\nApple: last fetch of shop.localhost "))
            #expect(text.contains(", got the current version\n"))
            #expect(text.contains("\nGoogle: no fetch of shop.localhost since recording began "))
            bench.server.stop()
        }
        let bench = try Bench(["--state", state.path])
        let run = try Subject.run("status", "SHOP.localhost", "--admin", bench.admin)
        #expect(run.status == 0)
        #expect(run.output.contains("\nApple: last fetch of shop.localhost "))
        let json = try Subject.run("status", "shop.localhost", "--admin", bench.admin, "--format", "json")
        #expect(json.output.contains("\"version\": \"current\""))
        let unknown = try Subject.run("status", "absent.localhost", "--admin", bench.admin)
        #expect(unknown.status == 1)
        #expect(unknown.errors == "associated: absent.localhost is not served\n")
        let misspelt = try Subject.run("status", "shpo.localhost", "--admin", bench.admin)
        #expect(misspelt.errors == "associated: shpo.localhost is not served; did you mean shop.localhost?\n")
        let hosts = try Subject.run("status", "--hosts", "--admin", bench.admin)
        #expect(hosts.status == 0)
        #expect(hosts.output.contains("\nshop.localhost  Apple "))
        let unfetched = try Subject.run("status", "--hosts", "--never-fetched", "--admin", bench.admin)
        #expect(unfetched.output.hasPrefix("news.localhost  Apple never  Google never\nshop.localhost  Apple "))
        #expect(unfetched.output.contains("  Google never\nrecording began "))
        #expect(try Subject.run("status", "--never-fetched", "--admin", bench.admin).status == 2)
        #expect(try Subject.run("status", "--hosts", "shop.localhost", "--admin", bench.admin).status == 2)
    }

    @Test func `status without a host shows the state of the server`() throws {
        let bench = try Bench()
        let run = try Subject.run("status", "--admin", bench.admin)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("associated 0."))
        #expect(run.output.contains("\nserves 2 apps on 2 hosts, "))
        #expect(run.output.contains(" workers, all responding; ") || run.output.contains(" worker, all responding; "))
        let unconfigured = try Subject.run("status")
        #expect(unconfigured.status == 1)
        #expect(
            unconfigured.errors.hasPrefix(
                "associated: no admin listener is known, because config/server.json does not exist; give "))
        #expect(try Subject.run("status", "--admin", "127.0.0.1:1").status == 1)
    }

    @Test func `metrics and status need the token, probes do not`() throws {
        let folder = try Folder()
        try folder.write("token", "0123456789abcdef0123\n")
        let bench = try Bench(["--admin-token-file", "\(folder.path)/token"], admin: "0.0.0.0:0")
        let admin = "127.0.0.1:\(bench.admin.split(separator: ":").last ?? "")"
        #expect(try Subject.curl(["--write-out", "%{http_code}", "http://\(admin)/readyz"]).output == "ready\n200")
        #expect(try Subject.curl(["--write-out", "%{http_code}", "http://\(admin)/metrics"]).output.hasSuffix("401"))
        #expect(
            try Subject.curl(["--header", "authorization: Bearer 0123456789abcdef0123", "http://\(admin)/metrics"])
                .output.contains("associated_hosts 2"))
        #expect(try Subject.run("status", "--admin", admin).errors.contains("requires a token"))
        #expect(
            try Subject.run("status", "--admin", admin, environment: ["ASSOCIATED_ADMIN_TOKEN": "0123456789abcdef0123"])
                .status == 0)
        #expect(try Subject.run("health", "--admin", admin).status == 0)
    }

    @Test(arguments: ["0.0.0.0", "[::]"])
    func `does not start on a public address without a token`(host: String) throws {
        let run = try Subject.run(["serve"] + ServeTests.demo + ["--http", "127.0.0.1:0", "--admin", "\(host):0"])
        #expect(run.status == 1)
        #expect(run.errors.contains(" error \(host):"))
        #expect(run.errors.contains(" is reachable from other machines, so a token is required"))
    }

    @Test func `rejects an invalid token`() throws {
        let run = try Subject.run(
            Subject.executable, ["serve"] + ServeTests.demo + ["--http", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
            ["ASSOCIATED_ADMIN_TOKEN": "short"])
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot use the token in ASSOCIATED_ADMIN_TOKEN: it has 5 characters"))
    }

    @Test func `serves on a Unix-domain socket and removes it at the end`() throws {
        let folder = try Folder()
        let bench = try Bench(admin: "unix:\(folder.path)/admin.sock")
        #expect(try bench.ask("/readyz").output == "ready\n200")
        #expect(try Subject.run("health", "--admin", bench.admin).output == "ready\n")
        #expect(try Subject.run("status", "--admin", bench.admin).status == 0)
        bench.server.stop()
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/admin.sock"))
        #expect(try Subject.run("health", "--admin", bench.admin).status == 1)
    }

    @Test func `reports tenants' errors without affecting readiness`() throws {
        let folder = try Folder(serving: "a.localhost")
        let server = try folder.serve("--admin", "127.0.0.1:0")
        let admin = server.admin
        try folder.write("config/apps/a.json", "{ name: ")
        var health = try Subject.run("health", "--admin", admin)
        while health.output == "ready\n" { health = try Subject.run("health", "--admin", admin) }
        #expect(health.status == 0)
        #expect(health.output == "ready\n1 host on its last good version\n1 open error\n")
        #expect(try server.status().output.contains("\n1 host on its last good version:\n  a.localhost, since "))
        #expect(
            try server.status("a.localhost").output.contains(
                "\n  serves its last good version because of:\n    \(folder.path)/config/apps/a.json"))
    }

    @Test func `no tenant fills the lists of the status`() throws {
        let folder = try Folder(serving: "z.localhost")
        for index in 0..<30 { try folder.write("config/apps/a/\(index).json", Folder.app("a\(index).localhost")) }
        let server = try folder.serve("--admin", "127.0.0.1:0")
        for index in 0..<30 { try folder.write("config/apps/a/\(index).json", "{ name: ") }
        try folder.write("config/apps/z.json", "{ name: ")
        #expect(
            try eventually {
                let status = try server.status().output
                let json = SourceReader.read(Array(try server.status("--format", "json").output.utf8), as: .json).value
                let findings = json?.member(named: "findings")?.asArray ?? []
                return findings.contains { $0.member(named: "finding")?.asString?.contains("apps/z.json") == true }
                    && status.contains("\n  z.localhost, since ")
            })
    }

    @Test func `while draining, it is alive but not ready`() throws {
        let bench = try Bench()
        // The server waits for a request that has begun.
        let client = try bench.server.connect()
        try client.send(Array("GET /.well-known/assetlinks.json HTTP/1.1\r\nhost: shop.loc".utf8))
        while try bench.scrape()["associated_connections_open"] != 1 {}
        bench.server.send(SIGTERM)
        var ready = try bench.ask("/readyz").output
        while ready == "ready\n200" { ready = try bench.ask("/readyz").output }
        #expect(ready == "draining: the server is shutting down\n503")
        #expect(try bench.ask("/healthz").output == "alive\n200")
        #expect(try Subject.run("health", "--admin", bench.admin).status == 1)
        #expect(try bench.scrape()["associated_ready"] == 0)
        try client.send(Array("alhost\r\n\r\n".utf8))
        #expect(String(decoding: try client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(bench.server.waitUntilExit() == 0)
    }

    @Test(arguments: [false, true])
    func `after an upgrade, the new server answers, while the old one finishes a request`(isUnix: Bool) throws {
        let folder = try Folder()
        let bench = try Bench(
            ["--state", folder.path], admin: isUnix ? "unix:\(folder.path)/admin.sock" : "127.0.0.1:0")
        // An open request keeps the old server alive.
        let client = try bench.server.connect()
        try client.send(Array("GET /.well-known/assetlinks.json HTTP/1.1\r\nhost: shop.loc".utf8))
        while try bench.scrape()["associated_connections_open"] != 1 {}
        let old = bench.server.serverIdentifier
        bench.server.send(SIGUSR2)
        #expect(bench.server.line(beginning: "stopping, because another server has taken over") != nil)
        for _ in 0..<10 { #expect(try bench.ask("/readyz").output == "ready\n200") }
        #expect(try bench.scrape()["associated_connections_open"] == 0)
        #expect(kill(old, 0) == 0)
        try client.send(Array("alhost\r\n\r\n".utf8))
        #expect(String(decoding: try client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(eventually { kill(old, 0) != 0 })
        for _ in 0..<10 { #expect(try bench.ask("/readyz").output == "ready\n200") }
        bench.server.stop()
        #expect(!isUnix || !FileManager.default.fileExists(atPath: "\(folder.path)/admin.sock"))
    }

    @Test func `status names the app file of a host that is not served`() throws {
        let bench = try Bench()
        let folder = try Folder()
        try folder.write("config/apps/a.json", "{ name: \"App\", hosts: [\"new.localhost\"], links: [{ ")
        let run = try Subject.run(
            "status", "new.localhost", "--admin", bench.admin, "--config", "\(folder.path)/config")
        #expect(run.status == 1)
        let file = "\(folder.path)/config/apps/a.json"
        #expect(
            run.errors.hasPrefix("associated: new.localhost is not served; \(file) names it and has ")
                && run.errors.hasSuffix("(associated lint \(file))\n"), "\(run.errors)")
    }
}
