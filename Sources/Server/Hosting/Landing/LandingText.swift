// Writes the text of a landing page. Values of app files are escaped for text and for double-quoted attributes, the only two
// places where pages have them.

import Catalogue

/// The segments written so far.
struct LandingText {
    private var finished: [LandingSegment] = []
    private var text: [UInt8] = []

    /// All segments. Call it at the end.
    var segments: [LandingSegment] { text.isEmpty ? finished : finished + [LandingSegment(text, then: .none)] }

    /// Adds HTML of the page itself.
    mutating func add(_ markup: String) { text += markup.utf8 }

    mutating func add(_ markup: [UInt8]) { text += markup }

    /// Adds a value of an app file.
    mutating func add(escaping words: String) {
        // Few values need escaping.
        if !words.utf8.contains(where: { LandingText.escaped($0) != nil }) { return text += words.utf8 }
        for byte in words.utf8 {
            if let escaped = LandingText.escaped(byte) { text += escaped.utf8 } else { text.append(byte) }
        }
    }

    mutating func addMeta(_ attribute: String, _ name: String, content: (inout LandingText) -> Void) {
        for part in ["<meta ", attribute, "=\"", name, "\" content=\""] { add(part) }
        content(&self)
        add("\">\n")
    }

    /// Inserts the link of the request here: its host, path and query.
    mutating func addLink(_ insertion: LinkInsertion) { end(insertion) }

    /// Inserts the link with the app's custom scheme, `scheme:///path?query`. The host is left out, because apps expect the first
    /// segment of a route there.
    mutating func addAppLink(scheme: String) {
        add(escaping: "\(scheme)://")
        addLink(.route)
    }

    /// Ends the segment that pages of several apps have in common, so that it is stored once.
    mutating func endSegment() { end(.none) }

    private mutating func end(_ insertion: LinkInsertion) {
        finished.append(LandingSegment(text, then: insertion))
        text = []
        text.reserveCapacity(LandingText.segmentBytes)
    }

    /// The usual size of a segment.
    private static let segmentBytes = 512

    private static func escaped(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}
