// What a worker writes its log lines with: each line goes directly into the ring, and becomes visible to the log thread when the
// worker publishes it. If the ring is full, the line is dropped and counted.

import Posix
import Synchronization

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

    init(_ ring: LogRing, _ alarm: LogAlarm, _ format: LogFormat, _ selection: LogSelection, _ counters: CounterBlock) {
        unsafe self.ring = .passUnretained(ring)
        unsafe self.alarm = .passUnretained(alarm)
        self.counters = counters
        unsafe start = ring.memory.start
        line = LogLine(format)
        self.selection = selection
    }

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
