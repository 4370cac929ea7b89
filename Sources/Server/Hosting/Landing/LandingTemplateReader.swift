// Parses a template: its placeholders, the parts that depend on a value, and their context in the HTML.

import TLS

struct LandingTemplateReader {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var markup = MarkupScanner()

    /// The hashes of inline scripts.
    private(set) var scripts: [String] = []
    private var script: [UInt8] = []

    private static let partsMax = 8
    /// They become a header field, whose length is limited.
    private static let scriptsMax = 16

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func pieces() throws(LandingTemplate.Problem) -> [LandingTemplate.Piece] {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw problem("the template is not UTF-8") }
        let pieces = try pieces(upTo: nil, depth: 0)
        guard markup.state == .text else { throw problem("the template ends in the middle of a tag or a script") }
        guard scripts.count <= LandingTemplateReader.scriptsMax else {
            throw problem("the template has more than \(LandingTemplateReader.scriptsMax) inline scripts")
        }
        return pieces
    }

    /// The pieces up to the end of a part or of the template.
    private mutating func pieces(
        upTo end: LandingTemplate.Place?, depth: Int
    ) throws(LandingTemplate.Problem) -> [LandingTemplate.Piece] {
        var pieces: [LandingTemplate.Piece] = []
        while true {
            let text = takeText()
            if !text.isEmpty { pieces.append(.text(text)) }
            guard index < bytes.count else {
                if let end { throw problem("the part {{#\(end)}} has no {{/\(end)}}") }
                return pieces
            }
            let tag = try takeTag()
            switch tag.sign {
            case UInt8(ascii: "/"):
                guard tag.place == end else { throw problem("{{/\(tag.place)}} has no matching beginning") }
                return pieces
            case UInt8(ascii: "#"), UInt8(ascii: "^"):
                guard depth < LandingTemplateReader.partsMax else { throw problem("parts are nested too deeply") }
                guard markup.allowsParts else { throw problem("a part begins inside a tag, comment or script") }
                let before = markup
                let inner = try self.pieces(upTo: tag.place, depth: depth + 1)
                // The HTML context after the part must be the same whether it is shown or not.
                guard markup.isAlike(before) else {
                    throw problem("the part {{#\(tag.place)}} begins and ends in different HTML contexts")
                }
                pieces.append(.part(of: tag.place, isShownWhenEmpty: tag.sign == UInt8(ascii: "^"), inner))
            default:
                if let reason = markup.objection(to: tag.place) { throw problem("{{\(tag.place)}} \(reason)") }
                markup.passPlace()
                pieces.append(.place(tag.place))
            }
        }
    }

    /// The text up to the next placeholder.
    private mutating func takeText() -> [UInt8] {
        let start = index
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "{"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{") {
                break
            }
            if bytes[index] == 0x0A { line += 1 }
            let wasScript = markup.isInScript
            markup.pass(bytes[index])
            note(bytes[index], wasScript: wasScript)
            index += 1
        }
        return Array(bytes[start..<index])
    }

    /// Collects a script until it ends. Its end is recognised after `</script`, which does not belong to it.
    private mutating func note(_ byte: UInt8, wasScript: Bool) {
        if markup.isInScript {
            if wasScript { script.append(byte) }
        } else if wasScript {
            let text = script.dropLast(min(script.count, "</script".utf8.count))
            if !text.isEmpty {
                let digest = Digest.sha256(LandingTemplateReader.withPlainLineEnds(text))
                scripts.append("'sha256-\(Digest.base64(digest))'")
            }
            script = []
        }
    }

    /// Browsers replace all line ends with line feeds before they compute the hash (HTML, "preprocessing the input stream").
    private static func withPlainLineEnds(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        var isBehindReturn = false
        for byte in text {
            if byte != 0x0A || !isBehindReturn { plain.append(byte == 0x0D ? 0x0A : byte) }
            isBehindReturn = byte == 0x0D
        }
        return plain
    }

    /// `{{name}}`, `{{#name}}`, `{{^name}}` or `{{/name}}`.
    private mutating func takeTag() throws(LandingTemplate.Problem) -> (sign: UInt8?, place: LandingTemplate.Place) {
        let rest = bytes[(index + 2)...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")), end + 1 < bytes.count,
            bytes[end + 1] == UInt8(ascii: "}"), end - index < 64
        else { throw problem("{{ has no }}") }
        var words = bytes[(index + 2)..<end].filter { $0 != 0x20 }
        var sign: UInt8?
        if let first = words.first, "#^/".utf8.contains(first) {
            sign = first
            words.removeFirst()
        }
        let name = String(decoding: words, as: UTF8.self)
        guard let place = LandingTemplate.Place(rawValue: name) else {
            let known = LandingTemplate.Place.allCases.map(\.rawValue).joined(separator: ", ")
            throw problem("unknown placeholder {{\(name)}} (known: \(known))")
        }
        index = end + 2
        return (sign, place)
    }

    private func problem(_ message: String) -> LandingTemplate.Problem {
        LandingTemplate.Problem(message: message, line: line)
    }
}
