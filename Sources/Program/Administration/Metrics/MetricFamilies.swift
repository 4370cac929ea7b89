// The families of `/metrics`: the program and its process, workers, hosting, certificates, verifiers, the manager,
// and client traffic.

import Certificates
import HTTP
import TLS
import Telemetry

extension MetricsSnapshot {
    var programFamilies: [MetricFamily] {
        [
            .info(
                "associated_build_info", "Always 1; version, commit and TLS library are in the labels.",
                [.init("version", status.version), .init("commit", commit), .init("tls_library", status.library)]),
            .gauge("associated_uptime_seconds", "Time since the server was started.", uptimeSeconds),
            .gauge("associated_ready", "1 while the server is ready for requests, like /readyz.", status.isReady),
        ]
    }

    var workerFamilies: [MetricFamily] {
        let rounds = (0..<metrics.workerCount).reduce(HistogramReading()) { $0 + metrics.rounds($1) }
        return [
            .gauge("associated_workers", "Worker threads.", status.workers.count),
            perWorker(
                "associated_worker_loop_lag_seconds",
                "Longest round of a worker's event loop in the last half minute."
            ) { .seconds(microseconds: Int64(clamping: $0.longestRoundMicroseconds)) },
            perWorker(
                "associated_worker_silent_seconds",
                "Seconds since an unanswered worker heartbeat; normally 0."
            ) { .seconds(milliseconds: $0.silentMilliseconds) },
            histogram(
                "associated_worker_round_duration_seconds", "Durations of rounds of the workers' event loops.", rounds),
        ]
    }

    var hostingFamilies: [MetricFamily] {
        let (hosting, reloads) = (status.hosting, status.reloads)
        let held = [
            ("broken", hosting.brokenFiles), ("held", hosting.heldFiles), ("gone", hosting.goneFiles),
            ("refused", hosting.refusedFiles),
        ]
        let severities = [("error", hosting.errors), ("warning", hosting.warnings), ("note", hosting.notes)]
        let outcomes = [
            ("changed", reloads.changed), ("unchanged", reloads.unchanged), ("failed", reloads.failed),
        ]
        return [
            .gauge("associated_hosts", "Served hosts.", hosting.hosts),
            .gauge("associated_app_files", "App files in service.", hosting.appFiles),
            .labelled(
                "associated_app_files_not_in_service", .gauge,
                "App files whose version on disk is not served, by reason.", "standing", held),
            .gauge(
                "associated_app_files_without_service",
                "App files among these without a last good version, so that nothing is served from them.",
                hosting.unservedFiles),
            .gauge(
                "associated_hosts_on_last_good_version", "Hosts that are served on a last good version.",
                hosting.keptHosts),
            .gauge(
                "associated_guarded_entries",
                "Removed hosts, ids, packages and fingerprints that the removal guard keeps live.",
                hosting.guardedEntries),
            .labelled(
                "associated_findings", .gauge,
                "Open findings by severity; an error prevents something from being served.",
                "severity", severities),
            .gauge(
                "associated_state_writable",
                "1 while the state directory can be written; at 0 a restart loses last good versions.",
                isStateWritable),
            .info(
                "associated_served_info", "Always 1; servers with equal digests serve the same answers.",
                [.init("digest", status.servedDigest)]),
            .labelled(
                "associated_reloads_total", .counter, "Reloads by outcome.", "outcome", outcomes),
            histogram("associated_reload_duration_seconds", "Durations of reloads.", reloads.durations),
            .gauge(
                "associated_control_silent_seconds", "Time since the last iteration of the main loop.",
                MetricValue.seconds(milliseconds: reloads.controlMilliseconds)),
            .gauge(
                "associated_last_reload_timestamp_seconds", "When the last reload ended.",
                reloads.last.map { Double($0.seconds) }),
            .gauge(
                "associated_last_reload_successful", "0 when the last reload failed.",
                reloads.last.map { $0.outcome != .failed }),
        ]
    }

    var certificateFamilies: [MetricFamily] {
        guard let certificates = status.certificates else { return [] }
        return [
            .labelled(
                "associated_certificates", .gauge,
                "Certificates of served hosts by state; missing counts hosts without a certificate, awaited those that the manager orders the "
                    + "first one for.", "state",
                [
                    ("usable", certificates.usable), ("last_good", certificates.lastGood),
                    ("broken", certificates.broken), ("missing", certificates.missing),
                    ("awaited", certificates.awaited),
                ]),
            .gauge(
                "associated_certificates_in_memory", "Certificates that are decoded in memory.",
                certificates.inMemory),
            .counter(
                "associated_certificate_load_failures_total", "Certificates whose files could not be used.",
                certificates.found.loadFailures),
            .labelled(
                "associated_certificate_findings_total", .counter, "Findings about certificates since the start.",
                "severity",
                [
                    ("error", certificates.found.errors), ("warning", certificates.found.warnings),
                    ("note", certificates.found.notes),
                ]),
            .gauge(
                "associated_certificate_earliest_expiry_timestamp_seconds",
                "When the first certificate of the served hosts expires.",
                certificates.soonest.first.map { Double($0.notAfter) }),
            .gauge(
                "associated_certificate_life_left_ratio_min",
                "Lowest remaining share of a certificate's lifetime, of which the last 84 days count; 0 or less after expiry.",
                certificates.judgedLifeLeftMin),
        ]
    }

    var verifierFamilies: [MetricFamily] {
        let (kinds, verifiers) = (VerifierKind.known, status.verifiers)
        return [
            MetricFamily(
                "associated_verifier_fetches_total", .counter,
                "Fetches of association files by clients with a verifier's user agent.",
                kinds.flatMap { kind in
                    StatusClass.allCases.map { status in
                        .init(
                            labels: [.init("verifier", kind.label), .init("status", status.label)],
                            MetricValue(verifiers.fetches[kind]?[status] ?? 0))
                    }
                }),
            .labelled(
                "associated_verifier_confirmed_fetches_total", .counter,
                "Those fetches that came from a published network of the verifier.", "verifier",
                kinds.map { ($0.label, verifiers.confirmed[$0] ?? 0) }),
            times(
                "associated_verifier_last_fetch_timestamp_seconds",
                "When a verifier last fetched a file of any host; absent if it never did.", verifiers.lastSeconds),
            times(
                "associated_verifier_last_confirmed_fetch_timestamp_seconds",
                "The same of fetches from a published network of the verifier.", verifiers.lastConfirmedSeconds),
            .gauge("associated_verifier_ledger_hosts", "Hosts in the ledger.", verifiers.hosts),
            .counter(
                "associated_verifier_ledger_evicted_total", "Hosts that were removed from the ledger to make room.",
                verifiers.evicted),
            .counter(
                "associated_verifier_ledger_write_failures_total", "Failed attempts to save the ledger.",
                verifiers.failures),
            .counter(
                "associated_verifier_dropped_fetches_total",
                "Verifier fetches that the ledger missed, because there were too many in one second.",
                MetricValue.count(metrics.total(.droppedVerifierFetches))),
        ]
    }

    private func times(_ name: String, _ help: String, _ seconds: [VerifierKind: Int64]) -> MetricFamily {
        .labelled(
            name, .gauge, help, "verifier",
            VerifierKind.known.compactMap { kind in seconds[kind].map { (kind.label, Double($0)) } })
    }

    var managerFamilies: [MetricFamily] {
        guard let manager = status.manager else { return [] }
        return [
            .gauge(
                "associated_manager_silent_seconds",
                "Time since the manager last asked for the served hosts, or since the start.",
                Int(clamping: manager.seconds)),
            .gauge(
                "associated_manager_problem",
                "1 while the manager cannot use its store or its settings, or is started again after it ended.",
                manager.problem != nil),
        ]
    }

    var processFamilies: [MetricFamily] {
        [
            .counter("process_cpu_seconds_total", "Processor time of the process.", process.processorSeconds),
            .gauge("process_open_fds", "Open descriptors.", process.descriptors),
            .gauge("process_max_fds", "Limit of open descriptors.", process.descriptorsMax),
            .gauge("process_virtual_memory_bytes", "Size of the address space.", process.virtualBytes),
            .gauge("process_resident_memory_bytes", "Physical memory of the process.", process.residentBytes),
            .gauge(
                "process_start_time_seconds", "When the process was started, in seconds since 1970.",
                process.startSeconds),
            .gauge(
                "associated_upgrades", "Upgrades (SIGUSR2) since the parent process was started.", status.upgradeCount),
            .gauge(
                "associated_upgrade_refused", "1 from an upgrade that was refused until one that was not.",
                status.refusedUpgrade != nil),
        ]
    }

    private func perWorker(_ name: String, _ help: String, _ value: (WorkerState) -> MetricValue) -> MetricFamily {
        .labelled(name, .gauge, help, "worker", status.workers.enumerated().map { ("\($0)", value($1)) })
    }
}

extension MetricsSnapshot {
    var trafficFamilies: [MetricFamily] {
        [
            counters(
                "associated_requests_total", "Answered requests by status class and document.",
                StatusClass.allCases.flatMap { status in
                    RequestedDocument.allCases.map { kind in
                        (.requests(status, kind), [("status", status.label), ("document", kind.label)])
                    }
                }),
            counters(
                "associated_refused_requests_total",
                "Malformed requests by reason; associated_requests_total includes them.",
                Rejection.allCases.map { (.refusedRequests($0), [("reason", $0.label)]) }),
            histogram(
                "associated_request_duration_seconds",
                "Time from a complete request head until the kernel has the answer's last byte.",
                metrics.latency),
            counters(
                "associated_handshakes_total", "TLS handshakes by outcome.",
                HandshakeOutcome.allCases.map { (.handshakes($0), [("outcome", $0.name.description)]) }),
            .gauge("associated_connections_open", "Open connections.", metrics.openConnections),
            .gauge(
                "associated_connections_held_bytes",
                "Memory of open connections; the limit is limits.heldBytesMax.", MetricValue.count(metrics.heldBytes)),
            counters(
                "associated_connections_accepted_total", "Accepted connections, without the refused ones.",
                [(.connectionsAccepted, [])]),
            counters(
                "associated_connections_refused_total", "Refused connections by reason.",
                AdmissionRefusal.allCases.map { (.connectionsRefused($0), [("reason", $0.label)]) }),
            counters(
                "associated_connections_closed_total", "Closed connections by reason.",
                CloseReason.allCases.map { (.connectionsClosed($0), [("reason", $0.label)]) }),
            counters(
                "associated_received_bytes_total", "Bytes from clients, heads and TLS records included.",
                [(.bytesReceived, [])]),
            counters(
                "associated_sent_bytes_total", "Bytes to clients, heads and TLS records included.", [(.bytesSent, [])]),
            counters(
                "associated_access_log_dropped_lines_total",
                "Lines of the access log that were dropped because its target is too slow.",
                [(.droppedLogLines, [])]),
        ]
    }

    private func counters(
        _ name: String, _ help: String, _ counters: [(Counter, labels: [(String, String)])]
    ) -> MetricFamily {
        MetricFamily(
            name, .counter, help,
            counters.map { counter, labels in
                .init(labels: labels.map { .init($0.0, $0.1) }, .count(metrics.total(counter)))
            })
    }

    /// Buckets are cumulative, as Prometheus requires.
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
