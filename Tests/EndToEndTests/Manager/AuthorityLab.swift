// Pebble, Let's Encrypt's test authority, beside a server and its manager, for whose hosts it issues certificates. All of it is on
// loopback. script/peers installs pebble; it ends when this value does, or the process of the test.

import Foundation
import Posix
import TestSupport
import Testing

final class AuthorityLab {
    static let isInstalled = ["pebble", "pebble-challtestsrv"].allSatisfy { tool in
        ["/usr/bin", "/usr/local/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
    static let absence: Comment = "pebble is not installed; script/peers installs it"

    let folder: Folder
    private(set) var server: RunningServer
    private let process = Process()
    private let lifeline = Pipe()

    private static let tools = "/usr/local/bin:/usr/bin:/bin"

    var places: [String] { ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"] }

    /// - Parameter settings: more members of `acme`, each with a comma behind it.
    init(hosts: [String], _ settings: String = "") throws {
        folder = try Folder()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", AuthorityLab.script, "lab", folder.path]
        process.environment = ["PATH": AuthorityLab.tools]
        (process.standardInput, process.standardOutput) = (lifeline, FileHandle.nullDevice)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let file = "\(folder.path)/ports"
        try #require(eventually { FileManager.default.fileExists(atPath: file) }, "pebble did not start")
        let ports = try folder.read("ports").split(whereSeparator: \.isWhitespace).map(String.init)
        try folder.write(
            "config/server.json",
            """
            { http: ["127.0.0.1:\(ports[0])"], https: ["127.0.0.1:0"],
              acme: {
                \(settings) contact: ["you@example.com"], termsAgreed: true, caFile: "\(folder.path)/pebble.pem",
                directories: ["https://localhost:\(ports[1])/dir"], resolvers: ["127.0.0.1:\(ports[2])"],
              }, tests: { challengePort: \(ports[0]) } }
            """)
        for host in hosts { try AuthorityLab.write(host, folder) }
        server = try RunningServer(["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"])
    }

    deinit {
        server.send(SIGTERM)
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static func write(_ host: String, _ folder: Folder) throws {
        try folder.write(
            "config/apps/\(host).json",
            """
            { name: "App", hosts: ["\(host)"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] }, links: [{ "/": "/a" }] }
            """)
    }

    func add(_ host: String) throws { try AuthorityLab.write(host, folder) }

    func acme(_ arguments: String...) throws -> Run { try acme(arguments) }

    func acme(_ arguments: [String]) throws -> Run { try Subject.run(["acme"] + arguments + places) }

    /// Waits until `acme status` says so, such as `2 issued`.
    func expect(_ counts: String, _ location: SourceLocation = #_sourceLocation) throws {
        var status = try acme("status")
        let end = Date(timeIntervalSinceNow: 60)
        while !status.output.hasPrefix("\(counts)\n"), Date() < end { status = try acme("status") }
        #expect(status.output.hasPrefix("\(counts)\n"), "\(status.text) \(log)", sourceLocation: location)
    }

    private var log: String { (try? folder.read("pebble.log").suffix(2_000)).map(String.init) ?? "" }

    /// Ports that were free a moment before. Pebble validates each host at once, and refuses a third of all nonces.
    private static let script = #"""
        set -eu
        cd "$1"
        read -r http authority dns control management < <(python3 -c '
        import socket
        sockets = [socket.socket() for _ in range(5)]
        for one in sockets: one.bind(("127.0.0.1", 0))
        print(*(one.getsockname()[1] for one in sockets))')
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout pebble.key -out pebble.pem 2>/dev/null
        cat >pebble.json <<JSON
        {"pebble": {"listenAddress": "127.0.0.1:$authority", "managementListenAddress": "127.0.0.1:$management",
        "certificate": "pebble.pem", "privateKey": "pebble.key", "httpPort": $http, "tlsPort": 1, "ocspResponderURL": ""}}
        JSON
        pebble-challtestsrv -defaultIPv6 "" -defaultIPv4 127.0.0.1 -dns01 "127.0.0.1:$dns" -http01 "" -https01 "" \
            -tlsalpn01 "" -management "127.0.0.1:$control" </dev/null >/dev/null 2>&1 &
        challenges=$!
        PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=30 PEBBLE_AUTHZREUSE=0 \
            pebble -config pebble.json -dnsserver "127.0.0.1:$dns" </dev/null >pebble.log 2>&1 &
        trap 'kill -KILL $! $challenges' EXIT
        until curl -sf --cacert pebble.pem "https://localhost:$authority/dir" >/dev/null; do sleep 0.1; done
        printf '%s\n' "$http $authority $dns" >ports.new
        mv ports.new ports
        read -r _ || true
        """#
}
