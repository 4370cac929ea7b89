// The counters of every worker: a closed list, stored as one row of 64-bit numbers.

public import HTTP
public import Synchronization

/// A number that only grows.
public enum Counter: Hashable, Sendable {
    /// Answers, whether they were sent completely or not.
    case requests(StatusClass, RequestedDocument)
    case handshakes(HandshakeOutcome)
    case connectionsAccepted
    case connectionsRefused(AdmissionRefusal)
    /// Only connections that were accepted and not refused.
    case connectionsClosed(CloseReason)
    /// Bytes from and to sockets, TLS records and heads included.
    case bytesReceived
    case bytesSent
    /// Lines for which the access log had no room, because its target is too slow.
    case droppedLogLines
    /// Verifier fetches for which the ring had no room, because the ledger did not read it in time.
    case droppedVerifierFetches
    /// Requests that were refused for their form; they are counted in `requests` too.
    case refusedRequests(Rejection)

    /// Its place in the row. `Rejection`, which another module may extend, comes last.
    @inlinable
    public var index: Int {
        switch self {
        case .requests(let status, let kind):
            Int(status.rawValue) * Place.count(RequestedDocument.none) + Int(kind.rawValue)
        case .handshakes(let outcome): Place.handshakes + Int(outcome.rawValue)
        case .connectionsRefused(let reason): Place.connectionsRefused + Int(reason.rawValue)
        case .connectionsClosed(let reason): Place.connectionsClosed + Int(reason.rawValue)
        case .connectionsAccepted: Place.connectionsAccepted
        case .bytesReceived: Place.bytesReceived
        case .bytesSent: Place.bytesSent
        case .droppedLogLines: Place.droppedLogLines
        case .droppedVerifierFetches: Place.droppedVerifierFetches
        case .refusedRequests(let reason): Place.refusedRequests + Int(reason.rawValue)
        }
    }

    /// The first place of each group. All values are constants, so nothing is computed at run time.
    @usableFromInline
    enum Place {
        @inlinable static var handshakes: Int { count(StatusClass.notSupported) * count(RequestedDocument.none) }
        @inlinable static var connectionsRefused: Int { handshakes + count(HandshakeOutcome.other) }
        @inlinable static var connectionsClosed: Int {
            connectionsRefused + count(AdmissionRefusal.notFromTrustedProxy)
        }
        @inlinable static var connectionsAccepted: Int { connectionsClosed + count(CloseReason.drained) }
        @inlinable static var bytesReceived: Int { connectionsAccepted + 1 }
        @inlinable static var bytesSent: Int { bytesReceived + 1 }
        @inlinable static var droppedLogLines: Int { bytesSent + 1 }
        @inlinable static var droppedVerifierFetches: Int { droppedLogLines + 1 }
        @inlinable static var refusedRequests: Int { droppedVerifierFetches + 1 }

        /// The number of cases, by the last of them.
        @inlinable
        static func count(_ last: some RawRepresentable<UInt8>) -> Int { Int(last.rawValue) + 1 }
    }

    /// The length of a row.
    public static let count = Place.refusedRequests + Rejection.allCases.count

    /// All counters in the order of their places.
    public static let all: [Counter] =
        StatusClass.allCases.flatMap { status in RequestedDocument.allCases.map { .requests(status, $0) } }
        + HandshakeOutcome.allCases.map { .handshakes($0) }
        + AdmissionRefusal.allCases.map { .connectionsRefused($0) }
        + CloseReason.allCases.map { .connectionsClosed($0) }
        + [.connectionsAccepted, .bytesReceived, .bytesSent, .droppedLogLines, .droppedVerifierFetches]
        + Rejection.allCases.map { .refusedRequests($0) }
}

// One worker's row of counters. Only that worker writes, so adding is a load and a store without a lock. Other threads may read
// at any time; each number is consistent, but not all are of the same moment.

/// Memory with one writer and any number of readers. The owner calls `deallocate` when none of them is left.
@safe public struct CounterBlock: @unchecked Sendable {
    @usableFromInline
    let slots: UnsafeMutablePointer<Atomic<UInt64>>

    /// Before the counters: two histograms with their sums, the longest round, and the held bytes.
    @usableFromInline
    enum Place {
        @inlinable static var latency: Int { 0 }
        @inlinable static var rounds: Int { latency + Buckets.count + 1 }
        @inlinable static var longest: Int { rounds + Buckets.count + 1 }
        @inlinable static var longestBefore: Int { longest + 1 }
        @inlinable static var windowStart: Int { longestBefore + 1 }
        @inlinable static var heldBytes: Int { windowStart + 1 }
        @inlinable static var counters: Int { heldBytes + 1 }
    }

    /// The length of a window in which the longest round is measured. It is then reported during the next window.
    public static let windowMilliseconds: Int64 = 15_000

    private static var slotCount: Int { Place.counters + Counter.count }

    init() {
        // Two cache lines away from the memory of other workers.
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: (CounterBlock.slotCount * 8 + 255) / 128 * 128, alignment: 128)
        unsafe slots = bytes.bindMemory(to: Atomic<UInt64>.self, capacity: CounterBlock.slotCount)
        for index in 0..<CounterBlock.slotCount { unsafe (slots + index).initialize(to: Atomic(0)) }
    }

    func deallocate() {
        unsafe slots.deinitialize(count: CounterBlock.slotCount)
        unsafe UnsafeMutableRawPointer(slots).deallocate()
    }

    @inlinable
    public func add(_ amount: Int = 1, to counter: Counter) {
        increase(Place.counters &+ counter.index, by: UInt64(truncatingIfNeeded: amount))
    }

    /// Sets the memory of all connections of the worker.
    @inlinable
    public func setHeldBytes(_ bytes: Int) { set(Place.heldBytes, UInt64(truncatingIfNeeded: bytes)) }

    /// Adds the duration of one request.
    @inlinable
    public func addLatency(microseconds: Int64) { addTime(microseconds, at: Place.latency) }

    /// Adds the duration of one round of the loop, without the wait for events.
    @inlinable
    public func addRound(microseconds: Int64, nowMilliseconds: Int64) {
        addTime(microseconds, at: Place.rounds)
        let time = UInt64(truncatingIfNeeded: max(0, microseconds))
        let start = Int64(truncatingIfNeeded: value(Place.windowStart))
        if nowMilliseconds &- start >= CounterBlock.windowMilliseconds {
            let isNext = nowMilliseconds &- start < 2 &* CounterBlock.windowMilliseconds
            set(Place.longestBefore, isNext ? value(Place.longest) : 0)
            set(Place.longest, time)
            set(Place.windowStart, UInt64(truncatingIfNeeded: nowMilliseconds))
        } else if time > value(Place.longest) {
            set(Place.longest, time)
        }
    }

    @inlinable
    func addTime(_ microseconds: Int64, at place: Int) {
        let time = max(0, microseconds)
        increase(place &+ Buckets.index(microseconds: time), by: 1)
        increase(place &+ Buckets.count, by: UInt64(truncatingIfNeeded: time))
    }

    @inlinable
    func increase(_ index: Int, by amount: UInt64) { set(index, value(index) &+ amount) }

    @inlinable
    func set(_ index: Int, _ value: UInt64) { unsafe slots[index].store(value, ordering: .relaxed) }

    @inlinable
    func value(_ index: Int) -> UInt64 { unsafe slots[index].load(ordering: .relaxed) }

    /// The memory of all connections of the worker.
    public var heldBytes: UInt64 { value(Place.heldBytes) }

    public func value(of counter: Counter) -> UInt64 { value(Place.counters + counter.index) }

    /// The time from a complete head until the kernel has the answer's last byte.
    public var latency: HistogramReading { histogram(at: Place.latency) }

    /// The durations of rounds without the wait for events: the longest delay of an event.
    public var rounds: HistogramReading { histogram(at: Place.rounds) }

    /// The longest round of the last 15 to 30 seconds, by the monotonic clock.
    public func longestRoundMicroseconds(nowMilliseconds: Int64) -> UInt64 {
        let age = nowMilliseconds - Int64(truncatingIfNeeded: value(Place.windowStart))
        if age >= 2 * CounterBlock.windowMilliseconds { return 0 }
        let longest = value(Place.longest)
        return age >= CounterBlock.windowMilliseconds ? longest : max(longest, value(Place.longestBefore))
    }

    private func histogram(at place: Int) -> HistogramReading {
        var reading = HistogramReading()
        for index in 0..<Buckets.count { reading.counts[index] = value(place + index) }
        reading.sumMicroseconds = value(place + Buckets.count)
        return reading
    }
}

/// The buckets of all histograms, from 50 µs (a quick answer) to 10 s (the client has given up).
public enum Buckets {
    /// Upper bounds in microseconds, each included; another bucket has everything above the last one.
    public static let boundsMicroseconds: [Int64] = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ]

    /// The number of buckets, including the one without a bound.
    @inlinable public static var count: Int { 18 }

    /// The bucket of a time. Comparisons instead of a table, because most times are in one of the first buckets.
    @inlinable
    public static func index(microseconds: Int64) -> Int {
        switch microseconds {
        case ...1_000:
            microseconds <= 100
                ? (microseconds <= 50 ? 0 : 1) : microseconds <= 250 ? 2 : microseconds <= 500 ? 3 : 4
        case ...25_000: microseconds <= 2_500 ? 5 : microseconds <= 5_000 ? 6 : microseconds <= 10_000 ? 7 : 8
        case ...500_000:
            microseconds <= 50_000 ? 9 : microseconds <= 100_000 ? 10 : microseconds <= 250_000 ? 11 : 12
        case ...10_000_000:
            microseconds <= 1_000_000 ? 13 : microseconds <= 2_500_000 ? 14 : microseconds <= 5_000_000 ? 15 : 16
        default: 17
        }
    }
}

/// A copy of a histogram.
public struct HistogramReading: Equatable, Sendable {
    /// How many times are in each bucket (not cumulative).
    public var counts = [UInt64](repeating: 0, count: Buckets.count)
    public var sumMicroseconds: UInt64 = 0

    public init() {}

    public var count: UInt64 { counts.reduce(0, &+) }

    public static func + (left: HistogramReading, right: HistogramReading) -> HistogramReading {
        var sum = left
        for index in 0..<Buckets.count { sum.counts[index] &+= right.counts[index] }
        sum.sumMicroseconds &+= right.sumMicroseconds
        return sum
    }
}
