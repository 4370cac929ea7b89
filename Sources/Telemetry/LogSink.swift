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
    /// Up to where lines are written, published, and known to have been taken.
    private var position = 0
    private var published = 0
    private var taken = 0

    init(_ ring: LogRing, _ alarm: LogAlarm, _ format: LogFormat, _ counters: CounterBlock) {
        self.ring = .passUnretained(ring)
        self.alarm = .passUnretained(alarm)
        self.counters = counters
        start = ring.memory.start
        line = LogLine(format)
    }

    /// Writes a line, or drops it where there is no room for the longest.
    public mutating func append(_ entry: borrowing AccessEntry) {
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
