// Pebble, Let's Encrypt's test authority, with its challenge server, both on loopback. script/peers installs them. They end when the
// process that started them ends.

import Client
import Foundation
import Glibc
import TLS
import TestSupport
import Testing

@testable import ACME

final class Pebble {
    static let isInstalled = ["pebble", "pebble-challtestsrv"].allSatisfy { tool in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)")
        }
    }
    /// Why tests are skipped.
    static let absence: Comment = "pebble is not installed; script/peers installs it"

    let directoryURL: AuthorityURL
    let directory: AuthorityDirectory
    private let folder: TemporaryFolder
    private let challengePort: Int
    private let managementPort: Int
    private var web: WebSession
    private let process = Process()
    /// Both programs end when this pipe is closed.
    private let lifeline = Pipe()

    /// - Parameter settings: more members of the configuration, such as `"externalAccountBindingRequired": true,`.
    init(_ settings: String = "") throws {
        folder = try TemporaryFolder()
        let ports = try Pebble.freePorts(5)
        (challengePort, managementPort) = (ports[3], ports[1])
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", Pebble.script, "pebble", folder.path, settings] + ports.map(String.init)
        process.standardInput = lifeline
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        directoryURL = try address("https://localhost:\(ports[0])/dir")
        let certificate = "\(folder.path)/pebble.pem"
        try #require(eventually { FileManager.default.fileExists(atPath: "\(certificate).ready") })
        var settings = WebSessionSettings()
        settings.limits.milliseconds = 20_000
        settings.limits.bodyBytesMax = AuthorityLimits.bodyBytesMax
        settings.overrides = ports.map { AddressOverride("localhost:\($0):127.0.0.1")! }
        var web = WebSession(try ClientContext(authorityFile: certificate), settings)
        let request = AuthorityDirectory.request(directoryURL)
        var found: AuthorityDirectory?
        _ = eventually {
            found = (try? Pebble.send(request, &web)).flatMap { try? AuthorityDirectory(reading: $0) }
            return found != nil
        }
        directory = try #require(found, "pebble does not answer")
        self.web = web
        // The challenge server may start later.
        try #require(eventually { (try? manage("clear-a", "{\"host\": \"a.example.\"}")) != nil })
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func send(_ request: AuthorityRequest) throws(AuthorityProblem) -> AuthorityResponse {
        try Pebble.send(request, &web)
    }

    /// Sends a request with `Client`, as the program does.
    private static func send(
        _ request: AuthorityRequest, _ web: inout WebSession
    ) throws(AuthorityProblem) -> AuthorityResponse {
        guard let location = WebLocation(request.url.text) else { throw .noAnswer("no location: \(request.url)") }
        var fields: [FetchedResponse.Field] = []
        if let accept = request.accept { fields.append(.init(name: "Accept", value: accept)) }
        if request.body != nil { fields.append(.init(name: "Content-Type", value: AuthorityRequest.contentType)) }
        do throws(FetchError) {
            let response = try web.send(
                location, method: request.method.rawValue, fields: fields, body: request.body)
            return AuthorityResponse(
                status: response.status, fields: response.fields.map { ($0.name, $0.value) }, body: response.body,
                isTruncated: response.isTruncated, retryAfterSeconds: response.retryAfterSeconds(now: Int64(time(nil))))
        } catch {
            throw .noAnswer(error.description)
        }
    }

    /// Publishes or withdraws an answer to a challenge.
    func publish(_ answer: OrderAnswer, isThere: Bool = true) throws {
        switch (answer.kind, isThere) {
        case (.http, true):
            try manage("add-http01", #"{"token": "\#(answer.token)", "content": "\#(answer.keyAuthorization)"}"#)
        case (.http, false): try manage("del-http01", #"{"token": "\#(answer.token)"}"#)
        case (.dns, true):
            try manage("set-txt", #"{"host": "\#(answer.recordName).", "value": "\#(answer.recordValue)"}"#)
        case (.dns, false): try manage("clear-txt", #"{"host": "\#(answer.recordName)."}"#)
        }
    }

    private func manage(_ command: String, _ body: String) throws {
        let location = try #require(WebLocation("http://localhost:\(challengePort)/\(command)"))
        let response = try web.send(location, method: "POST", body: Array(body.utf8))
        try #require(response.status == 200)
    }

    /// The subject of one of its roots.
    func rootName(_ number: Int) throws -> String {
        let response = try send(
            AuthorityDirectory.request(address("https://localhost:\(managementPort)/roots/\(number)")))
        return try IssuedChain(pem: response.body).facts.subject
    }

    /// Ports that were free a moment before.
    private static func freePorts(_ count: Int) throws -> [Int] {
        let sockets = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for number in sockets { close(number) } }
        return try sockets.map { number in
            var address = sockaddr_in()
            (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), in_addr_t(0x7F00_0001).bigEndian)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
                }
            }
            try #require(isBound)
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// Pebble refuses 30 % of the nonces, reuses half of the authorizations, and offers three chains.
    private static let script = #"""
        set -eu
        cd "$1"
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout pebble.key -out pebble.pem
        cat >pebble.json <<JSON
        {"pebble": {"listenAddress": "127.0.0.1:$3", "managementListenAddress": "127.0.0.1:$4", $2
        "certificate": "pebble.pem", "privateKey": "pebble.key", "httpPort": $5, "tlsPort": 1, "ocspResponderURL": ""}}
        JSON
        pebble-challtestsrv -defaultIPv6 "" -dns01 "127.0.0.1:$7" -http01 "127.0.0.1:$5" -https01 "" -tlsalpn01 "" \
            -management "127.0.0.1:$6" </dev/null &
        challenges=$!
        PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=30 PEBBLE_AUTHZREUSE=50 PEBBLE_ALTERNATE_ROOTS=2 \
            pebble -strict -config pebble.json -dnsserver "127.0.0.1:$7" </dev/null &
        trap 'kill -KILL $! $challenges' EXIT
        touch pebble.pem.ready
        read -r _ || true
        """#
}
