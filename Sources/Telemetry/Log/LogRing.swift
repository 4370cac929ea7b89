// The way of a line from its worker to the disk: a ring of bytes that one worker fills and one thread empties. Nobody waits
// for the other: where there is no room the line is dropped, and counted.

import Posix
import Synchronization

/// What worker and writer share. Positions only grow; their remainder is the place in memory.
final class LogRing: @unchecked Sendable {
    let memory: MirroredMemory
    /// Up to where lines are whole, and can be taken.
    let written = Atomic<Int>(0)
    /// Up to where they have been.
    let taken = Atomic<Int>(0)

    /// A power of two: some thousand lines, which is as long as a disk may think without a line being lost.
    static let byteCount = 1_048_576

    init() throws(SystemError) { memory = try MirroredMemory(byteCount: LogRing.byteCount) }

    /// The bytes from one position to another.
    func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: memory.start + start & (LogRing.byteCount - 1), count: end - start)
    }
}

/// How workers wake the writer, which they do only when it sleeps: some dozen times a second at most.
final class LogAlarm: Sendable {
    private let state = Atomic<UInt8>(State.awake.rawValue)
    private let wakeUp: WakeUp

    enum State: UInt8 {
        /// Will look at all rings before it sleeps.
        case awake
        /// Will look soon by itself; to be woken when a ring is half full.
        case dozing
        /// To be woken by whatever there is.
        case asleep
    }

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// A worker has published something. `isPressing` when its ring is half full. The store that published it, the load
    /// here and the writer's two on the other side are in one order for both threads: either the writer sees the lines
    /// before it sleeps, or the worker sees it sleep.
    @inline(__always)
    func published(isPressing: Bool) {
        let present = state.load(ordering: .sequentiallyConsistent)
        if present == State.awake.rawValue || present == State.dozing.rawValue && !isPressing { return }
        rouse(from: present)
    }

    private func rouse(from present: UInt8) {
        let (isChanged, _) = state.compareExchange(
            expected: present, desired: State.awake.rawValue, ordering: .sequentiallyConsistent)
        if isChanged { wakeUp.wake() }
    }

    /// Wakes the writer whatever it does.
    func wake() { wakeUp.wake() }

    /// The writer's side: says how deep it is about to sleep. It has to look at the rings once more before it does.
    func prepare(_ next: State) { state.store(next.rawValue, ordering: .sequentiallyConsistent) }

    /// Sleeps until it is woken or the time is up.
    func sleep(milliseconds: Int32) {
        if wakeUp.wait(milliseconds: milliseconds) { wakeUp.clear() }
        prepare(.awake)
    }
}

/// Where one worker writes its lines. Used by that worker's thread alone.
@safe public struct LogSink {
    private let ring: Unmanaged<LogRing>
    private let alarm: Unmanaged<LogAlarm>
    private let counters: CounterBlock
    private let start: UnsafeMutableRawPointer
    private var line: LogLine
    private let selection: LogSelection
    /// The second in which handshakes were last logged, and how many of them.
    private var handshakeSecond: Int64 = 0
    private var handshakeCount = 0
    /// Up to where lines are written, published, and known to have been taken.
    private var position = 0
    private var published = 0
    private var taken = 0

    /// Handshakes of a worker that have lines within a second: a flood of them is for the metrics.
    static let handshakesPerSecondMax = 10

    init(
        _ ring: LogRing, _ alarm: LogAlarm, _ format: LogFormat, _ selection: LogSelection, _ counters: CounterBlock
    ) {
        unsafe self.ring = .passUnretained(ring)
        unsafe self.alarm = .passUnretained(alarm)
        self.counters = counters
        unsafe start = ring.memory.start
        line = LogLine(format)
        self.selection = selection
    }

    /// Whether there is a line for each handshake that came to nothing.
    public var wantsHandshakes: Bool { selection.hasHandshakes }

    /// Writes the line of a handshake, unless there were many within the second.
    public mutating func append(handshake entry: borrowing AccessEntry) {
        let second = entry.wallMicroseconds / 1_000_000
        if second != handshakeSecond { (handshakeSecond, handshakeCount) = (second, 0) }
        handshakeCount += 1
        if handshakeCount <= LogSink.handshakesPerSecondMax { append(entry) }
    }

    /// Writes a line, or drops it where there is no room for the longest.
    public mutating func append(_ whole: borrowing AccessEntry) {
        guard selection.takes(whole) else { return }
        var entry = copy whole
        if !selection.hasQuery { unsafe entry.query = AccessEntry.absent }
        if LogRing.byteCount - (position - taken) < LogLine.bytesMax {
            taken = unsafe ring._withUnsafeGuaranteedRef { $0.taken.load(ordering: .acquiring) }
            if LogRing.byteCount - (position - taken) < LogLine.bytesMax {
                counters.add(to: .droppedLogLines)
                return
            }
        }
        let place = unsafe start + position & (LogRing.byteCount - 1)
        var cursor = unsafe LineCursor(place, byteCount: LogLine.bytesMax)
        line.write(entry, to: &cursor)
        unsafe position += UnsafeMutableRawPointer(cursor.next) - place
    }

    /// Lets the writer have what was written since the last time.
    @inline(__always)
    public mutating func publish() {
        if position != published { publishLines() }
    }

    private mutating func publishLines() {
        let position = position
        unsafe ring._withUnsafeGuaranteedRef { $0.written.store(position, ordering: .sequentiallyConsistent) }
        published = position
        if position - taken > LogRing.byteCount / 2 {
            taken = unsafe ring._withUnsafeGuaranteedRef { $0.taken.load(ordering: .acquiring) }
        }
        let isPressing = position - taken > LogRing.byteCount / 2
        unsafe alarm._withUnsafeGuaranteedRef { $0.published(isPressing: isPressing) }
    }
}
