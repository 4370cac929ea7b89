// A body in several parts (RFC 9110 §15.3.7.2), for clients that ask for several ranges at once. Its lines are written while it
// is sent, and each range is sent without a copy, like a single one: the body is never assembled in memory.

import Catalogue
import HTTP

/// The unsent rest of a body in several parts.
struct Multipart {
    private let form: AnswerForm
    private let ranges: ByteRanges
    /// The number of the next part; after the last part comes the final line.
    private var next = 0

    init(_ ranges: ByteRanges, of form: AnswerForm) { (self.ranges, self.form) = (ranges, form) }

    /// The length of the rest.
    func byteCount(boundaryCount: Int) -> Int {
        if next > ranges.count { return 0 }
        var count = boundaryCount + 8
        for index in next..<ranges.count {
            let range = ranges[index]
            let numbers = [range.lowerBound, range.upperBound - 1, form.bodyCount]
            unsafe count += boundaryCount + 6 + form.contentType.count + WireText.range.utf8CodeUnitCount
            count += numbers.reduce(6) { $0 + Multipart.digitCount($1) } + range.count
        }
        return count
    }

    private static func digitCount(_ number: Int) -> Int {
        var (count, rest) = (1, number / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }

    /// Writes the lines before the next part and returns the part; after the last one, writes the final line and returns an
    /// empty body. Nil when all has been written.
    mutating func writeNext(into output: inout Output, boundary: [UInt8]) -> Body? {
        guard next <= ranges.count else { return nil }
        defer { next += 1 }
        output.append("\r\n--")
        unsafe boundary.withUnsafeBytes { unsafe output.append($0) }
        if next == ranges.count {
            output.append("--\r\n")
            return Body.none
        }
        let range = ranges[next]
        output.append("\r\n")
        unsafe output.append(form.contentType)
        output.append(range, of: form.bodyCount)
        output.append("\r\n\r\n")
        return form.part(range)
    }
}
