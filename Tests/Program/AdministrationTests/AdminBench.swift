// A listener in this process with the test's answers, and a client that sends any bytes.

import Foundation
import Posix
import Service
import Synchronization
import Telemetry
import Testing

@testable import Administration

/// A running listener, stopped when the test ends.
final class AdminBench: Sendable {
    let listener: Service
    /// The parent's, in a running server.
    private let socket: ListeningSocket
    private let health = Answers()

    init(
        _ address: String = "127.0.0.1:0", token: String? = nil, hosts: [String] = [],
        limits: ServiceLimits = ServiceLimits(), sharing other: AdminBench? = nil
    ) throws {
        var settings = AdminSettings(address: SocketAddress(address)!, hosts: hosts)
        settings.token = try token.map { try AdminToken($0.utf8) }
        socket = try other?.socket ?? ListeningSocket(settings.address, sharesPort: false)
        listener = try Service(admin: settings, health, on: socket, limits: limits)
    }

    /// The source of the listener's answers.
    final class Answers: ServerHandlers, LinkHandlers {
        let report = Mutex(HealthReport())
        /// What the manager has said.
        let reports = Mutex<[ManagerReport]>([])

        func health() -> HealthReport { report.withLock { $0 } }
        func metrics() -> MetricsSnapshot { Samples.snapshot }
        func status() -> StatusReport { Samples.status }
        func host(_ host: String) -> HostReport? { host == "shop.example.com" ? Samples.host : nil }
        func reasonsUnserved(_ host: String) -> [String] { host == "new.example.com" ? ["a.json: error[APP-046]"] : [] }
        func nearestHost(to host: String) -> String? { host == "shpo.example.com" ? "shop.example.com" : nil }
        func hosts(onlyUnfetched: Bool) -> HostList { onlyUnfetched ? Samples.unfetched : Samples.hosts }
        func expiring(within seconds: Int64) -> ExpiryReport? { Samples.expiring(seconds) }
        func served() -> ServedHosts { Samples.served }
        func servedDigest() -> String { Samples.served.digest }
        func documents(after name: String) -> ServedDocuments {
            name.isEmpty ? Samples.documents : Samples.lastDocuments
        }
        func file(of host: String, _ document: RequestedDocument) -> [UInt8]? {
            host == "shop.example.com" && document == .appleAssociation ? Array("{}".utf8) : nil
        }
        func fetches(since seconds: Int64) -> RecentFetches {
            RecentFetches(Samples.fetches.fetches.filter { $0.seconds >= seconds })
        }
        func published(in folder: String) -> PublishedApps {
            folder == "acme" ? Samples.published : .blank
        }
        func note(_ report: ManagerReport) { reports.withLock { $0.append(report) } }
    }

    func set(_ report: HealthReport) { health.report.withLock { $0 = report } }

    var address: SocketAddress { listener.address }

    /// One request on its own connection.
    func ask(_ path: String, host: String = "localhost", method: String = "GET", _ lines: String = "") throws -> Answer
    {
        try send("\(method) \(path) HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n\(lines)\r\n")
    }

    func send(_ text: String) throws -> Answer {
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        try client.send(Array(text.utf8))
        return try Answer(client)
    }

    deinit { listener.stop() }
}

/// An answer as a client reads it, until the connection ends.
struct Answer {
    var status: Int
    var head: String
    var body: String

    init(_ client: borrowing ClientSocket) throws {
        var bytes: [UInt8] = []
        while true {
            let more = try client.receive()
            if more.isEmpty { break }
            bytes += more
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let end = try #require(text.range(of: "\r\n\r\n"))
        head = String(text[..<end.lowerBound]) + "\r\n"
        body = String(text[end.upperBound...])
        status = try #require(Int(text.split(separator: " ")[1]))
    }

    func field(_ name: String) -> String? {
        head.range(of: "\r\n\(name): ").map { String(head[$0.upperBound...].prefix { $0 != "\r\n" }) }
    }
}
