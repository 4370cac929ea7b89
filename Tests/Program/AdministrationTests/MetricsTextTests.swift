// The text of a scrape, read by a stricter parser than Prometheus's.

import Telemetry
import Testing

@testable import Administration

struct MetricsTextTests {
    private func read(_ families: [MetricFamily]) throws -> ExpositionFormat {
        try ExpositionFormat(String(decoding: MetricsText.bytes(of: families), as: UTF8.self))
    }

    @Test func `a scrape follows the format, with each number in its place`() throws {
        let scrape = try read(Samples.snapshot.families)
        let expected: [String: Double] = [
            "associated_build_info{version=\"0.1.0\",commit=\"unknown\",tls_library=\"OpenSSL 3\"}": 1,
            "associated_uptime_seconds": 93_600, "associated_ready": 1,
            "associated_requests_total{status=\"2xx\",document=\"apple_app_site_association\"}": 5,
            "associated_requests_total{status=\"4xx\",document=\"none\"}": 1,
            "associated_requests_total{status=\"5xx\",document=\"page\"}": 0,
            "associated_handshakes_total{outcome=\"resumed\"}": 5, "associated_connections_open": 3,
            "associated_connections_accepted_total": 4, "associated_connections_closed_total{reason=\"client\"}": 1,
            "associated_received_bytes_total": 700, "associated_sent_bytes_total": 9_000,
            "associated_access_log_dropped_lines_total": 2,
            "associated_request_duration_seconds_bucket{le=\"5e-05\"}": 1,
            "associated_request_duration_seconds_bucket{le=\"0.00025\"}": 1,
            "associated_request_duration_seconds_bucket{le=\"0.0005\"}": 2,
            "associated_request_duration_seconds_bucket{le=\"10\"}": 2,
            "associated_request_duration_seconds_bucket{le=\"+Inf\"}": 3,
            "associated_request_duration_seconds_count": 3, "associated_request_duration_seconds_sum": 20.00034,
            "associated_workers": 2, "associated_worker_loop_lag_seconds{worker=\"0\"}": 0.0015,
            "associated_worker_round_duration_seconds_count": 1, "associated_worker_silent_seconds{worker=\"1\"}": 0,
            "associated_hosts": 388, "associated_app_files": 214,
            "associated_app_files_not_in_service{standing=\"held\"}": 1, "associated_hosts_on_last_good_version": 1,
            "associated_guarded_entries": 2, "associated_findings{severity=\"error\"}": 6,
            "associated_state_writable": 1, "associated_served_info{digest=\"00ff\"}": 1,
            "associated_reloads_total{outcome=\"changed\"}": 3, "associated_reloads_total{outcome=\"failed\"}": 1,
            "associated_reload_duration_seconds_count": 5, "associated_reload_duration_seconds_sum": 0.042,
            "associated_last_reload_timestamp_seconds": Double(Samples.now - 720),
            "associated_last_reload_successful": 1, "associated_control_silent_seconds": 0.25,
            "associated_certificates{state=\"usable\"}": 12, "associated_certificates{state=\"last_good\"}": 2,
            "associated_certificates{state=\"broken\"}": 1, "associated_certificates{state=\"missing\"}": 3,
            "associated_certificates_in_memory": 9, "associated_certificate_life_left_ratio_min": -0.02,
            "associated_certificate_load_failures_total": 2,
            "associated_certificate_findings_total{severity=\"warning\"}": 3,
            "associated_certificate_earliest_expiry_timestamp_seconds": Double(Samples.now - 2 * 86_400),
            "associated_verifier_fetches_total{verifier=\"apple\",status=\"2xx\"}": 4,
            "associated_verifier_fetches_total{verifier=\"googlebot\",status=\"2xx\"}": 0,
            "associated_verifier_last_fetch_timestamp_seconds{verifier=\"google\"}": Double(Samples.now - 7_200),
            "associated_verifier_confirmed_fetches_total{verifier=\"apple\"}": 3,
            "associated_verifier_confirmed_fetches_total{verifier=\"google\"}": 0,
            "associated_verifier_last_confirmed_fetch_timestamp_seconds{verifier=\"apple\"}": Double(Samples.now - 90),
            "associated_verifier_ledger_hosts": 7, "associated_manager_silent_seconds": 4,
            "associated_manager_problem": 0, "process_open_fds": 17, "process_resident_memory_bytes": 9_437_184,
            "process_cpu_seconds_total": 1.5,
        ]
        for (series, value) in expected { #expect(scrape[series] == value, "\(series)") }
        // Unknown values are left out.
        #expect(scrape["process_start_time_seconds"] == nil)
        #expect(scrape["associated_verifier_last_fetch_timestamp_seconds{verifier=\"googlebot\"}"] == nil)
    }

    @Test func `a server without a manager has no metric of it`() throws {
        var snapshot = Samples.snapshot
        snapshot.status.manager = nil
        #expect(try read(snapshot.families)["associated_manager_silent_seconds"] == nil)
    }

    @Test func `the size depends on the number of workers, not on tenants or clients`() throws {
        let sizes = try [1, 388, 1_000_000].map { hosts in
            var snapshot = Samples.snapshot
            snapshot.status.hosting.hosts = hosts
            snapshot.status.verifiers.hosts = hosts
            snapshot.status.certificates?.usable = hosts
            return try read(snapshot.families).families.values.reduce(0) { $0 + $1.samples.count }
        }
        #expect(Set(sizes).count == 1)
        #expect(sizes[0] < 250)
    }

    @Test func `names have the prefix, and seconds or bytes as units`() throws {
        for name in try read(Samples.snapshot.families).names {
            #expect(name.hasPrefix("associated_") || name.hasPrefix("process_"))
            #expect(!name.contains("milli") && !name.contains("micro") && !name.contains("kilo"))
        }
    }

    @Test func `escapes labels and help`() throws {
        let family = MetricFamily(
            "a_thing", .gauge, "back\\slash\nand \"quotes\"", [.init(labels: [.init("name", "a\"b\\c\nd")], .count(1))])
        let text = String(decoding: MetricsText.bytes(of: [family]), as: UTF8.self)
        #expect(
            text == """
                # HELP a_thing back\\\\slash\\nand "quotes"
                # TYPE a_thing gauge
                a_thing{name="a\\"b\\\\c\\nd"} 1

                """)
        #expect(try read([family])["a_thing{name=\"a\\\"b\\\\c\\nd\"}"] == 1)
    }

    @Test(arguments: [
        (MetricValue.count(.max), "18446744073709551615"), (.number(0), "0"), (.number(-1.5), "-1.5"),
        (.number(1e20), "1e+20"), (.number(.infinity), "+Inf"), (.number(-.infinity), "-Inf"), (.number(.nan), "NaN"),
        (.number(1_795_176_000), "1795176000"), (.number(5e-05), "5e-05"), (.count(0), "0"),
    ])
    func `writes numbers that can be read back`(value: MetricValue, text: String) {
        #expect(value.text == text)
    }

    @Test func `the labels of an enumeration are all different`() {
        #expect(Set(StatusClass.allCases.map(\.label)).count == StatusClass.allCases.count)
        #expect(Set(RequestedDocument.allCases.map(\.label)).count == RequestedDocument.allCases.count)
        #expect(Set(HandshakeOutcome.allCases.map(\.name.description)).count == HandshakeOutcome.allCases.count)
        #expect(Set(CloseReason.allCases.map(\.label)).count == CloseReason.allCases.count)
        #expect(Set(VerifierKind.allCases.map(\.label)).count == VerifierKind.allCases.count)
    }
}
