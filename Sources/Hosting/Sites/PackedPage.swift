// A page's gzip form from the same folder: `app.css.gz` beside `app.css`. Whoever builds pages can take more time to pack them
// than we do, and large ones are not packed here at all. It is used only when it is the same page.

import Catalogue
import Posix

enum PackedPage {
    static let suffix = ".gz"

    /// Why a packed page is not used.
    enum Problem: Error {
        case unreadable(FileError)
        case notGzip
        case otherContent
        case older
    }

    /// The packed form of a page in memory: it must unpack to the page, whatever the times of the two files are.
    static func content(_ file: OpenFile, of page: [UInt8]) throws(Problem) -> Representation.Content {
        // Incompressible bytes grow by a few in five of 16 KiB each, and by the header's name.
        guard file.byteCount <= page.count + page.count / 1_000 + 1_024 else { throw .otherContent }
        let packed: [UInt8]
        do { packed = try file.contents() } catch { throw .unreadable(error) }
        guard isGzip(packed) else { throw .notGzip }
        guard Gzip.unpacks(packed, to: page) else { throw .otherContent }
        return .bytes(packed)
    }

    /// The packed form of a page that stays in its file: not older than it, and of a page as long.
    static func content(_ file: OpenFile, of page: OpenFile) throws(Problem) -> Representation.Content {
        if file.modifiedNanoseconds < page.modifiedNanoseconds { throw .older }
        guard let start = bytes(of: file, at: 0, count: 3), isGzip(start),
            let end = bytes(of: file, at: file.byteCount - 4, count: 4)
        else { throw .notGzip }
        // RFC 1952 §2.3.1: the length before packing, modulo 2^32, is the last number of the file.
        let length = end.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard length == UInt32(truncatingIfNeeded: page.byteCount) else { throw .otherContent }
        return .file(file)
    }

    private static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

    private static func bytes(of file: OpenFile, at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let outcome = unsafe bytes.withUnsafeMutableBytes { unsafe receive(file: file.number, from: offset, into: $0) }
        guard case .moved(let moved) = outcome, moved == count else { return nil }
        return bytes
    }
}

extension PackedPage.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .unreadable(let error): "it cannot be read: \(error)"
        case .notGzip: "it is not in gzip form"
        case .otherContent: "what is packed in it is another page"
        case .older: "it is older than the page"
        }
    }
}
