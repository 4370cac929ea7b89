// Where the program speaks: results on standard output, everything else on standard error.

import Association
import Glibc
import SourceJSON

enum Console {
    static func output(_ text: String) { output(Array(text.utf8)) }

    static func output(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

    /// A finding as compilers write theirs.
    static func error(_ finding: Finding) {
        let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        let fix = finding.fix.map { "; \($0)" } ?? ""
        error("\(finding.file)\(place): \(finding.severity.rawValue)[\(finding.rule)]: \(finding.message)\(fix)\n")
    }

    /// Nobody is told when nobody can be: a closed standard error must not end a server.
    private static func write(_ bytes: [UInt8], to fd: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
