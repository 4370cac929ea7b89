// What makes a server unready or unhealthy, and what does neither.

import HTTP
import Telemetry
import Testing

@testable import Administration

struct HealthReportTests {
    private func report(_ phase: HealthReport.Phase, silences: [Int64], _ hosting: HostingFigures = HostingFigures())
        -> HealthReport
    {
        HealthReport(
            phase, workers: silences.map { WorkerState(silentMilliseconds: $0, longestRoundMicroseconds: 0) },
            hosting: hosting)
    }

    @Test(arguments: [
        (HealthReport.Phase.serving, [0, 0] as [Int64], true, true), (.serving, [0, 10_000], true, true),
        (.serving, [0, 10_001], false, false), (.serving, [10_001, 10_001], false, false),
        (.draining, [0, 0], true, false), (.starting, [0, 0], true, false), (.draining, [20_000], false, false),
    ])
    func `a stuck worker is deadly, beginning and ending are not`(
        phase: HealthReport.Phase, silences: [Int64], isAlive: Bool, isReady: Bool
    ) {
        let report = report(phase, silences: silences)
        #expect(report.isAlive == isAlive)
        #expect(report.isReady == isReady)
        #expect(report.alive(tellsWhy: true).status == (isAlive ? .ok : .serviceUnavailable))
        #expect(report.ready(tellsWhy: true).status == (isReady ? .ok : .serviceUnavailable))
    }

    @Test func `the worker that is stuck is named`() {
        let report = report(.draining, silences: [0, 12_345])
        #expect(report.failures == ["worker 1 has given no sign of life for 12 seconds"])
        #expect(
            report.alive(tellsWhy: true).body.elementsEqual("worker 1 has given no sign of life for 12 seconds\n".utf8))
        #expect(
            report.ready(tellsWhy: true).body.elementsEqual(
                "worker 1 has given no sign of life for 12 seconds\ndraining: the server is about to end\n".utf8))
    }

    @Test func `counts tenants' errors without becoming unready`() {
        var hosting = HostingFigures()
        (hosting.keptHosts, hosting.unservedFiles, hosting.errors) = (3, 1, 4)
        let report = report(.serving, silences: [0], hosting)
        #expect(report.isReady)
        #expect(
            report.notes == [
                "3 hosts on their last good version", "1 app file that nothing is served from", "4 errors stand",
            ])
    }
}
