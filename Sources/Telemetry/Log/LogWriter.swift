// The thread that takes lines out of the rings and writes them, many at a time. It may wait for a disk or a pipe as long as
// these like: the rings fill up meanwhile, and the workers drop what finds no room.

import Posix
import Synchronization

/// What the journal and its writer say to each other.
final class LogOrders: Sendable {
    private let wishes = Atomic<UInt8>(0)
    private let notes = Mutex<[String]>([])
    let isFinished: WakeUp
    /// Whether the last attempt to write has failed.
    let isFailing = Atomic<Bool>(false)

    struct Wishes: OptionSet {
        let rawValue: UInt8

        static let reopen = Wishes(rawValue: 1)
        static let end = Wishes(rawValue: 2)
    }

    init() throws(SystemError) { isFinished = try WakeUp() }

    func wish(_ wish: Wishes) { wishes.bitwiseOr(wish.rawValue, ordering: .releasing) }

    func take(_ wish: Wishes) -> Bool {
        let before = wishes.bitwiseAnd(~wish.rawValue, ordering: .acquiringAndReleasing).oldValue
        return Wishes(rawValue: before).contains(wish)
    }

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    func takeNotes() -> [String] {
        notes.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }
}

/// The writer's state. Used by its thread alone.
@safe struct LogWriter: ~Copyable {
    private let target: LogTarget
    private var output: LogOutput
    private let rings: [LogRing]
    private let alarm: LogAlarm
    private let orders: LogOrders
    private let records: Records
    /// What the next call writes, and the rings that it is from.
    private let pieces: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    private var sources: [LogRing] = []
    /// The ring whose line was written in part only. What is left of it comes before anything else.
    private var unfinished: LogRing?

    /// Milliseconds in which lines gather before they are written. Nobody reads a log faster.
    private static let gatherMilliseconds: Int32 = 25
    /// Milliseconds until a target that failed is tried again.
    private static let retryMilliseconds: Int32 = 1_000
    /// Milliseconds until a pipe that was full is tried again.
    private static let fullMilliseconds: Int32 = 20
    /// How often a full pipe is tried again at the end.
    private static let lastTriesMax = 50
    /// Written in one call at most, from one ring: room is made for new lines as soon as it is taken.
    private static let bytesPerWriteMax = 262_144

    init(
        _ target: LogTarget, _ output: consuming LogOutput, _ rings: [LogRing], _ alarm: LogAlarm, _ orders: LogOrders,
        _ records: Records
    ) {
        self.target = target
        self.output = output
        self.rings = rings
        self.alarm = alarm
        self.orders = orders
        self.records = records
        unsafe pieces = .allocate(capacity: min(rings.count, LogOutput.piecesMax))
    }

    deinit { unsafe pieces.deallocate() }

    /// Writes until it is told to end and nothing is left, or what is left cannot be written.
    mutating func run() {
        while true {
            if orders.take(.reopen) { reopen() }
            if orders.take(.end) { break }
            switch drain() {
            case .some:
                alarm.prepare(.dozing)
                alarm.sleep(milliseconds: LogWriter.gatherMilliseconds)
            case .blocked: alarm.sleep(milliseconds: LogWriter.fullMilliseconds)
            case .failed: alarm.sleep(milliseconds: LogWriter.retryMilliseconds)
            case .nothing:
                alarm.prepare(.asleep)
                let isEmpty = rings.allSatisfy { backlog($0) == 0 }
                if isEmpty { alarm.sleep(milliseconds: -1) } else { alarm.prepare(.awake) }
            }
        }
        finish()
        noteRest()
        orders.isFinished.wake()
    }

    /// Says what could not be written, when nobody will try again.
    private func noteRest() {
        var count = 0
        for ring in rings {
            let start = ring.taken.load(ordering: .relaxed)
            unsafe count += ring.bytes(from: start, to: start + backlog(ring)).count { $0 == UInt8(ascii: "\n") }
        }
        if count == 0 { return }
        records.addLostLines(count)
        orders.note(
            "\(count) line\(count == 1 ? "" : "s") of the access log could not be written to \(target) any more")
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

    /// What came of one look at all rings.
    enum Drained {
        case nothing
        case some
        /// Nothing more can be written now.
        case blocked
        case failed
    }

    /// Writes what is there now, and not what comes meanwhile: that gathers for the next time.
    private mutating func drain() -> Drained {
        let ends = rings.map { $0.written.load(ordering: .sequentiallyConsistent) }
        var hasWritten = false
        while true {
            gather(ends)
            if sources.isEmpty { return hasWritten ? .some : .nothing }
            switch unsafe output.write(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(pieces)[..<sources.count])) {
            case .wrote(let written):
                if written == 0 { return .blocked }
                hasWritten = true
                recover()
                take(written)
            case .wouldBlock: return .blocked
            case .failed(let error):
                fail(error)
                return .failed
            }
        }
    }

    private func backlog(_ ring: LogRing) -> Int {
        ring.written.load(ordering: .sequentiallyConsistent) - ring.taken.load(ordering: .relaxed)
    }

    /// Puts together what one call shall write: whole lines, but for the rest of one, which is first.
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

    /// Notes that so many bytes of what was gathered are written, and gives their room back.
    private mutating func take(_ written: Int) {
        var rest = written
        unfinished = nil
        for (index, ring) in sources.enumerated() where rest > 0 {
            let count = unsafe min(rest, pieces[index].count)
            if unsafe pieces[index][count - 1] != UInt8(ascii: "\n") { unfinished = ring }
            ring.taken.store(ring.taken.load(ordering: .relaxed) + count, ordering: .releasing)
            rest -= count
        }
    }

    private func fail(_ error: SystemError) {
        if orders.isFailing.exchange(true, ordering: .relaxed) { return }
        orders.note(
            "cannot write the access log to \(target): \(error.reason); it is tried again every second, and lines that find "
                + "no room in memory until then are dropped and counted")
    }

    private func recover() {
        guard orders.isFailing.load(ordering: .relaxed) else { return }
        orders.isFailing.store(false, ordering: .relaxed)
        orders.note("the access log is written to \(target) again")
    }

    /// Opens the file by its name again, which by now may be that of another one. What is left of a line belongs to the old
    /// file; where that takes no more, the rest of the line is dropped, so that the new file begins with a whole one.
    private mutating func reopen() {
        guard case .file(let path) = target else { return }
        let next: LogOutput
        do throws(SystemError) { next = try LogOutput(path: path) } catch {
            orders.note("cannot open the access log \(path) again: \(error.reason); it goes on in the file that it has")
            return
        }
        if let ring = unfinished, !endLine(of: ring) { records.addLostLines(1) }
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
        return outcome == .wrote(end + 1)
    }
}
