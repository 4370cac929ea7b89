// A server with 256 MiB, and a tenant whose certificates would need more than that, beside one with an ordinary certificate. The limit
// is that of a process for its data, so the test needs no control group. Thread stacks count there with all that they may use.

import Foundation
import Posix
import Testing

@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil, "sanitizers need memory of their own"))
struct SharedMemoryTests {
    /// Each certificate takes about 700 KB in memory.
    private static let hosts = (0..<400).map { "h\($0).evil.test" }
    private static let namesOfCertificate = 5_000
    private static let mebibytes = 256
    private static let clients = 4

    private let folder: Folder

    init() throws {
        folder = try Folder()
        let certificate = try folder.write("evil/request.cnf", Self.request)
        let made = try Subject.shell(
            "cd '\(folder.path)/evil' && openssl req -x509 -config '\(certificate)' -newkey ec -pkeyopt "
                + "ec_paramgen_curve:prime256v1 -nodes -days 80 -keyout privkey.pem -out fullchain.pem && chmod 600 privkey.pem",
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        try #require(made.status == 0, "\(made.errors)")
        let hosts = "\(folder.path)/config/hosts"
        for host in Self.hosts {
            try FileManager.default.createDirectory(atPath: "\(hosts)/\(host)", withIntermediateDirectories: true)
            for file in ["fullchain.pem", "privkey.pem"] {
                try FileManager.default.copyItem(
                    atPath: "\(folder.path)/evil/\(file)", toPath: "\(hosts)/\(host)/\(file)")
            }
        }
        try folder.certify("good.test")
        try folder.write("config/apps/good/shop.json", Folder.app("good.test"))
        let names = Self.hosts.map { "\"\($0)\"" }.joined(separator: ", ")
        try folder.write(
            "config/apps/evil/many.json",
            "{ name: \"Many\", hosts: [\(names)], ios: { appIDs: [\"8KQ2V7M4XN.dev.evil.app\"] }, links: [{ \"/\": \"/x\" }] }"
        )
    }

    /// A certificate with as many names as its file may have.
    private static let request: String = {
        let names = ["*.evil.test"] + (1..<namesOfCertificate).map { "\(String($0, radix: 36)).x" }
        let list = names.enumerated().map { "DNS.\($0) = \($1)" }.joined(separator: "\n")
        return """
            [req]
            distinguished_name = name
            x509_extensions = more
            prompt = no
            [name]
            CN = evil
            [more]
            subjectAltName = @names
            [names]
            \(list)

            """
    }()

    /// Requests of hosts one after the other, each with a handshake of its own. Returns how many succeeded.
    private static func ask(_ hosts: String, _ port: String) throws -> Int {
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "curl", "--silent", "--insecure", "--max-time", "300", "--connect-to", "::127.0.0.1:\(port)",
                "--output",
                "/dev/null", "--write-out", "%{http_code}\n", "https://\(hosts):\(port)/.well-known/assetlinks.json",
            ])
        // The hosts have no Android app: an answer is enough.
        return run.output.split(separator: "\n").count { $0 == "404" || $0 == "200" }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a tenant with large certificates ends no server and delays no other tenant`() async throws {
        let server = try RunningServer(
            command: [
                "/usr/bin/env", "prlimit", "--data=\(Self.mebibytes << 20)", Subject.executable.path, "serve",
            ]
                + folder.options + ["--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--workers", "2"],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"], input: nil)
        let (port, first) = (server.securePort, server.serverIdentifier)
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<Self.clients {
                // Each has its own part of the hosts, so that none is still in memory.
                let part = Self.hosts.count / Self.clients
                group.addTask { try Self.ask("h[\(client * part)-\(client * part + part - 1)].evil.test", port) }
            }
            for number in 0..<50 { #expect(try Self.ask("good.test", port) == 1, "\(number)") }
            return try await group.reduce(0, +)
        }
        #expect(answers == Self.hosts.count, "the tenant is served too")
        #expect(server.serverIdentifier == first, "no other server had to take over")
        #expect(try server.kilobytes("VmRSS") < Self.mebibytes << 10)
        server.stop()
    }
}
