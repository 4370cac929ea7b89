// Passes log lines from a worker to the writing thread, through a ring of bytes that the worker fills and the thread empties.
// Neither waits for the other: a line for which there is no room is dropped and counted.

import Posix
import Synchronization

/// The shared ring. Positions only grow; modulo the size they are offsets.
final class LogRing: @unchecked Sendable {
    let memory: MirroredMemory
    /// The end of the complete lines.
    let written = Atomic<Int>(0)
    /// The end of the lines that the writer has taken.
    let taken = Atomic<Int>(0)

    /// A power of two: room for some thousand lines while the disk is slow.
    static let byteCount = 1_048_576

    init() throws(SystemError) { memory = try MirroredMemory(byteCount: LogRing.byteCount) }

    /// The bytes from one position to another.
    func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: memory.start + start & (LogRing.byteCount - 1), count: end - start)
    }
}

/// Lets workers wake the writer only when it sleeps: some dozen times a second at most.
final class LogAlarm: Sendable {
    private let state = Atomic<UInt8>(State.awake.rawValue)
    private let wakeUp: WakeUp

    enum State: UInt8 {
        /// It checks all rings before it sleeps.
        case awake
        /// It checks the rings soon by itself; woken early when a ring is half full.
        case dozing
        /// It must be woken for any line.
        case asleep
    }

    init() throws(SystemError) { wakeUp = try WakeUp() }

    /// Called after a worker has published lines. `isPressing` if its ring is half full. The store that published them, the load
    /// here, and the writer's store and load have one order for both threads: either the writer sees the lines before it sleeps,
    /// or the worker sees that it sleeps.
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

    /// Wakes the writer in any state.
    func wake() { wakeUp.wake() }

    /// Called by the writer before it sleeps. It must check the rings once more after this.
    func prepare(_ next: State) { state.store(next.rawValue, ordering: .sequentiallyConsistent) }

    /// Sleeps until it is woken or the time is up.
    func sleep(milliseconds: Int32) {
        if wakeUp.wait(milliseconds: milliseconds) { wakeUp.clear() }
        prepare(.awake)
    }
}

/// One worker's access to the log. Only that worker's thread may use it.
@safe public struct LogSink {
    private let ring: Unmanaged<LogRing>
    private let alarm: Unmanaged<LogAlarm>
    private let counters: CounterBlock
    private let start: UnsafeMutableRawPointer
    private var line: LogLine
    private let selection: LogSelection
    /// The second in which handshakes were last logged, and their number.
    private var handshakeSecond: Int64 = 0
    private var handshakeCount = 0
    /// The end of the written and of the published lines, and of those that were taken according to the last check.
    private var position = 0
    private var published = 0
    private var taken = 0

    /// Handshakes that a worker logs in one second; the metrics count the others.
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

    /// Whether failed handshakes are logged.
    public var wantsHandshakes: Bool { selection.hasHandshakes }

    /// Writes the line of a handshake, unless there were too many in this second.
    public mutating func append(handshake entry: borrowing AccessEntry) {
        let second = entry.wallMicroseconds / 1_000_000
        if second != handshakeSecond { (handshakeSecond, handshakeCount) = (second, 0) }
        handshakeCount += 1
        if handshakeCount <= LogSink.handshakesPerSecondMax { append(entry) }
    }

    /// Writes a line, or drops it when there is no room for the longest one.
    public mutating func append(_ whole: borrowing AccessEntry) {
        guard selection.includes(whole) else { return }
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

    /// Passes the new lines to the writer.
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
