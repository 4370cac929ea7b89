// The reports for people and programs, word for word, at a fixed time.

import Certificates
import Posix
import SourceJSON
import TLS
import Telemetry
import Testing

@testable import Administration

struct StatusReportTests {
    @Test func `writes the whole server in lines`() {
        #expect(
            Samples.status.text == """
                associated 0.1.0 (OpenSSL 3), process 4711, up 1 day 2 hours, ready
                serves 214 apps on 388 hosts, 3 open connections, digest 00ff
                1 host on its last good version:
                  shop.example.com, since 2026-11-20 (2 hours ago): apps/shop.json:33:1: error[APP-001]: the text goes on
                2 removed entries are still served (removal guard; hosts, app ids, packages and fingerprints count)
                open findings: 6 errors, 1 warning, 0 notes
                  and 1 more
                last reload 12 minutes ago (8.4 ms): changes published; 5 reloads, 1 failed
                12 certificates usable, 2 on the last good version, 1 broken; 3 hosts without one
                  old.example.com, since 2026-11-18 (2 days ago): hosts/old.example.com/fullchain.pem: error[CERT-009]: the \
                certificate expired 2 days ago
                  and 3 more
                  old.example.com expired 2 days ago (2026-11-18)
                  _wildcard.example.com expires in 21 days (2026-12-11), 23 % of its lifetime left
                2 workers, all responding; longest loop round in the last 30 seconds: 1.5 ms
                Apple: last fetch 1 minute ago (confirmed)
                Apple devices: no fetch recorded yet
                Google: last fetch 2 hours ago (claimed)
                Googlebot: no fetch recorded yet
                Android devices: no fetch recorded yet

                """)
    }

    @Test func `writes a broken file once, with its hosts`() {
        var status = Samples.status
        let reason = status.kept[0].reason
        status.kept.append(.init(host: "www.example.com", reason: reason))
        status.hosting.keptHosts = 2
        status.findings.append(.init(finding: "apps/other.json: error[APP-001]: another", sinceSeconds: Samples.now))
        let lines = status.text.split(separator: "\n")
        #expect(
            lines.filter { $0.contains("shop.json") }.map { $0.prefix(35) } == ["  shop.example.com, www.example.com"])
        #expect(lines.contains { $0.hasSuffix(": apps/other.json: error[APP-001]: another") })
    }

    @Test func `reports nothing as fine that needs an operator or was not checked`() {
        var status = Samples.status
        #expect(!status.isFine)
        status.hosting.errors = 0
        #expect(status.isFine)
        status.certificates = CertificateFigures()
        status.certificates?.isComplete = false
        #expect(!status.isFine)
        #expect(status.text.contains("\ncertificates have not been checked yet\n"))
        status.certificates?.usable = 2
        #expect(status.text.contains("\n2 certificates usable, ") && status.text.contains("; not all checked yet\n"))
        status.certificates = nil
        #expect(status.isFine)
        status.waits = ["draining"]
        #expect(!status.isFine)
    }

    /// Each row: hosts without a certificate, how many the manager waits for, and what the server says.
    @Test(arguments: [
        (3, 0, 3, 0, "; 3 hosts without one\n"), (3, 2, 1, 2, "; 1 host without one, 2 waiting for the first one\n"),
        (3, 3, 0, 3, "; 0 hosts without one, 3 waiting for the first one\n"),
        (3, 4, 0, 3, "; 0 hosts without one, 3 waiting for the first one\n"),
    ])
    func `tells hosts that wait for their first certificate from those without one`(
        all: Int, count: Int, missing: Int, awaited: Int, words: String
    ) throws {
        var status = Samples.status
        status.certificates?.missing = all
        status.certificates?.noteAwaited(count)
        let certificates = try #require(status.certificates)
        #expect(certificates.missing == missing && certificates.awaited == awaited)
        #expect(status.text.contains(words))
        let value = try #require(SourceReader.read(status.json, as: .json).value)
        #expect(StatusReport(value)?.certificates?.awaited == awaited)
        let metrics = String(
            decoding: MetricsText.bytes(of: MetricsSnapshot(status, Samples.metrics).families), as: UTF8.self)
        #expect(metrics.contains("\nassociated_certificates{state=\"missing\"} \(missing)\n"))
        #expect(metrics.contains("\nassociated_certificates{state=\"awaited\"} \(awaited)\n"))
    }

    @Test func `takes the uptime from the monotonic clock, and names guarded files`() {
        var status = Samples.status
        status.uptimeSeconds = 90
        status.guardedFiles = ["config/apps/a.json", "config/apps/b.json"]
        #expect(status.text.contains(", up 1 minute, "))
        #expect(
            status.text.contains(
                "\n2 removed entries are still served (removal guard; hosts, app ids, packages and fingerprints count): config/apps/a.json, config/apps/b.json\n"
            ))
    }

    @Test func `says whether the last fetch was confirmed, and when one was`() {
        var status = Samples.status
        status.verifiers.lastSeconds[.appleCDN] = Samples.now
        #expect(status.text.contains("\nApple: last fetch just now (claimed; confirmed 1 minute ago)\n"))
        status.verifiers.lastConfirmedSeconds = [:]
        #expect(status.text.contains("\nApple: last fetch just now (claimed)\n"))
    }

    /// Each row: connections, handshakes, whether a network is known, the line, and whether it is a warning.
    @Test(
        arguments: [
            (0, 0, false, nil, false), (0, 1, false, "1 handshake timed out", false),
            (0, 61, false, "61 handshakes timed out", true),
            (1, 0, false, "1 connection refused because a network had too many", true),
            (
                9, 2, true,
                "9 connections refused because a network had too many, most of them from 192.0.2.1 (5); 2 handshakes timed out",
                true
            ),
        ] as [(Int, Int, Bool, String?, Bool)])
    func `writes refused clients in one line`(
        connections: Int, handshakes: Int, isKnown: Bool, line: String?, isWarning: Bool
    ) {
        var status = Samples.status
        (status.refusals.connections, status.refusals.handshakes) = (connections, handshakes)
        if isKnown { (status.refusals.network, status.refusals.ofNetwork) = ("192.0.2.1", 5) }
        #expect(status.refusals.text == line.map { "in the last minute: \($0)" })
        #expect((status.refusals.warning != nil) == isWarning)
        #expect(status.text.contains("in the last minute: ") == (line != nil))
        #expect(
            SourceReader.read(status.json, as: .json).value.flatMap { StatusReport($0) }?.refusals == status.refusals)
    }

    @Test func `writes a server with problems`() {
        var status = Samples.status
        status.waits = ["draining: finishing what is in flight", "worker 1 is stuck"]
        status.hosting = HostingFigures()
        (status.kept, status.findings, status.certificates) = ([], [], nil)
        status.reloads = ReloadFigures()
        status.reloads.failed = 1
        status.reloads.last = .init(
            outcome: .failed, seconds: Samples.now, microseconds: 12_345, message: "cannot look at config/apps")
        status.workers[1].silentMilliseconds = 12_000
        status.openConnections = 1
        #expect(
            status.text.split(separator: "\n").prefix(6) == [
                "associated 0.1.0 (OpenSSL 3), process 4711, up 1 day 2 hours, not ready: draining: finishing what is in "
                    + "flight; worker 1 is stuck", "serves 0 apps on 0 hosts, 1 open connection, digest 00ff",
                "no open findings",
                "last reload just now (12 ms): failed: cannot look at config/apps; 1 reload, 1 failed", "no TLS",
                "2 workers, not responding: 1; longest loop round in the last 30 seconds: 1.5 ms",
            ])
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-1", "0"])
    func `reads or refuses a report with invented numbers, and never traps`(number: String) throws {
        for report in [Samples.status.json, Samples.host.json] {
            let text = String(decoding: report, as: UTF8.self)
            let numbers = text.matches(of: /:\s*(-?[0-9]+)/)
            #expect(numbers.count > 5)
            for match in numbers {
                let damaged = "\(text[..<match.1.startIndex])\(number)\(text[match.1.endIndex...])"
                let value = try #require(SourceReader.read(Array(damaged.utf8), as: .json).value)
                _ = StatusReport(value)?.text
                _ = HostReport(value)?.text
            }
        }
    }

    @Test func `writes one host in lines`() {
        #expect(
            Samples.host.text == """
                shop.example.com
                  tenant customer-a/
                  from apps/customer-a/shop.json
                  for 8KQ2V7M4XN.com.acme.shop, com.acme.shop
                  apple-app-site-association "b7e07d6d"
                  assetlinks.json "91535165"
                  certificate in hosts/_wildcard.example.com: last good, expires in 21 days (2026-12-11), 23 % of \
                its lifetime left, serial 03AB, issuer CN=R11
                    since 2026-11-18 (2 days ago): hosts/old.example.com/fullchain.pem: error[CERT-009]: the certificate \
                expired 2 days ago
                Apple: last fetch of shop.example.com 12 minutes ago from 17.58.96.0/24 (confirmed), got the current version
                Apple: last fetch of shop.example.com 1 minute ago from 192.0.2.0/24 (claimed), got status 404
                Apple devices: last fetch of shop.example.com just now (claimed), already had the current version
                Google: last fetch of shop.example.com 3 days ago from 66.249.66.0/24 (confirmed), got an older version, \
                "dc84c8cf"
                Googlebot: last fetch of shop.example.com 1 hour ago (claimed), got status 404
                Android devices: no fetch of shop.example.com since recording began 5 days ago

                """)
    }

    @Test func `writes a host of a wildcard with many problems`() {
        var host = Samples.host
        (host.host, host.name) = ("a.example.com", "*.example.com")
        (host.documents, host.verifiers, host.certificate) = ([], [], nil)
        (host.tenant, host.appFiles) = (nil, (1...11).map { "\($0).json" })
        host.apps = []
        host.reasons = ["apps/shop.json: error[APP-001]: broken"]
        host.errors = ["apps/new.json: error[APP-002]: broken too"]
        #expect(SourceReader.read(host.json, as: .json).value.flatMap { HostReport($0) } == host)
        #expect(
            host.text.split(separator: "\n").prefix(8) == [
                "a.example.com, served as *.example.com",
                "  from \((1...10).map { "apps/\($0).json" }.joined(separator: ", ")) and 1 more",
                "  no association file",
                "  serves its last good version because of:", "    apps/shop.json: error[APP-001]: broken",
                "  files for it that are not in service:", "    apps/new.json: error[APP-002]: broken too",
                "Apple: no fetch of *.example.com since recording began 5 days ago",
            ])
    }

    @Test func `reads back what it writes as JSON`() throws {
        let status = try #require(SourceReader.read(Samples.status.json, as: .json).value)
        var expected = Samples.status
        // Counts by status are only in the metrics.
        (expected.verifiers.fetches, expected.verifiers.confirmed) = ([:], [:])
        expected.reloads.durations = HistogramReading()
        expected.certificates?.judgedLifeLeftMin = nil
        #expect(StatusReport(status) == expected)
        let host = try #require(SourceReader.read(Samples.host.json, as: .json).value)
        #expect(HostReport(host) == Samples.host)
        #expect(StatusReport(host) == nil)
        #expect(HostReport(status) == nil)
    }

    @Test func `writes certificates that expire soon, in lines and as JSON`() throws {
        let report = ExpiryReport(
            nowSeconds: Samples.now, withinSeconds: 14 * 86_400, all: Samples.certificates.soonest)
        #expect(
            report.text == """
                2026-11-18  2 days ago  old.example.com  CN=R11
                2026-12-11  in 21 days, 23 % left  _wildcard.example.com  CN=R11

                """)
        #expect(String(decoding: report.json, as: UTF8.self).contains("\"daysLeft\": 21"))
        let value = try #require(SourceReader.read(report.json, as: .json).value)
        #expect(ExpiryReport(value) == report)
        // A server of an earlier version reports no share.
        let earlier = CertificateFigures.Expiry(folder: "a.example.com", notAfter: Samples.now + 86_400, issuer: "CN=I")
        #expect(
            ExpiryReport(nowSeconds: Samples.now, withinSeconds: 86_400, all: [earlier]).text
                == "2026-11-21  in 1 day  a.example.com  CN=I\n")
        let none = ExpiryReport(nowSeconds: Samples.now, withinSeconds: 14 * 86_400, all: [])
        #expect(none.text == "no certificate expires within 14 days\n")
        let many = ExpiryReport(
            nowSeconds: 0, withinSeconds: 1,
            all: Array(repeating: Samples.certificates.soonest[0], count: ExpiryReport.listMax + 3))
        #expect(many.text.hasSuffix("and 3 more\n"))
        // As many bytes as the client of the admin listener reads.
        #expect(many.json.count < 8 << 20)
    }

    @Test func `writes all hosts, in lines and as JSON`() throws {
        #expect(
            Samples.hosts.text == """
                new.example.com  Apple never  Google just now (claimed)
                shop.example.com  Apple 12 minutes ago  no file for Google  last good version
                recording began 5 days ago

                """)
        #expect(Samples.unfetched.hosts.map(\.host) == ["new.example.com"])
        let value = try #require(SourceReader.read(Samples.hosts.json, as: .json).value)
        #expect(HostList(value) == Samples.hosts)
        #expect(HostList(nowSeconds: 0, recordedSinceSeconds: 0, all: []).text.hasPrefix("no hosts\n"))
        let name = String(repeating: "n", count: 253)
        let many = HostList(
            nowSeconds: Samples.now, recordedSinceSeconds: 0,
            all: Array(
                repeating: .init(host: name, isLastGood: true, apple: .init(lastSeconds: 1), google: nil),
                count: HostList.listMax + 3))
        #expect(many.text.contains("\nand 3 more\n"))
        // As many bytes as the client of the admin listener reads.
        #expect(many.json.count < 16 << 20)
        let read = try #require(SourceReader.read(many.json, as: .json).value)
        #expect(HostList(read) == many)
    }

    @Test(
        arguments: [
            (-5, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (3_599, "59 minutes"),
            (3_600, "1 hour"), (86_399, "23 hours"), (86_400, "1 day"), (30 * 86_400, "30 days"),
        ] as [(Int64, String)])
    func `writes ages in one unit`(seconds: Int64, text: String) { #expect(Age.text(seconds: seconds) == text) }

    @Test(
        arguments: [
            (30, "30 seconds"), (3_660, "1 hour 1 minute"), (90_000, "1 day 1 hour"), (86_460, "1 day"),
            (0, "0 seconds"),
        ] as [(Int64, String)])
    func `writes durations in two units`(seconds: Int64, text: String) {
        #expect(Age.duration(seconds: seconds) == text)
    }

    @Test func `an upgrade that was refused stays in the status, and in the metrics`() throws {
        var status = StatusReport()
        status.nowSeconds = 700
        status.refusedUpgrade = StatusReport.OpenFinding(finding: "there is no user \"x\"", sinceSeconds: 100)
        #expect(
            status.text.contains(
                "\nnot upgraded 10 minutes ago: there is no user \"x\"; the server continues with the program and the settings of before\n"
            ))
        let value = try #require(SourceReader.read(status.json, as: .json).value)
        #expect(StatusReport(value)?.refusedUpgrade == status.refusedUpgrade)
        for report in [status, StatusReport()] {
            let text = String(
                decoding: MetricsText.bytes(of: MetricsSnapshot(report, Samples.metrics).families), as: UTF8.self)
            #expect(text.contains("\nassociated_upgrade_refused \(report.refusedUpgrade == nil ? 0 : 1)\n"))
        }
    }
}
