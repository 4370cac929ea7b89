// Metrics of what clients do: requests, connections, handshakes, bytes and times.

import HTTP
import Telemetry

extension MetricsSnapshot {
    var trafficFamilies: [MetricFamily] {
        [
            counters(
                "associated_requests_total", "Answers by the hundreds of their status and what they were about.",
                StatusClass.allCases.flatMap { status in
                    DocumentKind.allCases.map { kind in
                        (.requests(status, kind), [("status", status.label), ("document", kind.label)])
                    }
                }),
            counters(
                "associated_refused_requests_total",
                "Requests that were refused for their form; they are among associated_requests_total.",
                Rejection.allCases.map { (.refusedRequests($0), [("reason", $0.label)]) }),
            histogram(
                "associated_request_duration_seconds",
                "Time from a request's head being there to the answer's last byte being with the kernel.",
                records.latency),
            counters(
                "associated_handshakes_total", "TLS handshakes by how they ended.",
                HandshakeOutcome.allCases.map { (.handshakes($0), [("outcome", $0.label)]) }),
            MetricFamily(
                "associated_connections_open", .gauge, "Connections that are open now.",
                [.init(MetricValue(records.openConnections))]),
            gauge(
                "associated_connections_held_bytes",
                "Memory that open connections hold; limits.heldBytesMax is the most.", .count(records.heldBytes)),
            counters(
                "associated_connections_accepted_total",
                "Connections that were taken in; those refused are not among them.",
                [(.connectionsAccepted, [])]),
            counters(
                "associated_connections_refused_total", "Connections that nobody listened to, because of a limit.",
                AdmissionRefusal.allCases.map { (.connectionsRefused($0), [("reason", $0.label)]) }),
            counters(
                "associated_connections_closed_total", "Connections by why they ended.",
                CloseReason.allCases.map { (.connectionsClosed($0), [("reason", $0.label)]) }),
            counters(
                "associated_received_bytes_total", "Bytes from clients, heads and TLS records included.",
                [(.bytesReceived, [])]),
            counters(
                "associated_sent_bytes_total", "Bytes to clients, heads and TLS records included.", [(.bytesSent, [])]),
            counters(
                "associated_access_log_dropped_lines_total",
                "Lines of the access log that were dropped, because whoever takes the log is too slow.",
                [(.droppedLogLines, [])]),
        ]
    }

    private func counters(
        _ name: String, _ help: String, _ counters: [(Counter, labels: [(String, String)])]
    ) -> MetricFamily {
        MetricFamily(
            name, .counter, help,
            counters.map { counter, labels in
                .init(labels: labels.map { .init($0.0, $0.1) }, .count(records.total(counter)))
            })
    }

    /// Buckets are added up from the smallest, as Prometheus wants them, and end with that of everything.
    func histogram(_ name: String, _ help: String, _ reading: HistogramReading) -> MetricFamily {
        var samples: [MetricFamily.Sample] = []
        var sum: UInt64 = 0
        for (index, count) in reading.counts.enumerated() {
            sum &+= count
            let bound =
                index < Buckets.boundsMicroseconds.count
                ? MetricValue.seconds(microseconds: Buckets.boundsMicroseconds[index]).text : "+Inf"
            samples.append(.init(suffix: "_bucket", labels: [.init("le", bound)], .count(sum)))
        }
        samples.append(.init(suffix: "_sum", .seconds(microseconds: Int64(clamping: reading.sumMicroseconds))))
        samples.append(.init(suffix: "_count", .count(sum)))
        return MetricFamily(name, .histogram, help, samples)
    }
}

extension MetricValue {
    static func seconds(microseconds: Int64) -> MetricValue { .number(Double(microseconds) / 1_000_000) }
    static func seconds(milliseconds: Int64) -> MetricValue { .number(Double(milliseconds) / 1_000) }
}
