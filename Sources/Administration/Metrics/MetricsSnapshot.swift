// Everything that `/metrics` reports, read at one moment. `MetricFamilies` makes the families of it.

public import Telemetry

/// The numbers of one scrape.
public struct MetricsSnapshot: Sendable {
    public var version = ""
    public var commit = ""
    /// The TLS library that it runs with.
    public var library = ""
    public var uptimeSeconds = 0.0
    public var isReady = false
    /// What the workers count.
    public var records: Records
    public var workers: [WorkerState] = []
    public var hosting = HostingFigures()
    public var reloads = ReloadFigures()
    /// Nil where no TLS is spoken.
    public var certificates: CertificateFigures?
    public var verifiers = VerifierFigures()
    /// Whether the state directory can be written.
    public var isStateWritable = true
    public var servedDigest = ""
    public var process = ProcessFigures()

    public init(_ records: Records) { self.records = records }

    /// In the order in which a reader meets them.
    var families: [MetricFamily] {
        programFamilies + trafficFamilies + workerFamilies + hostingFamilies + certificateFamilies + verifierFamilies
            + processFamilies
    }
}

/// How one worker does.
public struct WorkerState: Sendable, Equatable {
    /// Milliseconds since it was asked for a sign of life, as long as it gives none; 0 when it is as it should be.
    public var silentMilliseconds: Int64
    /// The longest round of its loop within the last half minute.
    public var longestRoundMicroseconds: UInt64

    public init(silentMilliseconds: Int64, longestRoundMicroseconds: UInt64) {
        self.silentMilliseconds = silentMilliseconds
        self.longestRoundMicroseconds = longestRoundMicroseconds
    }

    /// Longer than this without a sign of life, a worker is taken for stuck: nothing that a worker does takes a second.
    public static let silentMillisecondsMax: Int64 = 10_000

    public var isStuck: Bool { silentMilliseconds > WorkerState.silentMillisecondsMax }
}

/// What became of the rounds in which changes were looked at.
public struct ReloadFigures: Sendable, Equatable {
    public var changed = 0
    public var unchanged = 0
    public var failed = 0
    public var durations = HistogramReading()
    /// The last one; nil before there was one.
    public var last: Last?
    /// Milliseconds since the thread that waits for changes last went round.
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
    /// Notes one time.
    public mutating func add(microseconds: Int64) {
        counts[Buckets.index(microseconds: microseconds)] &+= 1
        sumMicroseconds &+= UInt64(clamping: microseconds)
    }
}

/// Who has looked at the association files.
public struct VerifierFigures: Sendable, Equatable {
    /// By kind of verifier, and of these by the hundreds of the status, since the start.
    public var fetches: [VerifierKind: [StatusClass: Int]] = [:]
    /// When each kind was last here, for whichever host, in seconds since 1970.
    public var lastSeconds: [VerifierKind: Int64] = [:]
    /// Hosts in the ledger, and how many were taken out of it to make room.
    public var hosts = 0
    public var evicted = 0
    /// Times that the ledger could not be written.
    public var failures = 0

    public init() {}
}

/// What the kernel says of the process; nil where it says nothing.
public struct ProcessFigures: Sendable, Equatable {
    public var processorSeconds: Double?
    public var descriptors: Int?
    public var descriptorsMax: Int?
    public var virtualBytes: Int?
    public var residentBytes: Int?
    public var startSeconds: Double?

    public init() {}
}
