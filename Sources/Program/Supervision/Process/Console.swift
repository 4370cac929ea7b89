// The only place that writes to standard output and standard error. Text for people is escaped: a name or a message cannot start
// a new line, colour a terminal or reverse the direction of text. Data for programs is written unchanged, except to a terminal.
// A server reports events in its process log instead (Log).

public import Association
import Libc
import Posix
import Settings
import SourceJSON
import Synchronization

public enum Console {
    /// Why writing to standard output failed; nil as long as it works.
    private static let outputError = Mutex<SystemError?>(nil)
    public static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    private static let errorIsTerminal = isatty(STDERR_FILENO) == 1

    /// Colour is used on a terminal only, and not with `NO_COLOR` (no-color.org).
    public static let wantsColour =
        outputIsTerminal && (unsafe getenv("NO_COLOR").map { unsafe $0.pointee == 0 } ?? true)
        && (unsafe getenv("TERM").map { unsafe String(cString: $0) != "dumb" } ?? false)

    /// Writes lines for a person. False if the reader is gone, so that the caller can stop.
    @discardableResult
    public static func output(_ text: String) -> Bool {
        write(Printable.lines(text, keepingStyles: wantsColour), to: STDOUT_FILENO)
    }

    /// Writes a document, or data for another program.
    @discardableResult
    public static func output(data: [UInt8]) -> Bool {
        if outputIsTerminal { return output(String(decoding: data, as: UTF8.self)) }
        return write(data, to: STDOUT_FILENO)
    }

    /// Why the output is incomplete; nil if it is complete, or if the reader has closed the pipe on purpose.
    public static var outputProblem: String? {
        outputError.withLock { $0 }.flatMap { error in
            error.number == EPIPE ? nil : "cannot write to standard output: \(error.reason)"
        }
    }

    /// Writes one line of output; names in it are escaped.
    public static func output(line: String) { output("\(Printable.line(line))\n") }

    /// Writes one line to standard error; names in it are escaped. A closed standard error must not stop a server.
    public static func error(line: String) { write("\(Printable.line(line))\n", to: STDERR_FILENO) }

    /// Writes a text of several lines to standard error.
    public static func error(help text: String) { write(Printable.lines(text), to: STDERR_FILENO) }

    /// Writes a question; the answer is typed in the same line.
    public static func ask(_ question: String) { write(Printable.line(question), to: STDERR_FILENO) }

    /// Reports a problem: on standard error, or in a server as an event of its log.
    public static func complain(_ message: String) {
        if !Log.write(.error, message) { error(line: "associated: \(message)") }
    }

    /// Writes a finding in the form that compilers use.
    public static func error(_ finding: Finding) { error(line: finding.line) }

    /// Shows progress on a terminal, in a line that the next call overwrites; nil clears it.
    public static func progress(_ text: String?) {
        guard errorIsTerminal else { return }
        write("\r\(text.map(Printable.line) ?? "\u{1B}[K")", to: STDERR_FILENO)
    }

    @discardableResult
    private static func write(_ text: String, to fd: Int32) -> Bool { write(Array(text.utf8), to: fd) }

    private static func write(_ bytes: [UInt8], to fd: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Libc.write(fd, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError(call: "write", number: errno)
                if fd == STDOUT_FILENO { outputError.withLock { $0 = $0 ?? error } }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
