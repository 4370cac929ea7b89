// The interface of the access log: it is created before the workers, passed to each of them, told to reopen its file, polled for
// its own problems, and ended after the workers.

public import Posix
import Synchronization

/// The target of the lines.
public enum LogTarget: Hashable, Sendable, CustomStringConvertible {
    case standardOutput
    /// A file that is appended to, and created if need be.
    case file(String)

    public var description: String {
        switch self {
        case .standardOutput: "standard output"
        case .file(let path): path
        }
    }
}

/// What is wrong with an access log, and since when.
public struct LogProblem: Hashable, Sendable {
    public let text: String
    public let sinceSeconds: Int64
}

/// An access log with its thread. It must outlast the workers that write to it.
public final class AccessLog: Sendable {
    public let target: LogTarget
    private let format: LogFormat
    private let selection: LogSelection
    private let metrics: WorkerMetrics
    private let rings: [LogRing]
    private let alarm: LogAlarm
    private let orders: LogOrders
    private let lastReport = Mutex(Report())

    /// The last report of dropped lines.
    private struct Report {
        var droppedCount: UInt64 = 0
        var milliseconds = Int64.min / 2
    }

    /// The least time between two reports of dropped lines.
    private static let silenceMilliseconds: Int64 = 60_000

    /// Opens the log and starts its thread. `metrics` are those of the same workers.
    public init(
        _ target: LogTarget, _ format: LogFormat, _ selection: LogSelection = LogSelection(), metrics: WorkerMetrics
    ) throws(SystemError) {
        (self.target, self.selection, self.format, self.metrics) = (target, selection, format, metrics)
        let alarm = try LogAlarm()
        let orders = try LogOrders()
        var rings: [LogRing] = []
        for _ in 0..<metrics.workerCount { rings.append(try LogRing()) }
        (self.rings, self.alarm, self.orders) = (rings, alarm, orders)
        let output: LogOutput
        switch target {
        case .standardOutput: output = .standard
        case .file(let path): output = try LogOutput(path: path)
        }
        let writer = LogWriter(target, output, rings, alarm, orders, metrics)
        // Never joined: it may be blocked by a pipe that is not read.
        try Thread(name: "access log", owning: writer) { $0.run() }.detach()
    }

    deinit { order(orders.wantsEnd) }

    /// The sink of one worker. Only that worker may use it.
    public func sink(_ worker: Int) -> LogSink {
        LogSink(rings[worker], alarm, format, selection, metrics.recorder(worker).counters)
    }

    /// Makes the thread reopen the file by its name. Lines that are not written yet go to the new file.
    public func reopen() { order(orders.wantsReopening) }

    /// Writes the remaining lines and ends the thread; waits for at most this long.
    public func end(milliseconds: Int32 = 2_000) {
        order(orders.wantsEnd)
        if orders.isFinished.wait(milliseconds: milliseconds) { return }
        orders.note("lost the last lines of the access log: \(target) does not accept them")
    }

    /// What is wrong with the log at present, the oldest first.
    public var problems: [LogProblem] { orders.problems.values.sorted { $0.sinceSeconds < $1.sinceSeconds } }

    /// Messages about the log itself since the last call. To be called about once a second.
    public func takeNotes(nowMilliseconds: Int64 = Clock.monotonicMilliseconds()) -> [String] {
        var notes = orders.takeNotes()
        let dropped = metrics.total(.droppedLogLines)
        lastReport.withLock { lastReport in
            guard dropped > lastReport.droppedCount, orders.problems[.writing] == nil,
                nowMilliseconds - lastReport.milliseconds >= AccessLog.silenceMilliseconds
            else {
                return
            }
            let count = dropped - lastReport.droppedCount
            notes.append("dropped \(count) line\(count == 1 ? "" : "s") of the access log: \(target) is too slow")
            lastReport = Report(droppedCount: dropped, milliseconds: nowMilliseconds)
        }
        return notes
    }

    private func order(_ wish: borrowing Atomic<Bool>) {
        wish.store(true, ordering: .releasing)
        alarm.wake()
    }
}
