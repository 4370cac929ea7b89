// What a running server reports about certificates that no client has requested.

import Foundation
import Glibc
import Posix
import Testing

struct CertificateSurveyTests {
    private let folder: Folder
    private var config: String { "\(folder.path)/config" }

    /// An app on two hosts, with a certificate for each.
    init() throws {
        folder = try Folder()
        for (name, id) in [("a", "AAAAAAAAAA"), ("b", "BBBBBBBBBB")] {
            try folder.write(
                "config/apps/\(name).json",
                "{ name: \"\(name)\", hosts: [\"\(name).test\"], ios: { appIDs: [\"\(id).test.shop\"] } }")
        }
        try folder.certify("a.test", "b.test", "c.test")
        try FileManager.default.moveItem(atPath: "\(config)/hosts/c.test", toPath: "\(folder.path)/other")
    }

    /// Replaces a file in one step, as careful tools do.
    private func put(_ from: String, _ to: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: from))
        try bytes.write(to: URL(fileURLWithPath: "\(config)/hosts/\(to)"), options: .atomic)
    }

    private func start(environment: [String: String] = [:]) throws -> RunningServer {
        try folder.serve("--https", "127.0.0.1:0", "--admin", "127.0.0.1:0", environment: environment)
    }

    private func metric(_ server: RunningServer, _ series: String) throws -> String? {
        let text = try Subject.curl(["http://\(server.admin)/metrics"]).output
        return text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }?.split(separator: " ").last
            .map(String.init)
    }

    @Test func `a certificate of the manager is in service when it is put in place`() throws {
        let (hosts, managed) = ("\(config)/hosts", "\(folder.path)/state/certificates")
        try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(hosts)/b.test", toPath: "\(managed)/.new")
        let server = try start()
        #expect(server.line(containing: "CERT-025") != nil)
        let place = "b.test:\(server.securePort)"
        func answers() throws -> Bool {
            try Subject.curl([
                "--cacert", "\(folder.path)/state/development-ca.pem", "--resolve", "\(place):127.0.0.1",
                "https://\(place)/.well-known/apple-app-site-association",
            ]).status == 0
        }
        #expect(try !answers())
        try FileManager.default.moveItem(atPath: "\(managed)/.new", toPath: "\(managed)/b.test")
        #expect(try eventually { try answers() })
        #expect(try eventually { try server.status().status == 0 })
        server.stop()
    }

    @Test func `a certificate of the manager is in service within 200 milliseconds`() throws {
        let (managed, made) = ("\(folder.path)/state/certificates", "\(folder.path)/made")
        let hosts = (0..<5).map { "live\($0).test" }
        try folder.write(
            "config/apps/live.json",
            "{ name: \"live\", hosts: [\(hosts.map { "\"\($0)\"" }.joined(separator: ", "))], "
                + "ios: { appIDs: [\"CCCCCCCCCC.test.shop\"] } }")
        let command = try Subject.run(["certificate", "--state", "\(folder.path)/state", "--output", made] + hosts)
        try #require(command.status == 0, "\(command.errors)")
        try FileManager.default.createDirectory(atPath: managed, withIntermediateDirectories: true)
        let server = try start()
        let port = server.securePort
        func answers(_ host: String) throws -> Bool {
            try Subject.curl([
                "--cacert", "\(folder.path)/state/development-ca.pem", "--resolve", "\(host):\(port):127.0.0.1",
                "https://\(host):\(port)/.well-known/apple-app-site-association",
            ]).status == 0
        }
        let times = try hosts.map { host in
            #expect(try !answers(host))
            let start = Clock.monotonicMilliseconds()
            try FileManager.default.moveItem(atPath: "\(made)/\(host)", toPath: "\(managed)/\(host)")
            #expect(try eventually { try answers(host) })
            return Clock.monotonicMilliseconds() - start
        }
        // Other tests may keep this one waiting, but hardly five times.
        #expect(times.min() ?? .max < 200, "\(times)")
        server.stop()
    }

    @Test func `a broken pair is reported by status, metrics and probes until it is fixed, without a handshake`() throws
    {
        let server = try start()
        let good = "certificates{state=\"usable\"}"
        #expect(try eventually { try metric(server, "associated_\(good)") == "2" })
        #expect(try eventually { try server.status().status == 0 })
        let key = try folder.read("config/hosts/b.test/privkey.pem")
        try folder.write("key", key)
        try put("\(folder.path)/other/privkey.pem", "b.test/privkey.pem")
        let found = try #require(server.line(containing: "CERT-006"))
        #expect(found.contains("hosts/b.test/fullchain.pem"))
        let broken = try server.status()
        #expect(broken.status == 1)
        #expect(broken.output.contains("\n  b.test, since 20"), "\(broken.output)")
        #expect(broken.output.contains("open findings: 1 error,"))
        #expect(try metric(server, "associated_certificates{state=\"last_good\"}") == "1")
        #expect(try metric(server, "associated_findings{severity=\"error\"}") == "1")
        #expect(try Subject.curl(["http://\(server.admin)/readyz"]).output.contains("1 open error"))
        let host = try server.status("b.test").output
        #expect(host.contains("certificate in hosts/b.test: last good, expires in "), "\(host)")
        // Each `status` reports it again.
        server.send(SIGHUP)
        #expect(server.line(containing: "CERT-006") != nil)
        try put("\(folder.path)/key", "b.test/privkey.pem")
        // Signed by another development CA, it still lacks its issuer's certificate.
        #expect(server.line(containing: "all errors resolved")?.contains("hosts/b.test/privkey.pem") == true)
        #expect(try metric(server, "associated_certificates{state=\"last_good\"}") == "0")
        #expect(try server.status().status == 0)
        #expect(try server.status("b.test").output.contains("hosts/b.test: usable, expires in "))
        #expect(try metric(server, "associated_certificates_in_memory") == "2")
        let expiring = try server.status("--expiring", "400d", "--format", "json")
        #expect(expiring.status == 0)
        for name in ["a.test", "b.test"] { #expect(expiring.output.contains("\"folder\": \"\(name)\"")) }
        #expect(try server.status("--expiring", "1h").output == "no certificate expires within 1 hour\n")
        #expect(try server.status("--expiring", "soon").status == 2)
        // A new certificate is one log line, and a removed host removes its certificate.
        for name in ["a.test", "b.test"] { try FileManager.default.removeItem(atPath: "\(config)/hosts/\(name)") }
        try folder.certify("a.test", "b.test")
        #expect(server.line(containing: "certificate of a.test: renewed, expires 20") != nil)
        try FileManager.default.createDirectory(atPath: "\(config)/retired", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: "\(config)/apps/b.json", toPath: "\(config)/retired/b.json")
        #expect(try eventually { try metric(server, "associated_\(good)") == "1" })
        #expect(try !server.status("--expiring", "400d").output.contains("b.test"))
    }

    @Test func `a host without a certificate is an error of status, lint and a strict start`() throws {
        #expect(try Subject.run(["lint", config, "--https", "127.0.0.1:0"]).status == 0)
        try FileManager.default.removeItem(atPath: "\(config)/hosts/b.test")
        let missing = "hosts/b.test/fullchain.pem: error[CERT-025]: there is no certificate for b.test"
        #expect(try Subject.run(["lint", config]).status == 0)
        for (more, environment) in [(["--https", "127.0.0.1:0"], [:]), ([], ["ASSOCIATED_HTTPS": "127.0.0.1:0"])] {
            let lint = try Subject.run(Subject.executable, ["lint", config] + more, environment)
            #expect(lint.status == 1)
            #expect(lint.output.contains(missing), "\(lint.output)")
        }
        try folder.write("config/server.json", "{ https: [\"127.0.0.1:0\"] }")
        #expect(try Subject.run(["lint", config]).status == 1)
        let strict = try Subject.run(
            ["serve"] + folder.options + ["--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--strict"])
        #expect(strict.status == 1)
        #expect(strict.errors.contains(missing))
        #expect(strict.errors.contains("not started: 1 certificate error above, and --strict is set"))
        let server = try start()
        #expect(server.line(containing: "CERT-025")?.contains(missing) == true)
        #expect(try metric(server, "associated_certificates{state=\"missing\"}") == "1")
        let status = try server.status()
        #expect(
            status.output.contains("1 certificate usable, 0 on the last good version, 0 broken; 1 host without one"))
        #expect(status.output.contains("\n  b.test, since 20"))
        #expect(try server.status("b.test").output.contains("certificate in hosts/b.test: missing\n"))
    }

    @Test func `a jump of the clock is visible in status at once, and does not affect the uptime`() throws {
        let clock = "\(folder.path)/clock"
        let source = Peers.root.appendingPathComponent("Tests/Chaos/clock.c")
        let library = try folder.library(String(contentsOf: source, encoding: .utf8), "-ldl")
        try Data(count: 8).write(to: URL(fileURLWithPath: clock))
        let server = try start(environment: ["LD_PRELOAD": library, "CHAOS_CLOCK": clock])
        #expect(try eventually { try server.status().status == 0 })
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: clock))
        withUnsafeBytes(of: Int64(5 * 366 * 86_400)) { file.write(Data($0)) }
        let status = try server.status()
        #expect(status.status == 1)
        #expect(
            status.output.contains("\n0 certificates usable, 0 on the last good version, 2 broken; "),
            "\(status.output)")
        #expect(status.output.contains("check the clock of this machine, because all certificates expired at once"))
        #expect(status.output.contains(#/, up [0-9]+ (second|minute)s?, ready/#), "\(status.output)")
        #expect(try server.status("a.test").output.contains("certificate in hosts/a.test: broken, expired "))
    }
}
