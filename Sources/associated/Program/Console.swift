// The only place that writes to standard output and standard error. Text for people is shown without the effect of what stands
// in it: a name or a message cannot end a line, colour a terminal or turn the direction of text. Data for programs is written as
// it is, unless it goes to a terminal. What a server says of itself is a line of the process log instead (Log).

import Association
import Glibc
import Hosting
import Posix
import SourceJSON
import Synchronization

enum Console {
    /// Why standard output took no more; nil as long as it does.
    private static let lost = Mutex<SystemError?>(nil)
    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    private static let errorIsTerminal = isatty(STDERR_FILENO) == 1

    /// Colour is for people who look at it and have not said that they want none (no-color.org).
    static let wantsColour =
        outputIsTerminal && (unsafe getenv("NO_COLOR").map { unsafe $0.pointee == 0 } ?? true)
        && (unsafe getenv("TERM").map { unsafe String(cString: $0) != "dumb" } ?? false)

    /// Writes lines for a person. False when there is no reader any more, so that nothing further need be found out.
    @discardableResult
    static func output(_ text: String) -> Bool {
        write(Printable.lines(text, keepingStyles: wantsColour), to: STDOUT_FILENO)
    }

    /// Writes a document, or what another program reads.
    @discardableResult
    static func output(data: [UInt8]) -> Bool {
        if outputIsTerminal { return output(String(decoding: data, as: UTF8.self)) }
        return write(data, to: STDOUT_FILENO)
    }

    /// What is wrong with the output, for those who rely on it being whole. A reader that has seen enough is no mistake.
    static var outputProblem: String? {
        lost.withLock { $0 }.flatMap { error in
            error.number == EPIPE ? nil : "cannot write to standard output: \(error.reason)"
        }
    }

    /// One line of output, whatever names stand in it.
    static func output(line: String) { output("\(Printable.line(line))\n") }

    /// Writes one line for a person beside the results, whatever names stand in it. A closed standard error must not end a
    /// server.
    static func error(line: String) { write("\(Printable.line(line))\n", to: STDERR_FILENO) }

    /// A text of the program's own, with no names in it.
    static func error(help text: String) { write(Printable.lines(text), to: STDERR_FILENO) }

    /// A question, behind which the answer is typed.
    static func ask(_ question: String) { write(Printable.line(question), to: STDERR_FILENO) }

    /// A sentence of the program about what it was asked to do. In a server it is an event of its log.
    static func complain(_ message: String) {
        if !Log.write(.error, message) { error(line: "associated: \(message)") }
    }

    /// A finding as compilers write theirs.
    static func error(_ finding: Finding) { error(line: line(finding)) }

    /// The same without its end.
    static func line(_ finding: Finding) -> String {
        let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        let fix = finding.fix.map { "; \($0)" } ?? ""
        return Printable.line(
            "\(finding.file)\(place): \(finding.severity.rawValue)[\(finding.rule)]: \(finding.message)\(fix)")
    }

    /// How far something has come, in a line that the next one takes the place of; nil clears it.
    static func progress(_ text: String?) {
        guard errorIsTerminal else { return }
        write("\r\(text.map(Printable.line) ?? "\u{1B}[K")", to: STDERR_FILENO)
    }

    @discardableResult
    private static func write(_ text: String, to fd: Int32) -> Bool { write(Array(text.utf8), to: fd) }

    private static func write(_ bytes: [UInt8], to fd: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(fd, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError(call: "write", number: errno)
                if fd == STDOUT_FILENO { lost.withLock { $0 = $0 ?? error } }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
