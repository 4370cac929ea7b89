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
            ("/expiring/0", .ok, "{"), ("/expiring/", .notFound, "/healthz\n"),
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
        #expect(try ask(Worker(), "/orders", isAuthorized: false).status == .unauthorized)
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

    @Test(arguments: [
        "/served", "/served/00ff", "/documents", "/document/apple/shop.example.com", "/fetched/0", "/manager/-",
        "/manager/7/66",
    ])
    func `has nothing of the link to the manager, and changes nothing`(path: String) throws {
        let sources = AdminBench.Answers()
        let address = try #require(SocketAddress("unix:/run/admin.sock"))
        let routes = AdminRoutes(AdminSettings(address: address), sources)
        for (method, status) in [(Method.get, Status.notFound), (.head, .notFound), (.notServed, .methodNotAllowed)] {
            let answer = routes.answer(AdminRequest(method: method, path: path, host: "", isAuthorized: true))
            #expect(answer.status == status)
        }
        #expect(sources.reports.withLock { $0 }.isEmpty)
    }

    @Test func `an answer without content has neither type nor length`() throws {
        for (status, count) in [(Status.noContent, 0), (.ok, 1)] {
            let bytes = AdminResponse(status, lines: []).bytes(wantsBody: true, closes: false)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.count { $0.hasPrefix("content-length: ") } == count)
            #expect(lines.count { $0.hasPrefix("content-type: ") } == count)
        }
    }
}
