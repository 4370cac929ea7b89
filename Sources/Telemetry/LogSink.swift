// The worker's end of a ring: a line is written straight into it, and becomes visible to the writer with all others of the
// same round. No lock, no memory from the heap, and a system call only when the writer sleeps.

import Posix
import Synchronization

/// Where one worker writes its lines. Used by that worker's thread alone.
public struct LogSink {
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
        self.ring = .passUnretained(ring)
        self.alarm = .passUnretained(alarm)
        self.counters = counters
        start = ring.memory.start
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
        if !selection.hasQuery { entry.query = AccessEntry.absent }
        if LogRing.byteCount - (position - taken) < LogLine.bytesMax {
            taken = ring._withUnsafeGuaranteedRef { $0.taken.load(ordering: .acquiring) }
            if LogRing.byteCount - (position - taken) < LogLine.bytesMax {
                counters.add(to: .droppedLogLines)
                return
            }
        }
        let place = start + position & (LogRing.byteCount - 1)
        var cursor = LineCursor(place, byteCount: LogLine.bytesMax)
        line.write(entry, to: &cursor)
        position += UnsafeMutableRawPointer(cursor.next) - place
    }

    /// Lets the writer have what was written since the last time.
    @inline(__always)
    public mutating func publish() {
        if position != published { publishLines() }
    }

    private mutating func publishLines() {
        let position = position
        ring._withUnsafeGuaranteedRef { $0.written.store(position, ordering: .sequentiallyConsistent) }
        published = position
        if position - taken > LogRing.byteCount / 2 {
            taken = ring._withUnsafeGuaranteedRef { $0.taken.load(ordering: .acquiring) }
        }
        let isPressing = position - taken > LogRing.byteCount / 2
        alarm._withUnsafeGuaranteedRef { $0.published(isPressing: isPressing) }
    }
}
