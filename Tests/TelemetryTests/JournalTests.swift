// The way of lines from workers to a file or a pipe, in normal operation and with failures.

import Foundation
import Glibc
import Posix
import Telemetry
import TestSupport
import Testing

/// A journal with its records in a folder of its own, and entries whose paths are numbers.
final class TestJournal {
    let folder: String
    let records: Records
    let journal: Journal

    init(
        _ name: String = "access.log", _ selection: LogSelection = LogSelection(), workers: Int = 1,
        prepare: (String) throws -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString.prefix(13))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        try prepare(path)
        records = Records(workerCount: workers)
        journal = try Journal(.file(path), .json, selection, records: records)
    }

    deinit {
        journal.end()
        try? FileManager.default.removeItem(atPath: folder)
    }

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

    func text(_ name: String = "access.log") throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

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
            notes += journal.takeNotes()
            return !notes.isEmpty
        }
        return notes
    }
}

struct JournalTests {
    @Test func `a line is in the file soon, and not only at the end`() throws {
        let test = try TestJournal()
        var sink = test.journal.sink(0)
        for number in 0..<3 {
            TestJournal.write(number..<number + 1, to: &sink)
            #expect(try eventually { try TestJournal.numbers(test.text()) == Array(0...number) })
        }
    }

    @Test func `no line is lost, torn or out of order between workers and the disk`() throws {
        let test = try TestJournal(workers: 3)
        let (journal, count) = (test.journal, 20_000)
        let threads = Shared<Int>(0)
        for worker in 0..<3 {
            try Thread(name: "writes \(worker)") {
                var sink = journal.sink(worker)
                TestJournal.write(worker * 100_000..<worker * 100_000 + count, to: &sink, batch: 7)
                threads.change { $0 += 1 }
            }.detach()
        }
        #expect(eventually { threads.value == 3 })
        journal.end()
        let numbers = try TestJournal.numbers(test.text())
        let dropped = Int(test.records.total(.droppedLogLines))
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
        let test = try TestJournal("access.log", selection)
        var sink = test.journal.sink(0)
        var entry = EntryText()
        entry.query = Array("secret=1".utf8)
        entry.with { sink.append($0) }
        sink.publish()
        test.journal.end()
        let text = try test.text()
        #expect(text.contains("/.well-known/assetlinks.json"))
        #expect(text.contains("secret") == hasQuery)
    }

    @Test func `logs at most ten failed handshakes a second`() throws {
        var selection = LogSelection()
        selection.hasHandshakes = true
        let test = try TestJournal("access.log", selection)
        var sink = test.journal.sink(0)
        var entry = AccessEntry()
        entry.handshake = .unknownName
        for second in [100, 101] as [Int64] {
            for number in 0..<12 {
                entry.wallMicroseconds = second * 1_000_000 + Int64(number)
                sink.append(handshake: entry)
            }
        }
        sink.publish()
        test.journal.end()
        let lines = try test.text().split(separator: "\n")
        #expect(lines.count == 20)
        #expect(lines.count { $0.contains("T00:01:40.000Z") } == 10)
    }

    @Test func `the log is for the server's user and group alone`() throws {
        let test = try TestJournal()
        #expect(try File.status("\(test.folder)/access.log").permissions & 0o137 == 0)
    }

    @Test func `a log that nobody reads costs lines and nothing else`() throws {
        let test = try TestJournal("pipe") { path in
            #expect(mkfifo(path, 0o600) == 0)
            // Open for reading, because it could not be opened for writing otherwise; never read.
            #expect(open(path, O_RDONLY | O_NONBLOCK) >= 0)
        }
        var sink = test.journal.sink(0)
        // Three times what the ring holds.
        let count = 3_000
        let began = Clock.monotonicMicroseconds()
        TestJournal.write(0..<count, to: &sink, agentBytes: 1_000)
        let took = Clock.monotonicMicroseconds() - began
        // A thread that waited for a reader would wait forever.
        #expect(took < 60_000_000)
        let dropped = test.records.total(.droppedLogLines)
        #expect(dropped > 500 && dropped < 2_500)
        #expect(
            test.journal.takeNotes(nowMilliseconds: 0) == [
                "\(dropped) lines of the access log dropped: \(test.folder)/pipe did not take them in time"
            ])
        TestJournal.write(count..<count + 1, to: &sink, agentBytes: 1_000)
        #expect(test.journal.takeNotes(nowMilliseconds: 59_999).isEmpty)
        #expect(test.journal.takeNotes(nowMilliseconds: 60_000).count == 1)
    }

    @Test func `a slow reader gets the waiting lines whole and in order`() throws {
        let reader = Shared<Int32>(-1)
        let test = try TestJournal("pipe") { path in
            #expect(mkfifo(path, 0o600) == 0)
            reader.change { $0 = open(path, O_RDONLY | O_NONBLOCK) }
        }
        var sink = test.journal.sink(0)
        let count = 3_000
        TestJournal.write(0..<count, to: &sink, agentBytes: 1_000)
        let kept = count - Int(test.records.total(.droppedLogLines))
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
        let numbers = try TestJournal.numbers(String(decoding: bytes, as: UTF8.self))
        #expect(numbers.count == kept && numbers == numbers.sorted() && numbers.prefix(500) == Array(0..<500)[...])
        close(reader.value)
    }

    @Test func `a full disk is said once, and costs lines that find no room`() throws {
        let test = try TestJournal("/dev/full")
        var sink = test.journal.sink(0)
        TestJournal.write(0..<3_000, to: &sink, agentBytes: 1_000)
        #expect(
            test.notes() == [
                "cannot write the access log to /dev/full: no space left on device; it is tried again every second, and "
                    + "lines that find no room in memory until then are dropped and counted"
            ])
        let dropped = test.records.total(.droppedLogLines)
        #expect(dropped > 1_000)
        TestJournal.write(3_000..<3_001, to: &sink, agentBytes: 1_000)
        #expect(test.records.total(.droppedLogLines) == dropped + 1)
        #expect(test.journal.takeNotes().isEmpty)
        // All are accounted for in the end.
        test.journal.end()
        let rest = 3_001 - dropped - 1
        #expect(test.records.total(.droppedLogLines) == 3_001)
        #expect(
            test.journal.takeNotes(nowMilliseconds: 0).contains(
                "\(rest) lines of the access log could not be written to /dev/full any more"))
    }

    /// A limit on the size of files simulates a disk that becomes full in the middle of a line and is emptied again.
    @Test func `completes a line that a full disk has truncated`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let test = try TestJournal()
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 1 << 40)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var sink = test.journal.sink(0)
            TestJournal.write(0..<300, to: &sink, agentBytes: 1_000)
            let isFull = try eventually { try test.text().utf8.count == 100_000 }
            guard isFull, try !test.text().hasSuffix("\n") else { exit(3) }
            guard eventually({ !test.journal.takeNotes().isEmpty }) else { exit(4) }
            limit.rlim_cur = 1 << 40
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            TestJournal.write(300..<310, to: &sink)
            let isWhole = try eventually {
                try test.text().hasSuffix("\n") && test.text().contains("/309\"")
            }
            guard isWhole, try TestJournal.numbers(test.text()) == Array(0..<310) else { exit(5) }
            guard test.journal.takeNotes() == ["the access log is written to \(test.folder)/access.log again"] else {
                exit(6)
            }
            exit(test.records.total(.droppedLogLines) == 0 ? 0 : 7)
        }
    }

    @Test func `a file that is renamed and opened again loses no line`() throws {
        let test = try TestJournal()
        var sink = test.journal.sink(0)
        for round in 0..<5 {
            TestJournal.write(round * 1_000..<round * 1_000 + 500, to: &sink, batch: 3)
            #expect(rename("\(test.folder)/access.log", "\(test.folder)/access.log.\(round)") == 0)
            // As logrotate's `create` does it, several times.
            if round % 2 == 0 { try Data().write(to: URL(fileURLWithPath: "\(test.folder)/access.log")) }
            test.journal.reopen()
            TestJournal.write(round * 1_000 + 500..<round * 1_000 + 1_000, to: &sink, batch: 3)
            #expect(
                eventually { FileManager.default.fileExists(atPath: "\(test.folder)/access.log") })
            let mark = round * 1_000 + 999
            #expect(
                try eventually {
                    try (test.text() + test.text("access.log.\(round)")).contains("\"/\(mark)\"")
                })
        }
        test.journal.end()
        var numbers: [Int] = []
        for round in 0..<5 { numbers += try TestJournal.numbers(test.text("access.log.\(round)")) }
        numbers += try TestJournal.numbers(test.text())
        #expect(numbers == Array(0..<5_000))
        #expect(test.records.total(.droppedLogLines) == 0)
    }

    @Test func `a file that cannot be opened again goes on, and it is said`() throws {
        let test = try TestJournal("sub/access.log") { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        #expect(rename("\(test.folder)/sub", "\(test.folder)/moved") == 0)
        test.journal.reopen()
        #expect(
            test.notes() == [
                "cannot open the access log \(test.folder)/sub/access.log again: no such file or directory; it goes on in "
                    + "the file that it has"
            ])
        var sink = test.journal.sink(0)
        TestJournal.write(0..<10, to: &sink)
        test.journal.end()
        #expect(try TestJournal.numbers(test.text("moved/access.log")) == Array(0..<10))
    }

    @Test func `a log that cannot be opened is an error at the start`() {
        let records = Records(workerCount: 1)
        #expect(throws: SystemError.self) { try Journal(.file("/nonexistent/access.log"), .json, records: records) }
    }

    @Test func `what was written before the end is there after it`() throws {
        let test = try TestJournal(workers: 2)
        for worker in 0..<2 {
            var sink = test.journal.sink(worker)
            TestJournal.write(worker * 1_000..<worker * 1_000 + 1_000, to: &sink, batch: 1_000)
        }
        test.journal.end()
        #expect(try TestJournal.numbers(test.text()).count == 2_000)
    }
}
