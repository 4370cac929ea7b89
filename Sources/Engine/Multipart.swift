// A body in several parts (RFC 9110 §15.3.7.2), for clients that ask for several stretches at once. It is rare, so it is
// put together in memory of its own and simply sent.

import Catalogue
import HTTP
import Posix

enum Multipart {
    /// The parts together, in bytes; asking for more gets the whole.
    static let bytesMax = 1_048_576

    /// The parts as bytes, or nil when a file cannot be read any more.
    static func body(_ ranges: ByteRanges, of form: AnswerForm, boundary: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ranges.totalCount + ranges.count * 256)
        for index in 0..<ranges.count {
            let range = ranges[index]
            bytes += "\r\n--".utf8
            bytes += boundary
            bytes += "\r\n".utf8
            bytes += form.contentType
            bytes += "content-range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(form.bodyCount)\r\n\r\n".utf8
            guard let file = form.file else {
                bytes += form.body[range]
                continue
            }
            guard let part = read(file, range) else { return nil }
            bytes += part
        }
        bytes += "\r\n--".utf8
        bytes += boundary
        bytes += "--\r\n".utf8
        return bytes
    }

    private static func read(_ file: Int32, _ range: Range<Int>) -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: range.count)
        var count = 0
        while count < part.count {
            let outcome = part.withUnsafeMutableBytes {
                receive(
                    file: file, from: range.lowerBound + count,
                    into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }
            guard case .moved(let step) = outcome else { return nil }
            count += step
        }
        return part
    }
}
