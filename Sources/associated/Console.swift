// Where the program speaks: results on standard output, everything else on standard error.

import Association
import Glibc
import Posix
import SourceJSON
import Synchronization

enum Console {
    /// Why standard output took no more; nil as long as it does.
    private static let lost = Mutex<SystemError?>(nil)

    /// False when nobody gets any of it any more, so that nothing further need be thought of.
    @discardableResult
    static func output(_ text: String) -> Bool { output(Array(text.utf8)) }

    @discardableResult
    static func output(_ bytes: [UInt8]) -> Bool {
        guard let error = write(bytes, to: STDOUT_FILENO) else { return true }
        lost.withLock { $0 = $0 ?? error }
        return false
    }

    /// What is wrong with the output, for whoever relies on it being whole. A reader that has seen enough is no mistake.
    static var outputProblem: String? {
        lost.withLock { $0 }.flatMap { error in
            error.number == EPIPE ? nil : "cannot write to standard output: \(error.reason)"
        }
    }

    /// Nobody is told when nobody can be: a closed standard error must not end a server.
    static func error(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// A sentence of the program about what it was asked to do, as one line, whatever names stand in it.
    static func complain(_ message: String) { error("associated: \(Printable.line(message))\n") }

    /// A finding as compilers write theirs.
    static func error(_ finding: Finding) {
        error("\(line(finding))\n")
    }

    /// The same without its end.
    static func line(_ finding: Finding) -> String {
        let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        let fix = finding.fix.map { "; \($0)" } ?? ""
        return Printable.line(
            "\(finding.file)\(place): \(finding.severity.rawValue)[\(finding.rule)]: \(finding.message)\(fix)")
    }

    private static func write(_ bytes: [UInt8], to fd: Int32) -> SystemError? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return SystemError(call: "write", number: errno)
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
