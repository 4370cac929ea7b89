// The thread that takes lines from the rings and writes many of them at a time. It may wait for a disk or a pipe: the rings fill
// up meanwhile, and workers drop lines for which there is no room.

import Posix
import Synchronization

/// The communication of `AccessLog` with its writing thread.
final class LogOrders: Sendable {
    let wantsReopening = Atomic<Bool>(false)
    let wantsEnd = Atomic<Bool>(false)
    private let notes = Mutex<[String]>([])
    let isFinished: WakeUp
    private let open = Mutex<[Activity: LogProblem]>([:])

    /// What can fail.
    enum Activity { case writing, reopening }

    init() throws(SystemError) { isFinished = try WakeUp() }

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    func takeNotes() -> [String] { notes.exchange([]) }

    /// What has failed at the last attempt.
    var problems: [Activity: LogProblem] { open.withLock { $0 } }

    /// An attempt has failed. Only the first one in a row is a message.
    func failed(_ activity: Activity, _ text: String) {
        let isNews = open.withLock { open in
            let known = open[activity]
            open[activity] = LogProblem(text: text, sinceSeconds: known?.sinceSeconds ?? Clock.wallSeconds())
            return known == nil
        }
        if isNews { note(text) }
    }

    /// An attempt has succeeded.
    func succeeded(_ activity: Activity, _ text: @autoclosure () -> String) {
        if open.withLock({ $0.removeValue(forKey: activity) }) != nil { note(text()) }
    }
}

/// The writer's state. Only its thread uses it.
@safe struct LogWriter: ~Copyable {
    private let target: LogTarget
    private var output: LogOutput
    private let rings: [LogRing]
    private let alarm: LogAlarm
    private let orders: LogOrders
    private let metrics: WorkerMetrics
    /// The bytes of the next write, and their rings.
    private let pieces: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    private var sources: [LogRing] = []
    /// The ring with a partly written line. Its rest is written before anything else.
    private var unfinished: LogRing?
    /// When to open the file again, by the monotonic clock; nil if the one that is written to is the right one.
    private var reopensAt: Int64?

    /// How long lines are collected before they are written. No reader of a log is faster.
    private static let gatherMilliseconds: Int32 = 25
    /// How long to wait after an error.
    private static let retryMilliseconds: Int32 = 1_000
    /// How long to wait for a full pipe.
    private static let fullMilliseconds: Int32 = 20
    /// How often a full pipe is retried at the end.
    private static let lastTriesMax = 50
    /// The most bytes of one ring in one write, because their room is free again only afterwards.
    private static let bytesPerWriteMax = 262_144

    init(
        _ target: LogTarget, _ output: consuming LogOutput, _ rings: [LogRing], _ alarm: LogAlarm, _ orders: LogOrders,
        _ metrics: WorkerMetrics
    ) {
        self.output = output
        (self.target, self.rings, self.alarm, self.orders, self.metrics) = (target, rings, alarm, orders, metrics)
        unsafe pieces = .allocate(capacity: min(rings.count, LogOutput.piecesMax))
    }

    deinit { unsafe pieces.deallocate() }

    /// Writes until `end`, and nothing is left or the rest cannot be written.
    mutating func run() {
        while true {
            if orders.wantsReopening.exchange(false, ordering: .acquiring) { reopensAt = 0 }
            if let due = reopensAt, Clock.monotonicMilliseconds() >= due { reopen() }
            if orders.wantsEnd.load(ordering: .acquiring) { break }
            switch drain() {
            case .some:
                alarm.prepare(.dozing)
                alarm.sleep(milliseconds: LogWriter.gatherMilliseconds)
            case .blocked: alarm.sleep(milliseconds: LogWriter.fullMilliseconds)
            case .failed: alarm.sleep(milliseconds: LogWriter.retryMilliseconds)
            case .nothing:
                alarm.prepare(.asleep)
                let isEmpty = rings.allSatisfy { backlog($0) == 0 }
                let milliseconds = reopensAt == nil ? -1 : LogWriter.retryMilliseconds
                if isEmpty { alarm.sleep(milliseconds: milliseconds) } else { alarm.prepare(.awake) }
            }
        }
        finish()
        reportUnwritten()
        orders.isFinished.wake()
    }

    /// Reports the lines that could not be written at the end.
    private func reportUnwritten() {
        var count = 0
        for ring in rings {
            let start = ring.taken.load(ordering: .relaxed)
            unsafe count += ring.bytes(from: start, to: start + backlog(ring)).count { $0 == UInt8(ascii: "\n") }
        }
        if count == 0 { return }
        metrics.addLostLines(count)
        orders.note(
            "lost \(count) line\(count == 1 ? "" : "s") of the access log at the end: cannot write to \(target)")
    }

    private mutating func finish() {
        var tries = 0
        while tries < LogWriter.lastTriesMax {
            switch drain() {
            case .some: continue
            case .blocked:
                tries += 1
                alarm.sleep(milliseconds: LogWriter.fullMilliseconds)
            case .nothing, .failed: return
            }
        }
    }

    /// The result of writing all rings once.
    enum Drained {
        case nothing
        case some
        /// The target is full.
        case blocked
        case failed
    }

    /// Writes the lines that are in the rings now; those that arrive meanwhile are collected for the next time.
    private mutating func drain() -> Drained {
        let ends = rings.map { $0.written.load(ordering: .sequentiallyConsistent) }
        var hasWritten = false
        while true {
            gather(ends)
            if sources.isEmpty { return hasWritten ? .some : .nothing }
            switch unsafe output.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(pieces)[..<sources.count])) {
            case .moved(let written):
                hasWritten = true
                orders.succeeded(.writing, "writing the access log to \(target) again")
                releaseRoom(written)
            // A pipe is full.
            case .wouldBlock, .ended: return .blocked
            case .failed(let number):
                let error = SystemError(call: "write", number: number)
                orders.failed(
                    .writing,
                    "cannot write the access log to \(target): \(error.reason); retrying every second, lines are dropped and "
                        + "counted when the buffers are full")
                return .failed
            }
        }
    }

    private func backlog(_ ring: LogRing) -> Int {
        ring.written.load(ordering: .sequentiallyConsistent) - ring.taken.load(ordering: .relaxed)
    }

    /// Collects the bytes of one write: first the rest of a partly written line, then complete lines.
    private mutating func gather(_ ends: [Int]) {
        sources.removeAll(keepingCapacity: true)
        let first = rings.firstIndex { $0 === unfinished } ?? 0
        for place in 0..<rings.count where unsafe sources.count < pieces.count {
            let number = (place + first) % rings.count
            let start = rings[number].taken.load(ordering: .relaxed)
            var bytes = unsafe rings[number].bytes(from: start, to: ends[number])
            if unsafe bytes.isEmpty { continue }
            if bytes.count > LogWriter.bytesPerWriteMax {
                let lines = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<LogWriter.bytesPerWriteMax])
                let end = unsafe lines.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.count
                unsafe bytes = UnsafeRawBufferPointer(rebasing: lines[..<end])
            }
            unsafe pieces[sources.count] = bytes
            sources.append(rings[number])
        }
    }

    /// Frees the room of written bytes.
    private mutating func releaseRoom(_ written: Int) {
        var rest = written
        unfinished = nil
        for (index, ring) in sources.enumerated() where rest > 0 {
            let count = unsafe min(rest, pieces[index].count)
            if unsafe pieces[index][count - 1] != UInt8(ascii: "\n") { unfinished = ring }
            ring.taken.store(ring.taken.load(ordering: .relaxed) + count, ordering: .releasing)
            rest -= count
        }
    }

    /// Opens the file again by its name, after a log rotation. The rest of a partly written line goes to the old file, or is
    /// dropped if that fails, so that the new file begins with a complete line.
    private mutating func reopen() {
        guard case .file(let path) = target else { return }
        let next: LogOutput
        do throws(SystemError) { next = try LogOutput(path: path) } catch {
            reopensAt = Clock.monotonicMilliseconds() + Int64(LogWriter.retryMilliseconds)
            orders.failed(
                .reopening,
                "cannot reopen the access log \(path): \(error.reason); still writing to the old file, whose lines are lost "
                    + "if it was removed, and retrying every second; let the server's user write to its folder, and send SIGUSR2 if "
                    + "that is a new one")
            return
        }
        reopensAt = nil
        orders.succeeded(.reopening, "reopened the access log \(path)")
        if let ring = unfinished, !endLine(of: ring) { metrics.addLostLines(1) }
        unfinished = nil
        output = next
    }

    private func endLine(of ring: LogRing) -> Bool {
        let start = ring.taken.load(ordering: .relaxed)
        let bytes = unsafe ring.bytes(from: start, to: ring.written.load(ordering: .acquiring))
        guard let end = unsafe bytes.firstIndex(of: UInt8(ascii: "\n")) else { return true }
        unsafe pieces[0] = UnsafeRawBufferPointer(rebasing: bytes[...end])
        let outcome = unsafe output.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(pieces)[..<1]))
        ring.taken.store(start + end + 1, ordering: .releasing)
        return outcome == .moved(end + 1)
    }
}
