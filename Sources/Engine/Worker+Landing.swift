// Landing pages: prepared text, with the request's own link put in where the page says so. Nothing is computed but the
// escaping of the few bytes of a target that mean something in a page.

import Catalogue
import HTTP

extension Worker {
    /// Writes a whole landing page. A link that would make it longer than there is room for is too long for anybody.
    mutating func appendLanding(_ response: Response, isSecure: Bool, request: UnsafeRawBufferPointer) {
        guard let landing = response.landing else { return }
        var count = 0
        for index in 0..<landing.page.segmentCount {
            let (text, insertion) = landing.page[index]
            count += text.count
            Worker.forEachPiece(of: landing.link, request, insertion) { count += $0.count }
        }
        if count > Worker.copiedBodyBytesMax {
            var refusal = Response(status: .uriTooLong, isHeadOnly: response.isHeadOnly)
            refusal.closes = response.closes
            refusal.announcesKeepAlive = response.announcesKeepAlive
            return append(refusal, isSecure: isSecure)
        }
        append(response, isSecure: isSecure, length: count)
        if response.isHeadOnly { return }
        for index in 0..<landing.page.segmentCount {
            let (text, insertion) = landing.page[index]
            output.append(text)
            Worker.forEachPiece(of: landing.link, request, insertion) { output.append($0) }
        }
    }

    /// The link from its host, or its path, to its query, in pieces that stand in a page as they are. No quote, angle bracket or blank
    /// is among the bytes that a target may have, and a host has none of what is escaped here.
    static func forEachPiece(
        of link: RequestLocation, _ request: UnsafeRawBufferPointer, _ insertion: LinkInsertion,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        if insertion == .none { return }
        if insertion != .route { body(UnsafeRawBufferPointer(rebasing: request[link.host.range])) }
        if link.path.count == 0 { emit("/", body) }
        forEachPiece(of: UnsafeRawBufferPointer(rebasing: request[link.path.range]), insertion, body)
        guard link.query.isPresent else { return }
        emit("?", body)
        forEachPiece(of: UnsafeRawBufferPointer(rebasing: request[link.query.range]), insertion, body)
    }

    private static func forEachPiece(
        of bytes: UnsafeRawBufferPointer, _ insertion: LinkInsertion, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var start = 0
        for index in 0..<bytes.count {
            let escape: StaticString
            switch bytes[index] {
            case UInt8(ascii: "&"): escape = "&amp;"
            case UInt8(ascii: "'"): escape = "&#39;"
            case UInt8(ascii: ",") where insertion == .listItem: escape = "%2C"
            default: continue
            }
            if start < index { body(UnsafeRawBufferPointer(rebasing: bytes[start..<index])) }
            emit(escape, body)
            start = index + 1
        }
        if start < bytes.count { body(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
    }

    private static func emit(_ text: StaticString, _ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
