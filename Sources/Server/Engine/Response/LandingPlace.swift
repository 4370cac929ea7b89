// Landing pages: prepared text into which the requested link is inserted. Only the few bytes of a link that have a meaning in a
// page are escaped.

import Catalogue
import HTTP

/// The parts of the requested URL, as ranges of the request.
struct RequestLocation {
    var host: ByteRange
    var path: ByteRange
    var query: ByteRange
}

/// A landing page and the requested link, whose bytes must still be in the input.
struct LandingPlace {
    private let page: Landing
    private let link: RequestLocation
    /// The length of the whole page.
    private(set) var byteCount = 0

    init(_ page: Landing, link: RequestLocation, _ request: Span<UInt8>) {
        (self.page, self.link) = (page, link)
        var count = 0
        unsafe forEachPiece(request) { count += $0.count }
        byteCount = count
    }

    /// Lends the final page in pieces. A target has no quotes, angle brackets or blanks, and a host has no byte that is escaped
    /// here.
    func forEachPiece(_ request: Span<UInt8>, _ body: (UnsafeRawBufferPointer) -> Void) {
        for index in 0..<page.segmentCount {
            let (text, insertion) = unsafe page[index]
            unsafe body(text)
            if insertion != .none {
                unsafe request.withUnsafeBytes { unsafe forEachPiece(ofLink: insertion, $0, body) }
            }
        }
    }

    /// The link, with or without its host.
    private func forEachPiece(
        ofLink insertion: LinkInsertion, _ request: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        if insertion == .referrer { return unsafe forEachPiece(ofReferrer: request, body) }
        if insertion != .route { unsafe body(UnsafeRawBufferPointer(rebasing: request[link.host.range])) }
        if link.path.count == 0 { unsafe emit("/", body) }
        unsafe escape(request[link.path.range], insertion, body)
        guard link.query.isPresent else { return }
        unsafe emit("?", body)
        unsafe escape(request[link.query.range], insertion, body)
    }

    /// The link as a parameter of another URL: every byte but the unreserved ones of RFC 3986 §2.3 is encoded, also `%`.
    private func forEachPiece(ofReferrer request: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let count = link.host.count + link.path.count + link.query.count
        guard count <= LinkInsertion.referrerBytesMax else { return }
        unsafe emit("&amp;referrer=https%3A%2F%2F", body)
        unsafe encode(request[link.host.range], body)
        if link.path.count == 0 { unsafe emit("%2F", body) }
        unsafe encode(request[link.path.range], body)
        guard link.query.isPresent else { return }
        unsafe emit("%3F", body)
        unsafe encode(request[link.query.range], body)
    }

    private func encode(_ bytes: Slice<UnsafeRawBufferPointer>, _ body: (UnsafeRawBufferPointer) -> Void) {
        let digits: StaticString = "0123456789ABCDEF"
        var start = unsafe bytes.startIndex
        for index in unsafe bytes.indices {
            let byte = unsafe bytes[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                continue
            default: break
            }
            if start < index { unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start..<index])) }
            unsafe emit("%", body)
            unsafe body(UnsafeRawBufferPointer(start: digits.utf8Start + Int(byte >> 4), count: 1))
            unsafe body(UnsafeRawBufferPointer(start: digits.utf8Start + Int(byte & 15), count: 1))
            start = index + 1
        }
        if unsafe start < bytes.endIndex { unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }

    private func escape(
        _ bytes: Slice<UnsafeRawBufferPointer>, _ insertion: LinkInsertion, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = unsafe bytes.startIndex
        for index in unsafe bytes.indices {
            let escaped: StaticString
            switch unsafe bytes[index] {
            case UInt8(ascii: "&"): escaped = "&amp;"
            case UInt8(ascii: "'"): escaped = "&#39;"
            case UInt8(ascii: ",") where insertion == .listItem: escaped = "%2C"
            default: continue
            }
            if start < index { unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start..<index])) }
            unsafe emit(escaped, body)
            start = index + 1
        }
        if unsafe start < bytes.endIndex { unsafe body(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }

    private func emit(_ text: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        unsafe body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
