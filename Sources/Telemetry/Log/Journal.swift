// The access log as the rest of the program sees it: made before the workers, given to each of them, told to open its file
// again, asked now and then whether there is something to say about it, and ended behind the workers.

public import Posix
import Synchronization

/// Where lines go.
public enum LogTarget: Hashable, Sendable, CustomStringConvertible {
    case standardOutput
    /// Appended to, and made where there is none.
    case file(String)

    public var description: String {
        switch self {
        case .standardOutput: "standard output"
        case .file(let path): path
        }
    }
}

/// An access log with its thread. Outlasts the workers that write to it.
public final class Journal: Sendable {
    public let target: LogTarget
    private let format: LogFormat
    private let selection: LogSelection
    private let records: Records
    private let rings: [LogRing]
    private let alarm: LogAlarm
    private let orders: LogOrders
    private let told = Mutex(Told())

    /// What was said of lines that were dropped, and when.
    private struct Told {
        var droppedCount: UInt64 = 0
        var milliseconds = Int64.min / 2
    }

    /// How long nothing more is said of lines that are dropped.
    private static let silenceMilliseconds: Int64 = 60_000

    /// Opens the log and starts its thread. `records` are those of the same workers.
    public init(
        _ target: LogTarget, _ format: LogFormat, _ selection: LogSelection = LogSelection(), records: Records
    ) throws(SystemError) {
        self.target = target
        self.selection = selection
        self.format = format
        self.records = records
        let alarm = try LogAlarm()
        let orders = try LogOrders()
        var rings: [LogRing] = []
        for _ in 0..<records.workerCount { rings.append(try LogRing()) }
        (self.rings, self.alarm, self.orders) = (rings, alarm, orders)
        let output: LogOutput
        switch target {
        case .standardOutput: output = .standard
        case .file(let path): output = try LogOutput(path: path)
        }
        let writer = LogWriter(target, output, rings, alarm, orders, records)
        // Never joined: it may be waiting for a pipe that nobody reads.
        try Thread(name: "access log", owning: writer) { $0.run() }.detach()
    }

    deinit { order(.end) }

    /// For the worker of that number, and no other.
    public func sink(_ worker: Int) -> LogSink {
        LogSink(rings[worker], alarm, format, selection, records.recorder(worker).counters)
    }

    /// Opens the file by its name again, soon. Lines that are not written yet go to the new one.
    public func reopen() { order(.reopen) }

    /// Writes what is left and ends, and waits for that at most so long.
    public func end(milliseconds: Int32 = 2_000) {
        order(.end)
        if orders.isFinished.wait(milliseconds: milliseconds) { return }
        orders.note("\(target) does not take the access log's last lines; they are lost")
    }

    /// What there is to say about the log itself, in sentences without an end. To be asked about once a second.
    public func takeNotes(nowMilliseconds: Int64 = Clock.monotonicMilliseconds()) -> [String] {
        var notes = orders.takeNotes()
        let dropped = records.total(.droppedLogLines)
        told.withLock { told in
            guard dropped > told.droppedCount, !orders.isFailing.load(ordering: .relaxed),
                nowMilliseconds - told.milliseconds >= Journal.silenceMilliseconds
            else {
                return
            }
            let count = dropped - told.droppedCount
            notes.append(
                "\(count) line\(count == 1 ? "" : "s") of the access log dropped: \(target) did not take them in time")
            told = Told(droppedCount: dropped, milliseconds: nowMilliseconds)
        }
        return notes
    }

    private func order(_ wish: LogOrders.Wishes) {
        orders.wish(wish)
        alarm.wake()
    }
}
