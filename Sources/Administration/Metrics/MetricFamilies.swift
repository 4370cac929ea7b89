// The families of `/metrics`: the program and its process, its workers, what it hosts, its certificates, verifiers that
// fetched its files; and what clients do: requests, connections, handshakes, bytes and times.

import HTTP
import Telemetry

extension MetricsSnapshot {
    var programFamilies: [MetricFamily] {
        [
            MetricFamily(
                "associated_build_info", .gauge, "Always 1; the labels say which program this is.",
                [
                    .init(
                        labels: [
                            .init("version", version), .init("commit", commit),
                            .init("tls_library", library),
                        ], .count(1))
                ]),
            gauge(
                "associated_uptime_seconds", "Time since the server was started.", .number(uptimeSeconds)),
            gauge(
                "associated_ready", "1 while requests should be sent here, as /readyz says.",
                .count(isReady ? 1 : 0)),
        ]
    }

    var workerFamilies: [MetricFamily] {
        let rounds = (0..<records.workerCount).reduce(HistogramReading()) { $0 + records.rounds($1) }
        return [
            gauge("associated_workers", "Threads that serve.", MetricValue(workers.count)),
            perWorker(
                "associated_worker_loop_lag_seconds",
                "The longest time that a worker's loop took for one round within the last half minute."
            ) { .seconds(microseconds: Int64(clamping: $0.longestRoundMicroseconds)) },
            perWorker(
                "associated_worker_silent_seconds",
                "Time since a worker was asked for a sign of life and gave none; 0 as a rule."
            ) { .seconds(milliseconds: $0.silentMilliseconds) },
            histogram(
                "associated_worker_round_duration_seconds", "Time that rounds of the workers' loops took.", rounds),
        ]
    }

    var hostingFamilies: [MetricFamily] {
        let held = [
            ("broken", hosting.brokenFiles), ("held", hosting.heldFiles), ("gone", hosting.goneFiles),
            ("refused", hosting.refusedFiles),
        ]
        let severities = [("error", hosting.errors), ("warning", hosting.warnings), ("note", hosting.notes)]
        let outcomes = [
            ("changed", reloads.changed), ("unchanged", reloads.unchanged), ("failed", reloads.failed),
        ]
        var families = [
            gauge("associated_hosts", "Hosts that are served.", MetricValue(hosting.hosts)),
            gauge("associated_app_files", "App files that something is served from.", MetricValue(hosting.appFiles)),
            labelled(
                "associated_app_files_not_in_service", .gauge,
                "App files that are not what is served, by what became of them.", "standing", held),
            gauge(
                "associated_app_files_without_service",
                "App files of these that were never good, so nothing is served.",
                MetricValue(hosting.unservedFiles)),
            gauge(
                "associated_hosts_on_last_good_version",
                "Hosts that are served by an earlier version of something than there is on disk.",
                MetricValue(hosting.keptHosts)),
            gauge(
                "associated_guarded_entries",
                "Hosts, ids, packages and fingerprints that the removal guard keeps live against what is on disk.",
                MetricValue(hosting.guardedEntries)),
            labelled(
                "associated_findings", .gauge,
                "Open findings; errors keep something from being served.",
                "severity", severities),
            gauge(
                "associated_state_writable",
                "1 while the state directory can be written; at 0 a restart forgets last good versions.",
                .count(isStateWritable ? 1 : 0)),
            MetricFamily(
                "associated_served_info", .gauge,
                "Always 1; servers with equal digests serve the same answers.",
                [.init(labels: [.init("digest", servedDigest)], .count(1))]),
            labelled(
                "associated_reloads_total", .counter, "Rounds in which changes were looked at, by what came of them.",
                "outcome", outcomes),
            histogram(
                "associated_reload_duration_seconds", "Time that these rounds took.", reloads.durations),
            gauge(
                "associated_control_silent_seconds", "Time since the thread that waits for changes last went round.",
                .seconds(milliseconds: reloads.controlMilliseconds)),
        ]
        if let last = reloads.last {
            families += [
                gauge(
                    "associated_last_reload_timestamp_seconds", "When the last of them ended.",
                    .number(Double(last.seconds))),
                gauge(
                    "associated_last_reload_successful", "0 when the last of them failed.",
                    .count(last.outcome == .failed ? 0 : 1)),
            ]
        }
        return families
    }

    var certificateFamilies: [MetricFamily] {
        guard let certificates else { return [] }
        var families = [
            labelled(
                "associated_certificates", .gauge,
                "Certificates of served hosts; those that are missing are hosts without any.", "state",
                [
                    ("usable", certificates.usable), ("last_good", certificates.lastGood),
                    ("broken", certificates.broken), ("missing", certificates.missing),
                ]),
            gauge(
                "associated_certificates_in_memory", "Certificates that are kept because clients asked for them.",
                MetricValue(certificates.inMemory)),
            MetricFamily(
                "associated_certificate_load_failures_total", .counter,
                "Times that files of a certificate were found to be of no use.",
                [.init(MetricValue(certificates.loadFailures))]),
            labelled(
                "associated_certificate_findings_total", .counter, "Findings about certificates since the start.",
                "severity",
                [
                    ("error", certificates.found.errors), ("warning", certificates.found.warnings),
                    ("note", certificates.found.notes),
                ]),
        ]
        if let first = certificates.soonest.first {
            families.append(
                gauge(
                    "associated_certificate_earliest_expiry_timestamp_seconds",
                    "When the first of the certificates of served hosts ends.",
                    .number(Double(first.notAfter))))
        }
        if let left = certificates.lifeLeftMin {
            families.append(
                gauge(
                    "associated_certificate_life_left_ratio_min",
                    "The least share of its life that a certificate has left; 0 and less from its end on.",
                    .number(left)))
        }
        return families
    }

    var verifierFamilies: [MetricFamily] {
        let kinds = VerifierKind.known
        return [
            MetricFamily(
                "associated_verifier_fetches_total", .counter,
                "Fetches of association files by those who say that they are verifiers.",
                kinds.flatMap { kind in
                    StatusClass.allCases.map { status in
                        .init(
                            labels: [.init("verifier", kind.label), .init("status", status.label)],
                            MetricValue(verifiers.fetches[kind]?[status] ?? 0))
                    }
                }),
            MetricFamily(
                "associated_verifier_last_fetch_timestamp_seconds", .gauge,
                "When a verifier was last here, for whichever host; absent for those that never were.",
                kinds.compactMap { kind in
                    verifiers.lastSeconds[kind].map {
                        .init(labels: [.init("verifier", kind.label)], .number(Double($0)))
                    }
                }),
            gauge("associated_verifier_ledger_hosts", "Hosts that the ledger knows.", MetricValue(verifiers.hosts)),
            MetricFamily(
                "associated_verifier_ledger_evicted_total", .counter,
                "Hosts that were taken out of the ledger to make room.", [.init(MetricValue(verifiers.evicted))]),
            MetricFamily(
                "associated_verifier_ledger_write_failures_total", .counter,
                "Times that the ledger could not be written.", [.init(MetricValue(verifiers.failures))]),
            MetricFamily(
                "associated_verifier_dropped_fetches_total", .counter,
                "Fetches by verifiers that the ledger missed, because too many came within a second.",
                [.init(.count(records.total(.droppedSightings)))]),
        ]
    }

    var processFamilies: [MetricFamily] {
        func family(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: MetricValue?) -> MetricFamily {
            MetricFamily(name, kind, help, value.map { [.init($0)] } ?? [])
        }
        return [
            family(
                "process_cpu_seconds_total", .counter, "Processor time that the process has taken.",
                process.processorSeconds.map { .number($0) }),
            family("process_open_fds", .gauge, "Open descriptors.", process.descriptors.map { MetricValue($0) }),
            family(
                "process_max_fds", .gauge, "Descriptors that the process may have.",
                process.descriptorsMax.map { MetricValue($0) }),
            family(
                "process_virtual_memory_bytes", .gauge, "Size of the address space.",
                process.virtualBytes.map { MetricValue($0) }),
            family(
                "process_resident_memory_bytes", .gauge, "Memory of the machine that the process has.",
                process.residentBytes.map { MetricValue($0) }),
            family(
                "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.",
                process.startSeconds.map { .number($0) }),
        ]
    }

    func gauge(_ name: String, _ help: String, _ value: MetricValue) -> MetricFamily {
        MetricFamily(name, .gauge, help, [.init(value)])
    }

    func labelled(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ label: String, _ values: [(String, Int)]
    ) -> MetricFamily {
        MetricFamily(
            name, kind, help, values.map { .init(labels: [.init(label, $0.0)], MetricValue($0.1)) })
    }

    private func perWorker(_ name: String, _ help: String, _ value: (WorkerState) -> MetricValue) -> MetricFamily {
        MetricFamily(
            name, .gauge, help,
            workers.enumerated().map { .init(labels: [.init("worker", "\($0.offset)")], value($0.element)) })
    }
}

extension MetricsSnapshot {
    var trafficFamilies: [MetricFamily] {
        [
            counters(
                "associated_requests_total", "Answers by the hundreds of their status and what they were about.",
                StatusClass.allCases.flatMap { status in
                    RequestedDocument.allCases.map { kind in
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
