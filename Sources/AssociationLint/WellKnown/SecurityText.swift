// `security.txt` (RFC 9116): where to report vulnerabilities. Without a contact, or after its expiry date, it is invalid.

import Association
import SourceJSON

/// The lines of a file that decide whether it is valid.
struct SecurityText {
    private var hasContact = false
    /// The values of `Expires` with their lines.
    private var expiries: [(value: String, line: Int)] = []

    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first != UInt8(ascii: "#") else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = line[(colon + 1)...].filter { $0 > 0x20 && $0 < 0x7F }
            if name == "contact", !value.isEmpty { hasContact = true }
            if name == "expires" { expiries.append((String(decoding: value, as: UTF8.self), index + 1)) }
        }
    }

    func lint(now: Int64, _ findings: inout FindingList) {
        if !hasContact {
            findings.report(
                .srv010, at: nil, "`Contact` is missing, so the file is invalid",
                fix: "add a line such as `Contact: mailto:security@example.com`")
        }
        guard let expiry = expiries.first else {
            return findings.report(
                .srv010, at: nil, "`Expires` is missing, so the file is invalid",
                fix: "add a line such as `Expires: 2030-01-01T00:00:00Z`")
        }
        let range = SourceRange(at: SourcePosition(line: expiry.line, column: 1, offset: 0))
        if expiries.count > 1 {
            findings.report(
                .srv010, at: range, "there is more than one `Expires`, so the file is invalid", fix: "keep one")
        }
        guard let time = Timestamp.seconds(expiry.value) else {
            return findings.report(
                .srv010, at: range, "`Expires` is not a date of the form 2030-01-01T00:00:00Z",
                fix: "write it in that form")
        }
        if time <= now {
            findings.report(
                .srv010, at: range, "the file expired on \(expiry.value.prefix(10)), so it is invalid",
                fix: "review it and set a later date")
        }
    }
}
