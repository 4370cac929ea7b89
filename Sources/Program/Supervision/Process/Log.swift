// The process log: the events that `serve` reports on standard error, one line each, with time and level. The format is text for
// people or JSON for log collectors. If standard error is the journal, each line begins with a priority and has no time, because
// the journal records it. All messages are escaped here, so an event is always one line.

public import Association
import HTTP
import Libc
public import Posix
public import Settings
public import SourceJSON
import Synchronization

public enum Log {
    public typealias Level = ProcessLogSettings.Level
    public typealias Fields = [(String, SourceValue)]

    private static let isJournal = StandardDescriptors.errorIsJournal
    /// Nil until a server starts; other commands report to a person (Console).
    private static let settings = Mutex<ProcessLogSettings?>(nil)

    /// Writes the lines. Nil until the threads of this process may start: before, they would have more rights than it keeps.
    private static let writer = Mutex<SlowWork<Never>?>(nil)
    /// The lines from before that, which must not wait for the reader of the log either.
    private static let early = Mutex<[String]>([])
    /// The lines that wait to be written.
    private static let waiting = Mutex((byteCount: 0, lostCount: 0))
    private static let waitingBytesMax = 1 << 20
    private static let endMilliseconds: Int32 = 1_000
    private static let startMilliseconds = 100

    /// Makes all further events of this process lines of the log.
    public static func begin(_ wanted: ProcessLogSettings) {
        settings.withLock { $0 = wanted }
        atexit { Log.end() }
    }

    /// From now on no thread waits for the reader of the log.
    public static func writeAside() throws(SystemError) {
        let new = try SlowWork<Never>(name: "log")
        for line in takeEarly() { new.add { writeAside(line, line.utf8.count) } }
        writer.withLock { $0 = new }
        // The lines of the parent about what follows should come behind these, if somebody reads.
        for _ in 0..<startMilliseconds where waiting.withLock({ $0.byteCount > 0 }) { usleep(1_000) }
    }

    private static func takeEarly() -> [String] {
        early.withLock { early in
            defer { early = [] }
            return early
        }
    }

    /// Waits a moment for the reader, before the process exits.
    public static func end() {
        guard let writer = writer.withLock({ $0 }) else {
            // A start that has failed has no thread for its lines.
            for line in takeEarly() { Console.error(line: line) }
            return
        }
        writer.finish(milliseconds: endMilliseconds)
    }

    public static func error(_ message: String, _ fields: Fields = []) { write(.error, message, fields) }
    public static func warning(_ message: String, _ fields: Fields = []) { write(.warning, message, fields) }
    public static func info(_ message: String, _ fields: Fields = []) { write(.info, message, fields) }

    /// Writes a finding as one line; in JSON its parts are also fields.
    public static func finding(_ finding: Finding) {
        let level: Level =
            switch finding.severity {
            case .error: .error
            case .warning: .warning
            case .note: .info
            }
        var fields: Fields = [("rule", .string(finding.rule.description)), ("file", .string(finding.file))]
        if let start = finding.range?.start {
            fields += [("line", .integer(start.line)), ("column", .integer(start.column))]
        }
        if let fix = finding.fix { fields.append(("fix", .string(fix))) }
        write(level, finding.line, fields)
    }

    /// False if no server has started, so that the caller must report the message itself.
    @discardableResult
    public static func write(_ level: Level, _ message: String, _ fields: Fields = []) -> Bool {
        guard let settings = settings.withLock({ $0 }) else { return false }
        guard level <= settings.level else { return true }
        let priority = isJournal ? "<\(level.rawValue)>" : ""
        let time = isJournal ? nil : Log.time(milliseconds: Clock.wallNanoseconds() / 1_000_000)
        let text = priority + line(settings.format, time, level, message, fields)
        let count = text.utf8.count
        let isRoom = waiting.withLock { waiting in
            let isRoom = waiting.byteCount + count <= waitingBytesMax
            if isRoom { waiting.byteCount += count } else { waiting.lostCount += 1 }
            return isRoom
        }
        if !isRoom { return true }
        if let writer = writer.withLock({ $0 }) {
            writer.add { writeAside(text, count) }
        } else {
            early.withLock { $0.append(text) }
        }
        return true
    }

    private static func writeAside(_ line: String, _ byteCount: Int) -> Never? {
        Console.error(line: line)
        let lostCount = waiting.withLock { waiting in
            waiting.byteCount -= byteCount
            defer { waiting.lostCount = 0 }
            return waiting.lostCount
        }
        if lostCount > 0 { warning("\(Count.of(lostCount, "line")) of this log lost, because its reader was too slow") }
        return nil
    }

    /// The line of one event, without the line end.
    static func line(
        _ format: ProcessLogSettings.Format, _ time: String?, _ level: Level, _ message: String, _ fields: Fields
    ) -> String {
        switch format {
        case .text: return Printable.line("\(time.map { "\($0) " } ?? "")\(level.name) \(message)")
        case .json:
            let members =
                (time.map { [("time", SourceValue.string($0))] } ?? [])
                + [("level", .string(level.name)), ("msg", .string(Printable.line(message)))]
                + fields.map { ($0.0, printable($0.1)) }
            return String(decoding: SourceWriter.minified(.object(members)), as: UTF8.self)
        }
    }

    /// JSON escapes control characters, but not those that reverse the direction of text.
    private static func printable(_ value: SourceValue) -> SourceValue {
        value.asString.map { .string(Printable.line($0)) } ?? value
    }

    /// `2026-11-22T13:40:06.123Z`
    private static func time(milliseconds: Int64) -> String {
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "\(HTTPDate.timestamp(milliseconds / 1_000).dropLast()).\(fraction)Z"
    }
}
