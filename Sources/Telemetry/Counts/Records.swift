// What all workers saw, for those who ask: the listener for administration, and the ledger of verifiers. Reading waits for
// nobody and makes nobody wait.

import Synchronization

/// The records of all workers. They outlast the workers, which write to them without holding them.
public final class Records: Sendable {
    public let workerCount: Int
    private let counters: [CounterBlock]
    private let sightings: [SightingRing]
    /// Lines that were cut in two when the log's file was changed for another, or found no way out at the end.
    private let lostLines = Atomic<UInt64>(0)

    public init(workerCount: Int) {
        self.workerCount = workerCount
        counters = (0..<workerCount).map { _ in CounterBlock() }
        sightings = (0..<workerCount).map { _ in SightingRing() }
    }

    deinit {
        for block in counters { block.deallocate() }
    }

    /// For the worker of that number, and no other.
    public func recorder(_ worker: Int) -> Recorder { Recorder(counters[worker], sightings[worker]) }

    /// The sum over all workers.
    public func total(_ counter: Counter) -> UInt64 {
        let more = counter == .droppedLogLines ? lostLines.load(ordering: .relaxed) : 0
        return counters.reduce(more) { $0 &+ $1.value(of: counter) }
    }

    func addLostLines(_ count: Int) { lostLines.add(UInt64(count), ordering: .relaxed) }

    /// Connections that are open now. The numbers are read one after the other, so it may be off by those of this moment.
    public var openConnections: Int {
        let closed = CloseReason.allCases.reduce(0) { $0 &+ total(.connectionsClosed($1)) }
        return max(0, Int(truncatingIfNeeded: total(.connectionsAccepted) &- closed))
    }

    /// What all connections hold in memory, in bytes.
    public var heldBytes: UInt64 { counters.reduce(0) { $0 &+ $1.heldBytes } }

    /// From the head being here to the answer's last byte being the kernel's, over all workers.
    public var latency: HistogramReading { counters.reduce(HistogramReading()) { $0 + $1.latency } }

    /// How long the rounds of one worker's loop take: how late it is for whoever comes last.
    public func rounds(_ worker: Int) -> HistogramReading { counters[worker].rounds }

    /// The longest round of one worker within the last 15 to 30 seconds. `nowMilliseconds` is of the monotonic clock.
    public func longestRoundMicroseconds(_ worker: Int, nowMilliseconds: Int64) -> UInt64 {
        counters[worker].longestRoundMicroseconds(nowMilliseconds: nowMilliseconds)
    }

    /// Takes the sightings since the last call, those of one worker in their order. To be called by one thread, about once a
    /// second; beyond 1,024 in one worker they are dropped and counted.
    public func drainSightings(_ body: (Sighting) -> Void) {
        for ring in sightings { ring.drain(body) }
    }
}

/// One worker's side of the records. Used by that worker's thread alone.
@safe public struct Recorder: @unchecked Sendable {
    public let counters: CounterBlock
    private let sightings: Unmanaged<SightingRing>

    init(_ counters: CounterBlock, _ sightings: SightingRing) {
        self.counters = counters
        unsafe self.sightings = .passUnretained(sightings)
    }

    /// Leaves a sighting for whoever keeps them.
    public func note(_ sighting: Sighting) {
        let isKept = unsafe sightings._withUnsafeGuaranteedRef { $0.push(sighting) }
        if !isKept { counters.add(to: .droppedSightings) }
    }
}
