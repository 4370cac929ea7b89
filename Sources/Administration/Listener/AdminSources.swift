// What the admin listener answers from. Whoever starts it says where each answer comes from; all of it is called by the
// listener's own thread, one at a time, and must not wait for anything.

/// The doors to the rest of the program.
public struct AdminSources: Sendable {
    public var health: @Sendable () -> HealthReport
    public var metrics: @Sendable () -> MetricsSnapshot
    public var status: @Sendable () -> StatusReport
    /// Nil for a host that is not served.
    public var host: @Sendable (String) -> HostReport?
    /// The served host that one that is not served was probably meant to be.
    public var nearestHost: @Sendable (String) -> String?
    /// All hosts, or those that were never fetched.
    public var hosts: @Sendable (_ onlyUnfetched: Bool) -> HostList
    /// Certificates that end within so many seconds; nil where no TLS is spoken.
    public var expiring: @Sendable (Int64) -> ExpiryReport?

    public init(
        health: @escaping @Sendable () -> HealthReport, metrics: @escaping @Sendable () -> MetricsSnapshot,
        status: @escaping @Sendable () -> StatusReport, host: @escaping @Sendable (String) -> HostReport?,
        nearestHost: @escaping @Sendable (String) -> String?,
        hosts: @escaping @Sendable (_ onlyUnfetched: Bool) -> HostList,
        expiring: @escaping @Sendable (Int64) -> ExpiryReport?
    ) {
        self.health = health
        self.metrics = metrics
        self.status = status
        self.host = host
        self.nearestHost = nearestHost
        self.hosts = hosts
        self.expiring = expiring
    }
}
