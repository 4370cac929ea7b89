// The metrics of all workers, read by the admin listener and the ledger. Readers and workers never wait for each other.

import Synchronization

/// The metrics of all workers. They must outlast the workers, which write to them without retaining them.
public final class WorkerMetrics: Sendable {
    public let workerCount: Int
    private let counters: [CounterBlock]
    private let verifierFetches: [VerifierFetchRing]
    /// Log lines that were lost when the log file was reopened, or could not be written at the end.
    private let lostLines = Atomic<UInt64>(0)

    public init(workerCount: Int) {
        self.workerCount = workerCount
        counters = (0..<workerCount).map { _ in CounterBlock() }
        verifierFetches = (0..<workerCount).map { _ in VerifierFetchRing() }
    }

    deinit {
        for block in counters { block.deallocate() }
    }

    /// The recorder of one worker. Only that worker may use it.
    public func recorder(_ worker: Int) -> Recorder { Recorder(counters[worker], verifierFetches[worker]) }

    public func total(_ counter: Counter) -> UInt64 {
        let more = counter == .droppedLogLines ? lostLines.load(ordering: .relaxed) : 0
        return counters.reduce(more) { $0 &+ $1.value(of: counter) }
    }

    func addLostLines(_ count: Int) { lostLines.add(UInt64(count), ordering: .relaxed) }

    /// Connections that are open now. The counters are read one after the other, so it may be slightly off.
    public var openConnections: Int {
        let closed = CloseReason.allCases.reduce(0) { $0 &+ total(.connectionsClosed($1)) }
        return max(0, Int(truncatingIfNeeded: total(.connectionsAccepted) &- closed))
    }

    /// The memory of all connections, in bytes.
    public var heldBytes: UInt64 { counters.reduce(0) { $0 &+ $1.heldBytes } }

    /// The time from a complete head until the kernel has the answer's last byte, over all workers.
    public var latency: HistogramReading { counters.reduce(HistogramReading()) { $0 + $1.latency } }

    /// The durations of one worker's rounds.
    public func rounds(_ worker: Int) -> HistogramReading { counters[worker].rounds }

    /// The longest round of one worker in the last 15 to 30 seconds, by the monotonic clock.
    public func longestRoundMicroseconds(_ worker: Int, nowMilliseconds: Int64) -> UInt64 {
        counters[worker].longestRoundMicroseconds(nowMilliseconds: nowMilliseconds)
    }

    /// Passes on the verifier fetches since the last call; those of one worker are in order. To be called by one thread, about
    /// once a second: beyond 1,024 in one worker they are dropped and counted.
    public func drainVerifierFetches(_ body: (VerifierFetch) -> Void) {
        for ring in verifierFetches { ring.drain(body) }
    }
}

/// One worker's access to the metrics. Only that worker's thread may use it.
@safe public struct Recorder: @unchecked Sendable {
    public let counters: CounterBlock
    private let verifierFetches: Unmanaged<VerifierFetchRing>

    init(_ counters: CounterBlock, _ verifierFetches: VerifierFetchRing) {
        self.counters = counters
        unsafe self.verifierFetches = .passUnretained(verifierFetches)
    }

    /// Records a verifier fetch for the ledger.
    public func note(_ fetch: VerifierFetch) {
        let isKept = unsafe verifierFetches._withUnsafeGuaranteedRef { $0.push(fetch) }
        if !isKept { counters.add(to: .droppedVerifierFetches) }
    }
}
