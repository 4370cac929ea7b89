// One worker's row of numbers. Only that worker writes, so adding is a load and a store without a lock; others may read at
// any time and see each number whole, though not all of the same moment.

public import Synchronization

/// Memory with one writer and any number of readers. Its owner gives it back; it must outlast all of them.
public struct CounterBlock: @unchecked Sendable {
    @usableFromInline
    let slots: UnsafeMutablePointer<Atomic<UInt64>>

    /// In front of the counters: two histograms with their sums, and what is known of the longest round.
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

    /// The length of the time in which the longest round is looked for, and then of the time in which it is still shown.
    public static let windowMilliseconds: Int64 = 15_000

    private static var slotCount: Int { Place.counters + Counter.count }

    init() {
        // Two cache lines apart from whatever another worker writes.
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: (CounterBlock.slotCount * 8 + 255) / 128 * 128, alignment: 128)
        slots = bytes.bindMemory(to: Atomic<UInt64>.self, capacity: CounterBlock.slotCount)
        for index in 0..<CounterBlock.slotCount { (slots + index).initialize(to: Atomic(0)) }
    }

    func deallocate() {
        slots.deinitialize(count: CounterBlock.slotCount)
        UnsafeMutableRawPointer(slots).deallocate()
    }

    @inlinable
    public func add(_ amount: Int = 1, to counter: Counter) {
        increase(Place.counters &+ counter.index, by: UInt64(truncatingIfNeeded: amount))
    }

    /// Notes what all connections of the worker hold in memory.
    @inlinable
    public func setHeldBytes(_ bytes: Int) { set(Place.heldBytes, UInt64(truncatingIfNeeded: bytes)) }

    /// Notes how long one request took.
    @inlinable
    public func addLatency(microseconds: Int64) { addTime(microseconds, at: Place.latency) }

    /// Notes how long one round of the loop took, in which nothing new was looked at.
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
    func set(_ index: Int, _ value: UInt64) { slots[index].store(value, ordering: .relaxed) }

    @inlinable
    func value(_ index: Int) -> UInt64 { slots[index].load(ordering: .relaxed) }
}

/// The readers' side.
extension CounterBlock {
    /// What all connections of the worker hold in memory.
    public var heldBytes: UInt64 { value(Place.heldBytes) }

    public func value(of counter: Counter) -> UInt64 { value(Place.counters + counter.index) }

    /// From the head being here to the answer's last byte being the kernel's.
    public var latency: HistogramReading { histogram(at: Place.latency) }

    /// From one look at what has happened to the next, the waiting left out: how late the loop is for whoever comes last.
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
