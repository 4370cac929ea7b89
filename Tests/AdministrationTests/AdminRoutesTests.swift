// The answer at each path, for the server and for another process.

import HTTP
import Posix
import Synchronization
import Testing

@testable import Administration

struct AdminRoutesTests {
    private func ask(_ sources: any AdminSources, _ path: String, isAuthorized: Bool = true) throws -> AdminResponse {
        let address = try #require(SocketAddress("127.0.0.1:9464"))
        return AdminRoutes(AdminSettings(address: address), sources).answer(
            AdminRequest(method: .get, path: path, host: "localhost", isAuthorized: isAuthorized))
    }

    private func text(_ response: AdminResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test(
        arguments: [
            ("/healthz", .ok, "alive\n"), ("/readyz", .ok, "ready\n"), ("/metrics", .ok, "# HELP associated_"),
            ("/status", .ok, "{"), ("/status/shop.example.com", .ok, "{"), ("/status/", .notFound, "this host"),
            ("/hosts", .ok, "{"), ("/hosts/unfetched", .ok, "{"), ("/hosts/", .notFound, "/healthz\n"),
            ("/expiring/0", .ok, "{"), ("/expiring/", .notFound, "/healthz\n"), ("/served", .ok, "{\"digest\":"),
            ("/served/00ff", .noContent, ""), ("/served/00fe", .ok, "{\"digest\":"), ("/served/", .ok, "{\"digest\":"),
            ("/servedx", .notFound, "/healthz\n"), ("/documents", .ok, "{\"digest\":\"00ff\",\"hosts\":[{"),
            ("/documents/shop.example.com", .ok, "{\"digest\":\"00ff\",\"hosts\":[]"),
            ("/document/apple/shop.example.com", .ok, "{}"), ("/document/google/shop.example.com", .notFound, "this"),
            ("/document/other/shop.example.com", .notFound, "/healthz\n"),
            ("/fetched/0", .ok, "{\"fetches\":[{\"host\":\"news."),
            ("/fetched/9999999999", .ok, "{\"fetches\":[],\"more\":false}"),
            ("/fetched/-1", .notFound, "/healthz\n"), ("/fetched/", .notFound, "/healthz\n"),
        ] as [(String, Status, String)])
    func `the server answers at its paths`(path: String, status: Status, beginning: String) throws {
        let answer = try ask(AdminBench.Answers(), path)
        #expect(answer.status == status)
        #expect(text(answer).hasPrefix(beginning))
    }

    @Test func `an unknown path is answered with all paths`() throws {
        let all = """
            /healthz
            /readyz
            /metrics
            /status
            /status/HOST
            /hosts
            /hosts/unfetched
            /expiring/SECONDS
            /served
            /served/DIGEST
            /documents
            /documents/AFTER
            /document/apple/HOST
            /document/google/HOST
            /fetched/SECONDS

            """
        #expect(try text(ask(AdminBench.Answers(), "/")) == all)
        #expect(try text(ask(Worker(), "/status")) == "/healthz\n/readyz\n/metrics\n/orders\n")
    }

    @Test func `another process has health, metrics and its own paths`() throws {
        #expect(try text(ask(Worker(), "/readyz")) == "starting\n")
        #expect(try text(ask(Worker(), "/metrics")).hasSuffix("\n# TYPE orders gauge\norders 3\n"))
        #expect(try text(ask(Worker(), "/orders")) == "[]")
        #expect(try ask(Worker(), "/orders", isAuthorized: false).status == .unauthorized)
        #expect(try ask(Worker(), "/served").status == .notFound)
    }

    private struct Worker: AdminSources {
        func health() -> HealthReport { HealthReport(waits: ["starting"]) }

        func metricFamilies() -> [MetricFamily] {
            [MetricFamily("orders", .gauge, "Open orders.", [MetricFamily.Sample(.count(3))])]
        }

        func answer(path: String) -> AdminResponse? {
            guard path == "/orders" else { return nil }
            return AdminResponse(.ok, AdminResponse.json, Array("[]".utf8))
        }

        var paths: [String] { ["/orders"] }
    }

    /// Each row: the path, and whether only the manager asks for it.
    @Test(arguments: [
        ("/served", true), ("/served/00ff", true), ("/served/0", true), ("/status", false), ("/readyz", false),
    ])
    func `a request of the served hosts is a contact of the manager`(path: String, isContact: Bool) throws {
        let sources = AdminBench.Answers()
        _ = try ask(sources, path)
        #expect(sources.contacts.withLock { $0 } == (isContact ? 1 : 0))
        _ = try ask(sources, path, isAuthorized: false)
        #expect(sources.contacts.withLock { $0 } == (isContact ? 1 : 0))
    }

    @Test func `an answer without content has neither type nor length`() throws {
        for (path, count) in [("/served/00ff", 0), ("/served", 1)] {
            let bytes = try ask(AdminBench.Answers(), path).bytes(wantsBody: true, closes: false)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.count { $0.hasPrefix("content-length: ") } == count)
            #expect(lines.count { $0.hasPrefix("content-type: ") } == count)
        }
    }
}
