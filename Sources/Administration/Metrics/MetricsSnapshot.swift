// Everything that `/metrics` tells, read at one moment by whoever has it. The families are made of it in the files beside
// this one, by subject.

public import Telemetry

/// The numbers of one scrape.
public struct MetricsSnapshot: Sendable {
    public var program: RunningProgram
    /// What the workers count.
    public var records: Records
    public var workers: [WorkerState]
    public var hosting: HostingFigures
    public var reloads: ReloadFigures
    /// Nil where no TLS is spoken.
    public var certificates: CertificateFigures?
    public var verifiers: VerifierFigures
    /// Whether the state directory can be written.
    public var isStateWritable: Bool
    public var servedDigest: String
    public var process: ProcessFigures
    /// By the monotonic clock.
    public var nowMilliseconds: Int64

    public init(
        program: RunningProgram, records: Records, workers: [WorkerState], hosting: HostingFigures,
        reloads: ReloadFigures,
        certificates: CertificateFigures?, verifiers: VerifierFigures, isStateWritable: Bool, servedDigest: String,
        process: ProcessFigures, nowMilliseconds: Int64
    ) {
        (self.program, self.records, self.workers, self.hosting) = (program, records, workers, hosting)
        (self.reloads, self.certificates, self.verifiers) = (reloads, certificates, verifiers)
        (self.isStateWritable, self.servedDigest, self.process) = (isStateWritable, servedDigest, process)
        self.nowMilliseconds = nowMilliseconds
    }

    /// In the order in which a reader meets them.
    var families: [MetricFamily] {
        programFamilies + trafficFamilies + workerFamilies + hostingFamilies + certificateFamilies + verifierFamilies
            + processFamilies
    }
}

/// Which program it is, and how it does.
public struct RunningProgram: Sendable, Equatable {
    public var version: String
    public var commit: String
    /// The TLS library that it runs with.
    public var library: String
    public var uptimeSeconds: Double
    public var isReady: Bool

    public init(version: String, commit: String, library: String, uptimeSeconds: Double, isReady: Bool) {
        (self.version, self.commit, self.library, self.uptimeSeconds) = (version, commit, library, uptimeSeconds)
        self.isReady = isReady
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
