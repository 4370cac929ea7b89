// The way of lines from workers to a file or a pipe, in normal operation and with failures.

import Foundation
import Glibc
import Posix
import Telemetry
import TestSupport
import Testing

/// An access log in its own folder, and entries whose paths are numbers.
final class TestAccessLog {
    private let place: TemporaryFolder
    var folder: String { place.path }
    let metrics: WorkerMetrics
    let accessLog: AccessLog

    init(
        _ name: String = "access.log", _ selection: LogSelection = LogSelection(), workers: Int = 1,
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        place = try TemporaryFolder()
        let path = name.hasPrefix("/") ? name : "\(place.path)/\(name)"
        try prepare(path)
        metrics = WorkerMetrics(workerCount: workers)
        accessLog = try AccessLog(.file(path), .json, selection, metrics: metrics)
    }

    deinit { accessLog.end() }

    /// Writes numbered lines like a worker, `batch` of them in a round.
    static func write(_ numbers: Range<Int>, to sink: inout LogSink, batch: Int = 1, agentBytes: Int = 10) {
        var entry = EntryText()
        entry.userAgent = Array(repeating: UInt8(ascii: "u"), count: agentBytes)
        for number in numbers {
            entry.path = Array("/\(number)".utf8)
            entry.with { sink.append($0) }
            if number % batch == batch - 1 { sink.publish() }
        }
        sink.publish()
    }

    func text(_ name: String = "access.log") throws -> String { try place.read(name) }

    /// The numbers in a text that consists of whole lines.
    static func numbers(_ text: some StringProtocol) throws -> [Int] {
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            #expect(line.hasPrefix("{\"time\":\"") && line.hasSuffix("}"))
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require((object?["path"] as? String).flatMap { Int($0.dropFirst()) })
        }
    }

    /// The access log's warnings, once there are some.
    func notes() -> [String] {
        var notes: [String] = []
        _ = eventually {
            notes += accessLog.takeNotes()
            return !notes.isEmpty
        }
        return notes
    }
}

struct AccessLogTests {
    @Test func `writes a line soon, and not only at the end`() throws {
        let test = try TestAccessLog()
        var sink = test.accessLog.sink(0)
        for number in 0..<3 {
            TestAccessLog.write(number..<number + 1, to: &sink)
            #expect(try eventually { try TestAccessLog.numbers(test.text()) == Array(0...number) })
        }
    }

    @Test func `loses, splits and reorders no line between workers and the disk`() throws {
        let test = try TestAccessLog(workers: 3)
        let (accessLog, count) = (test.accessLog, 20_000)
        let threads = Shared<Int>(0)
        for worker in 0..<3 {
            try Thread(name: "writes \(worker)") {
                var sink = accessLog.sink(worker)
                TestAccessLog.write(worker * 100_000..<worker * 100_000 + count, to: &sink, batch: 7)
                threads.change { $0 += 1 }
            }.detach()
        }
        #expect(eventually { threads.value == 3 })
        accessLog.end()
        let numbers = try TestAccessLog.numbers(test.text())
        let dropped = Int(test.metrics.total(.droppedLogLines))
        #expect(numbers.count + dropped == 3 * count)
        for worker in 0..<3 {
            let own = numbers.filter { $0 / 100_000 == worker }
            #expect(own == own.sorted() && Set(own).count == own.count)
        }
    }

    @Test(arguments: [true, false])
    func `logs a query only where configured`(hasQuery: Bool) throws {
        var selection = LogSelection()
        selection.hasQuery = hasQuery
        let test = try TestAccessLog("access.log", selection)
        var sink = test.accessLog.sink(0)
        var entry = EntryText()
        entry.query = Array("secret=1".utf8)
        entry.with { sink.append($0) }
        sink.publish()
        test.accessLog.end()
        let text = try test.text()
        #expect(text.contains("/.well-known/assetlinks.json"))
        #expect(text.contains("secret") == hasQuery)
    }

    @Test func `logs at most ten failed handshakes a second`() throws {
        var selection = LogSelection()
        selection.hasHandshakes = true
        let test = try TestAccessLog("access.log", selection)
        var sink = test.accessLog.sink(0)
        var entry = AccessEntry()
        entry.handshake = .unknownName
        for second in [100, 101] as [Int64] {
            for number in 0..<12 {
                entry.wallMicroseconds = second * 1_000_000 + Int64(number)
                sink.append(handshake: entry)
            }
        }
        sink.publish()
        test.accessLog.end()
        let lines = try test.text().split(separator: "\n")
        #expect(lines.count == 20)
        #expect(lines.count { $0.contains("T00:01:40.000Z") } == 10)
    }

    @Test func `only the server's user and group can read the log`() throws {
        let test = try TestAccessLog()
        #expect(try File.status("\(test.folder)/access.log").permissions & 0o137 == 0)
    }

    @Test func `an unread log loses lines, but delays nothing`() throws {
        let test = try TestAccessLog("pipe") { path in
            #expect(mkfifo(path, 0o600) == 0)
            // Open for reading, because it could not be opened for writing otherwise; never read.
            #expect(open(path, O_RDONLY | O_NONBLOCK) >= 0)
        }
        var sink = test.accessLog.sink(0)
        // Three times the capacity of the ring.
        let count = 3_000
        let began = Clock.monotonicMicroseconds()
        TestAccessLog.write(0..<count, to: &sink, agentBytes: 1_000)
        let took = Clock.monotonicMicroseconds() - began
        // A thread that waited for a reader would wait forever.
        #expect(took < 60_000_000)
        let dropped = test.metrics.total(.droppedLogLines)
        #expect(dropped > 500 && dropped < 2_500)
        #expect(
            test.accessLog.takeNotes(nowMilliseconds: 0) == [
                "dropped \(dropped) lines of the access log: \(test.folder)/pipe is too slow"
            ])
        TestAccessLog.write(count..<count + 1, to: &sink, agentBytes: 1_000)
        #expect(test.accessLog.takeNotes(nowMilliseconds: 59_999).isEmpty)
        #expect(test.accessLog.takeNotes(nowMilliseconds: 60_000).count == 1)
    }

    @Test func `a slow reader gets the waiting lines whole and in order`() throws {
        let reader = Shared<Int32>(-1)
        let test = try TestAccessLog("pipe") { path in
            #expect(mkfifo(path, 0o600) == 0)
            reader.change { $0 = open(path, O_RDONLY | O_NONBLOCK) }
        }
        var sink = test.accessLog.sink(0)
        let count = 3_000
        TestAccessLog.write(0..<count, to: &sink, agentBytes: 1_000)
        let kept = count - Int(test.metrics.total(.droppedLogLines))
        var (bytes, lineCount) = ([UInt8](), 0)
        var buffer = [UInt8](repeating: 0, count: 5_000)
        #expect(
            eventually {
                let step = read(reader.value, &buffer, buffer.count)
                if step > 0 {
                    bytes += buffer[..<step]
                    lineCount += buffer[..<step].count { $0 == 0x0A }
                }
                return lineCount == kept
            })
        let numbers = try TestAccessLog.numbers(String(decoding: bytes, as: UTF8.self))
        #expect(numbers.count == kept && numbers == numbers.sorted() && numbers.prefix(500) == Array(0..<500)[...])
        close(reader.value)
    }

    @Test func `reports a full disk once, and drops lines that do not fit`() throws {
        let test = try TestAccessLog("/dev/full")
        var sink = test.accessLog.sink(0)
        TestAccessLog.write(0..<3_000, to: &sink, agentBytes: 1_000)
        #expect(
            test.notes() == [
                "cannot write the access log to /dev/full: no space left on device; retrying every second, "
                    + "lines are dropped and counted when the buffers are full"
            ])
        let dropped = test.metrics.total(.droppedLogLines)
        #expect(dropped > 1_000)
        TestAccessLog.write(3_000..<3_001, to: &sink, agentBytes: 1_000)
        #expect(test.metrics.total(.droppedLogLines) == dropped + 1)
        #expect(test.accessLog.takeNotes().isEmpty)
        // All lines are accounted for at the end.
        test.accessLog.end()
        let rest = 3_001 - dropped - 1
        #expect(test.metrics.total(.droppedLogLines) == 3_001)
        #expect(
            test.accessLog.takeNotes(nowMilliseconds: 0).contains(
                "lost \(rest) lines of the access log at the end: cannot write to /dev/full"))
    }

    /// A limit on the size of files simulates a disk that becomes full in the middle of a line and is emptied again.
    @Test func `completes a line that a full disk has truncated`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let test = try TestAccessLog()
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 1 << 40)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var sink = test.accessLog.sink(0)
            TestAccessLog.write(0..<300, to: &sink, agentBytes: 1_000)
            let isFull = try eventually { try test.text().utf8.count == 100_000 }
            guard isFull, try !test.text().hasSuffix("\n") else { exit(3) }
            guard eventually({ !test.accessLog.takeNotes().isEmpty }) else { exit(4) }
            limit.rlim_cur = 1 << 40
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            TestAccessLog.write(300..<310, to: &sink)
            let isWhole = try eventually { try test.text().hasSuffix("\n") && test.text().contains("/309\"") }
            guard isWhole, try TestAccessLog.numbers(test.text()) == Array(0..<310) else { exit(5) }
            guard test.accessLog.takeNotes() == ["writing the access log to \(test.folder)/access.log again"] else {
                exit(6)
            }
            exit(test.metrics.total(.droppedLogLines) == 0 ? 0 : 7)
        }
    }

    @Test func `loses no line when the file is renamed and opened again`() throws {
        let test = try TestAccessLog()
        var sink = test.accessLog.sink(0)
        for round in 0..<5 {
            TestAccessLog.write(round * 1_000..<round * 1_000 + 500, to: &sink, batch: 3)
            #expect(rename("\(test.folder)/access.log", "\(test.folder)/access.log.\(round)") == 0)
            // As logrotate's `create` does it, several times.
            if round % 2 == 0 { try Data().write(to: URL(fileURLWithPath: "\(test.folder)/access.log")) }
            test.accessLog.reopen()
            TestAccessLog.write(round * 1_000 + 500..<round * 1_000 + 1_000, to: &sink, batch: 3)
            #expect(eventually { FileManager.default.fileExists(atPath: "\(test.folder)/access.log") })
            let mark = round * 1_000 + 999
            #expect(try eventually { try (test.text() + test.text("access.log.\(round)")).contains("\"/\(mark)\"") })
        }
        test.accessLog.end()
        var numbers: [Int] = []
        for round in 0..<5 { numbers += try TestAccessLog.numbers(test.text("access.log.\(round)")) }
        numbers += try TestAccessLog.numbers(test.text())
        #expect(numbers == Array(0..<5_000))
        #expect(test.metrics.total(.droppedLogLines) == 0)
    }

    @Test func `keeps the old file when it cannot be opened again, and reports it`() throws {
        let test = try TestAccessLog("sub/access.log") { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        #expect(rename("\(test.folder)/sub", "\(test.folder)/moved") == 0)
        test.accessLog.reopen()
        #expect(
            test.notes() == [
                "cannot reopen the access log \(test.folder)/sub/access.log: no such file or directory; still writing to "
                    + "the old file, whose lines are lost if it was removed, and retrying every second; let the server's user "
                    + "write to its folder, and send SIGUSR2 if that is a new one"
            ])
        #expect(test.accessLog.problems.map(\.text).first?.hasPrefix("cannot reopen the access log") == true)
        var sink = test.accessLog.sink(0)
        TestAccessLog.write(0..<10, to: &sink)
        #expect(try eventually { try test.text("moved/access.log").contains("/9\"") })
        // Without another signal, and without a line to write.
        try FileManager.default.createDirectory(atPath: "\(test.folder)/sub", withIntermediateDirectories: false)
        #expect(test.notes() == ["reopened the access log \(test.folder)/sub/access.log"])
        #expect(test.accessLog.problems.isEmpty)
        TestAccessLog.write(10..<20, to: &sink)
        test.accessLog.end()
        #expect(try TestAccessLog.numbers(test.text("moved/access.log")) == Array(0..<10))
        #expect(try TestAccessLog.numbers(test.text("sub/access.log")) == Array(10..<20))
    }

    @Test func `refuses to start with a log that cannot be opened`() {
        let metrics = WorkerMetrics(workerCount: 1)
        #expect(throws: SystemError.self) { try AccessLog(.file("/nonexistent/access.log"), .json, metrics: metrics) }
    }

    @Test func `writes all lines before the end`() throws {
        let test = try TestAccessLog(workers: 2)
        for worker in 0..<2 {
            var sink = test.accessLog.sink(worker)
            TestAccessLog.write(worker * 1_000..<worker * 1_000 + 1_000, to: &sink, batch: 1_000)
        }
        test.accessLog.end()
        #expect(try TestAccessLog.numbers(test.text()).count == 2_000)
    }
}
