// The metrics of the delivery monitor, on the manager's admin listener. They are here so that the files for Prometheus and the
// documentation are checked against them like all others.

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
