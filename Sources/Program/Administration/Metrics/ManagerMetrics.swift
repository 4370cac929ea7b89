// The metrics of the manager itself and of its work on certificates, on its own admin listener. They are here so that the files for
// Prometheus and the documentation are checked against them like all others.

/// The numbers of a manager. States are words of the manager.
public struct ManagerMetrics: Sendable {
    public var version: String
    /// Whether it can use its store.
    public var isReady = true
    public var isServerReachable = true
    /// Hosts by state, including states without hosts.
    public var hosts: [(state: String, count: Int)] = []
    /// Orders that have ended, by outcome.
    public var orders: [(state: String, count: Int)] = []
    public var oldestWaitingSeconds: Double = 0
    /// Nil without certificates.
    public var lifeLeftMin: Double?
    /// By limit of the authority; without those of which nothing has been taken yet.
    public var budgets: [(limit: String, left: Double)] = []
    public var residentBytes: Double?

    public init(version: String) { self.version = version }

    public var families: [MetricFamily] {
        [
            .info("associated_manager_info", "Always 1; the version is in the label.", [.init("version", version)]),
            .gauge("associated_manager_ready", "1 while the manager can use its store.", isReady),
            .gauge(
                "associated_manager_server_reachable", "1 while the server's admin listener answers the manager.",
                isServerReachable),
            .labelled(
                "associated_acme_hosts", .gauge, "Hosts for which certificates are ordered, by state.", "state",
                hosts.map { ($0.state, $0.count) }),
            .labelled(
                "associated_acme_orders_total", .counter, "Orders that have ended since the start, by outcome.",
                "state",
                orders.map { ($0.state, $0.count) }),
            .gauge(
                "associated_acme_oldest_waiting_seconds",
                "How long the host that has waited longest for a certificate has been in its state.",
                oldestWaitingSeconds),
            .gauge(
                "associated_acme_life_left_min",
                "Smallest share of its lifetime that is left of any ordered certificate, from 1 to 0.", lifeLeftMin),
            .labelled(
                "associated_acme_budget_left", .gauge,
                "Orders that the authority's limit allows now, for the subject with the fewest, by limit.", "limit",
                budgets.map { ($0.limit, $0.left) }),
            .gauge("associated_manager_resident_bytes", "Resident memory of the manager.", residentBytes),
        ]
    }
}

/// The numbers of the delivery monitor by service. Services and states are words of the manager.
public struct DeliveryMetrics: Sendable {
    /// One service that keeps copies of files.
    public struct Service: Sendable {
        public var name: String
        /// Hosts by state, including states without hosts.
        public var hosts: [(state: String, count: Int)]
        public var failing: Int
        public var late: Int
        public var isReachable: Bool

        public init(name: String, hosts: [(state: String, count: Int)], failing: Int, late: Int, isReachable: Bool) {
            (self.name, self.hosts, self.failing, self.late) = (name, hosts, failing, late)
            self.isReachable = isReachable
        }
    }

    public var services: [Service]
    public var waitingMessages: Int

    public init(services: [Service], waitingMessages: Int) {
        (self.services, self.waitingMessages) = (services, waitingMessages)
    }

    public var families: [MetricFamily] {
        func gauge(_ name: String, _ help: String, _ value: (Service) -> Int) -> MetricFamily {
            .labelled(name, .gauge, help, "verifier", services.map { ($0.name, value($0)) })
        }
        return [
            MetricFamily(
                "associated_delivery_hosts", .gauge, "Hosts by what a verifier has of their file.",
                services.flatMap { service in
                    service.hosts.map { state, count in
                        MetricFamily.Sample(
                            labels: [.init("verifier", service.name), .init("state", state)], MetricValue(count))
                    }
                }),
            gauge(
                "associated_delivery_failing_hosts",
                "Hosts that a verifier has not been able to fetch for six hours.", \.failing),
            gauge(
                "associated_delivery_late_hosts",
                "Hosts whose version of more than a day ago a verifier does not have.", \.late),
            gauge(
                "associated_delivery_verifier_reachable", "1 while a verifier can be asked for its copies."
            ) { $0.isReachable ? 1 : 0 },
            .gauge(
                "associated_delivery_webhook_messages_waiting",
                "Messages about deliveries that no webhook has accepted yet.", waitingMessages),
        ]
    }
}
