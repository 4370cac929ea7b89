// Everything that `/metrics` reports, read at one moment. `MetricFamilies` turns it into families.

public import Telemetry

/// The numbers of one scrape.
public struct MetricsSnapshot: Sendable {
    /// What `/status` reports too; lists are not needed.
    public var status: StatusReport
    public var metrics: WorkerMetrics
    public var commit = ""
    public var uptimeSeconds = 0.0
    public var isStateWritable = true
    public var process = ProcessFigures()

    public init(_ status: StatusReport, _ metrics: WorkerMetrics) { (self.status, self.metrics) = (status, metrics) }

    var families: [MetricFamily] {
        programFamilies + trafficFamilies + workerFamilies + hostingFamilies + certificateFamilies + verifierFamilies
            + managerFamilies + processFamilies
    }
}

public struct WorkerState: Sendable, Equatable {
    /// Milliseconds since an unanswered heartbeat; 0 if the worker is healthy.
    public var silentMilliseconds: Int64
    /// The longest round of its loop in the last half minute.
    public var longestRoundMicroseconds: UInt64

    public init(silentMilliseconds: Int64, longestRoundMicroseconds: UInt64) {
        self.silentMilliseconds = silentMilliseconds
        self.longestRoundMicroseconds = longestRoundMicroseconds
    }

    /// A worker that is silent for longer is stuck: nothing that a worker does takes a second.
    public static let silentMillisecondsMax: Int64 = 10_000

    public var isStuck: Bool { silentMilliseconds > WorkerState.silentMillisecondsMax }
}

/// The outcomes of reloads.
public struct ReloadFigures: Sendable, Equatable {
    public var changed = 0
    public var unchanged = 0
    public var failed = 0
    public var durations = HistogramReading()
    public var last: Last?
    /// Milliseconds since the last iteration of the main loop.
    public var controlMilliseconds: Int64 = 0

    public struct Last: Sendable, Equatable {
        public var outcome: Outcome
        /// Seconds since 1970.
        public var seconds: Int64
        public var microseconds: Int64
        /// Why it failed.
        public var message: String?

        public init(outcome: Outcome, seconds: Int64, microseconds: Int64, message: String? = nil) {
            (self.outcome, self.seconds, self.microseconds, self.message) = (outcome, seconds, microseconds, message)
        }
    }

    public enum Outcome: String, Sendable {
        case changed, unchanged, failed
    }

    public init() {}
}

extension HistogramReading {
    public mutating func add(microseconds: Int64) {
        counts[Buckets.index(microseconds: microseconds)] &+= 1
        sumMicroseconds &+= UInt64(clamping: microseconds)
    }
}

/// The verifier fetches of all hosts.
public struct VerifierFigures: Sendable, Equatable {
    /// Fetches since the start, by verifier and status class.
    public var fetches: [VerifierKind: [StatusClass: Int]] = [:]
    /// Those from a published network of the verifier.
    public var confirmed: [VerifierKind: Int] = [:]
    /// When each verifier last fetched a file of any host, in seconds since 1970.
    public var lastSeconds: [VerifierKind: Int64] = [:]
    /// The same of confirmed fetches.
    public var lastConfirmedSeconds: [VerifierKind: Int64] = [:]
    /// Hosts in the ledger, and how many were removed to make room.
    public var hosts = 0
    public var evicted = 0
    /// Failed attempts to save the ledger.
    public var failures = 0

    public init() {}

    /// Takes the time of a record if it is later.
    mutating func noteTime(of record: VerifierRecord) {
        let (kind, seconds) = (record.verifier, record.lastSeconds)
        lastSeconds[kind] = max(seconds, lastSeconds[kind] ?? .min)
        if record.isConfirmed { lastConfirmedSeconds[kind] = max(seconds, lastConfirmedSeconds[kind] ?? .min) }
    }
}

/// The kernel's figures of the process; nil if it does not state them.
public struct ProcessFigures: Sendable, Equatable {
    public var processorSeconds: Double?
    public var descriptors: Int?
    public var descriptorsMax: Int?
    public var virtualBytes: Int?
    public var residentBytes: Int?
    public var startSeconds: Double?

    public init() {}
}
