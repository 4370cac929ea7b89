// The answer at each path, for the server and for another process.

import HTTP
import Posix
import Service
import Synchronization
import Testing

@testable import Administration

struct AdminRoutesTests {
    private static let token = "0123456789abcdef-token"

    private func ask(
        _ sources: any AdminHandlers, _ path: String, _ method: Method = .get,
        lines: [String] = ["authorization: Bearer \(token)"]
    ) throws -> ServiceResponse {
        var settings = AdminSettings(address: try #require(SocketAddress("127.0.0.1:9464")))
        settings.token = try AdminToken(Self.token.utf8)
        return Router(admin: settings, sources).answer(ServiceRequest(method, path, lines: lines))
    }

    private func text(_ response: ServiceResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test(
        arguments: [
            ("/healthz", .ok, "alive\n"), ("/readyz", .ok, "ready\n"), ("/metrics", .ok, "# HELP associated_"),
            ("/status", .ok, "{"), ("/status/shop.example.com", .ok, "{"), ("/status/", .notFound, "/healthz\n"),
            ("/hosts", .ok, "{"), ("/hosts/unfetched", .ok, "{"), ("/hosts/", .notFound, "/healthz\n"),
            ("/expiring/0", .ok, "{"), ("/expiring/", .notFound, "/healthz\n"), ("/expiring/-1", .notFound, "give"),
            ("/expiring/x", .notFound, "give"),
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

            """
        #expect(try text(ask(AdminBench.Answers(), "/")) == all)
        #expect(try text(ask(Worker(), "/status")) == "/healthz\n/readyz\n/metrics\n/orders\n")
    }

    @Test func `another process has health, metrics and its own paths`() throws {
        #expect(try text(ask(Worker(), "/readyz")) == "starting\n")
        #expect(try text(ask(Worker(), "/metrics")).hasSuffix("\n# TYPE orders gauge\norders 3\n"))
        #expect(try text(ask(Worker(), "/orders")) == "[]")
        #expect(try ask(Worker(), "/orders", lines: []).status == .unauthorized)
    }

    private struct Worker: AdminHandlers {
        func health() -> HealthReport { HealthReport(waits: ["starting"]) }

        func metricFamilies() -> [MetricFamily] {
            [MetricFamily("orders", .gauge, "Open orders.", [MetricFamily.Sample(.count(3))])]
        }

        var routes: [Route] {
            [Route(.get, "/orders", .status) { _ in ServiceResponse(.ok, ServiceResponse.json, Array("[]".utf8)) }]
        }
    }

    @Test(arguments: [
        "/served", "/served/00ff", "/documents", "/document/apple/shop.example.com", "/fetched/0", "/manager",
    ])
    func `has nothing of the link to the manager, and changes nothing`(path: String) throws {
        let sources = AdminBench.Answers()
        for method in [Method.get, .head, .put] { #expect(try ask(sources, path, method).status == .notFound) }
        #expect(sources.reports.withLock { $0 }.isEmpty)
    }

    @Test func `every route but the probes needs the token, and only reads`() throws {
        let router = Router(
            admin: AdminSettings(address: try #require(SocketAddress("127.0.0.1:9464"))), AdminBench.Answers())
        for route in router.routes {
            #expect((route.scope == nil) == ["/healthz", "/readyz"].contains(route.pattern))
            #expect(route.isQuick == (route.scope == nil) && route.method == .get && route.bodyBytesMax == 0)
        }
    }
}
