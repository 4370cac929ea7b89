// What makes a server unready or unhealthy, and what does neither.

import HTTP
import Service
import Telemetry
import Testing

@testable import Administration

struct HealthReportTests {
    private func report(
        _ phase: HealthReport.Phase, silentMilliseconds: [Int64], _ hosting: HostingFigures = HostingFigures()
    ) -> HealthReport {
        HealthReport(
            phase, workers: silentMilliseconds.map { WorkerState(silentMilliseconds: $0, longestRoundMicroseconds: 0) },
            hosting: hosting)
    }

    @Test(arguments: [
        (HealthReport.Phase.serving, [0, 0] as [Int64], true, true), (.serving, [0, 10_000], true, true),
        (.serving, [0, 10_001], false, false), (.serving, [10_001, 10_001], false, false),
        (.draining, [0, 0], true, false), (.starting, [0, 0], true, false), (.draining, [20_000], false, false),
    ])
    func `unhealthy with a stuck worker, but not while starting or stopping`(
        phase: HealthReport.Phase, silentMilliseconds: [Int64], isAlive: Bool, isReady: Bool
    ) {
        let report = report(phase, silentMilliseconds: silentMilliseconds)
        #expect(report.isAlive == isAlive)
        #expect(report.isReady == isReady)
        #expect(report.alive(includesReasons: true).status == (isAlive ? .ok : .serviceUnavailable))
        #expect(report.ready(includesReasons: true).status == (isReady ? .ok : .serviceUnavailable))
    }

    @Test func `names the stuck worker`() {
        let report = report(.draining, silentMilliseconds: [0, 12_345])
        #expect(report.failures == ["worker 1 has not responded for 12 seconds"])
        #expect(
            report.alive(includesReasons: true).body.elementsEqual("worker 1 has not responded for 12 seconds\n".utf8))
        #expect(
            report.ready(includesReasons: true).body.elementsEqual(
                "worker 1 has not responded for 12 seconds\ndraining: the server is shutting down\n".utf8))
    }

    @Test func `counts tenants' errors without becoming unready`() {
        var hosting = HostingFigures()
        (hosting.keptHosts, hosting.unservedFiles, hosting.errors) = (3, 1, 4)
        let report = report(.serving, silentMilliseconds: [0], hosting)
        #expect(report.isReady)
        #expect(
            report.notes == [
                "3 hosts on their last good version", "1 app file without a version in service", "4 open errors",
            ])
    }
}
