// Puts the text of a landing page together. Everything that comes from an app file is escaped for text and for attributes
// in double quotes, which are the only two places that such pages put it.

import Catalogue

/// The segments of a page, as far as it is written.
struct LandingText {
    private var finished: [LandingSegment] = []
    private var text: [UInt8] = []

    /// All of it, when the last text is in.
    var segments: [LandingSegment] { text.isEmpty ? finished : finished + [LandingSegment(text, then: .none)] }

    /// Adds text of the page's own.
    mutating func add(_ markup: String) { text += markup.utf8 }

    mutating func add(_ markup: [UInt8]) { text += markup }

    /// Adds text of an app file's.
    mutating func add(escaping words: String) {
        // Few words have anything to escape.
        if !words.utf8.contains(where: LandingText.isEscaped) { return text += words.utf8 }
        for byte in words.utf8 {
            switch byte {
            case UInt8(ascii: "&"): text += "&amp;".utf8
            case UInt8(ascii: "<"): text += "&lt;".utf8
            case UInt8(ascii: ">"): text += "&gt;".utf8
            case UInt8(ascii: "\""): text += "&quot;".utf8
            case UInt8(ascii: "'"): text += "&#39;".utf8
            default: text.append(byte)
            }
        }
    }

    mutating func addMeta(_ attribute: String, _ name: String, content: (inout LandingText) -> Void) {
        for part in ["<meta ", attribute, "=\"", name, "\" content=\""] { add(part) }
        content(&self)
        add("\">\n")
    }

    /// Adds the place for the request's link: its host, path and query.
    mutating func addLink(_ insertion: LinkInsertion) { end(insertion) }

    /// Adds the request's link with the app's custom scheme: `scheme:///path?query`. The host is left out, because the
    /// first segment of a route is what an app expects there.
    mutating func addAppLink(scheme: String) {
        add(escaping: "\(scheme)://")
        addLink(.route)
    }

    /// Ends what pages of several apps have in common, so that it is stored once.
    mutating func endSegment() { end(.none) }

    private mutating func end(_ insertion: LinkInsertion) {
        finished.append(LandingSegment(text, then: insertion))
        text = []
        text.reserveCapacity(LandingText.segmentBytes)
    }

    /// What a segment has as a rule.
    private static let segmentBytes = 512

    private static func isEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
