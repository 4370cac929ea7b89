// A page's gzip form that the tenant provides: `app.css.gz` next to `app.css`. It can be compressed better than the server does
// in the time it has, and large pages have no other gzip form. It is used only if it contains the same page.

import Catalogue
import Posix

enum PrecompressedPage {
    static let suffix = ".gz"

    /// Why a gzip file is not used.
    enum Problem: Error {
        case unreadable(FileError)
        case notGzip
        case otherContent
        case older
    }

    /// For a page in memory: the file must unpack to the page, whatever its time.
    static func content(_ file: OpenFile, of page: [UInt8]) throws(Problem) -> Representation.Content {
        // Incompressible bytes grow by five in each 16 KiB, plus the name in the header.
        guard file.byteCount <= page.count + page.count / 1_000 + 1_024 else { throw .otherContent }
        let packed: [UInt8]
        do { packed = try file.contents() } catch { throw .unreadable(error) }
        guard isGzip(packed) else { throw .notGzip }
        guard Gzip.unpacks(packed, to: page) else { throw .otherContent }
        return .bytes(packed)
    }

    /// For a page that stays on disk: the file must not be older, and must state the length of the page.
    static func content(_ file: OpenFile, of page: OpenFile) throws(Problem) -> Representation.Content {
        if file.modifiedNanoseconds < page.modifiedNanoseconds { throw .older }
        guard let start = bytes(of: file, at: 0, count: 3), isGzip(start),
            let end = bytes(of: file, at: file.byteCount - 4, count: 4)
        else { throw .notGzip }
        // RFC 1952 §2.3.1: the last four bytes are the uncompressed length modulo 2^32.
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

extension PrecompressedPage.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .unreadable(let error): "it cannot be read: \(error)"
        case .notGzip: "it is not a gzip file"
        case .otherContent: "it contains another page"
        case .older: "it is older than the page"
        }
    }
}
