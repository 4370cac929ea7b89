// Follows HTML byte by byte to find out the context of a placeholder: text, an attribute's value, or a context in which no value
// is allowed. It is a browser's tokenizer (HTML §13.2.5) without the states that make no difference; in doubt, it reports a
// context that allows nothing.

struct MarkupScanner {
    /// The context of the next byte.
    enum State: Equatable {
        case text
        /// After `<`.
        case tagOpen
        /// After `</`.
        case endTagOpen
        case tagName
        /// In a tag, before an attribute or in its name.
        case inTag
        case attributeName
        /// After a name and white space; `=` may still follow.
        case afterName
        /// After `=`.
        case beforeValue
        case value(quote: UInt8)
        case unquotedValue
        /// After `<!` or `<?`, up to `>`.
        case declaration
        case comment
        /// The text of an element without tags inside, up to its end tag.
        case raw
    }

    private(set) var state = State.text
    private var isEndTag = false
    private var element: [UInt8] = []
    private var attribute: [UInt8] = []
    /// Whether the value is empty so far.
    private var isValueEmpty = true
    /// The last bytes, as many as are needed to recognise the end of a comment or raw element.
    private var recent: [UInt8] = []

    private static let rawElements: Set<String> = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext",
    ]
    /// Attributes that contain URLs.
    private static let urlAttributes: Set<String> = [
        "href", "src", "action", "formaction", "poster", "data", "cite", "background", "ping", "manifest", "srcset",
        "imagesrcset", "xlink:href", "codebase", "longdesc", "usemap",
    ]

    var isInScript: Bool { state == .raw && name == "script" }

    private var name: String { String(decoding: element, as: UTF8.self) }

    mutating func pass(_ byte: UInt8) {
        let byte = byte &- 0x41 < 26 ? byte | 0x20 : byte
        switch state {
        case .text: if byte == UInt8(ascii: "<") { state = .tagOpen }
        case .tagOpen, .endTagOpen: passOpening(byte)
        case .tagName, .inTag, .attributeName, .afterName, .beforeValue, .value, .unquotedValue: passTag(byte)
        case .declaration:
            recent.append(byte)
            if recent == [0x2D, 0x2D] { (state, recent) = (.comment, []) }
            if byte == UInt8(ascii: ">") { state = .text }
        case .comment:
            keep(byte, count: 3)
            // `<!-->` is a complete comment too.
            if recent.suffix(3) == [0x2D, 0x2D, 0x3E] || recent == [0x3E] || recent == [0x2D, 0x3E] { state = .text }
        case .raw:
            let end = [UInt8(ascii: "<"), UInt8(ascii: "/")] + element
            // The byte after the name decides whether this is the end tag.
            if recent == end, byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte <= 0x20 {
                (isEndTag, recent) = (true, [])
                state = byte == UInt8(ascii: ">") ? .text : .inTag
            } else {
                keep(byte, count: end.count)
            }
        }
    }

    private mutating func passOpening(_ byte: UInt8) {
        if byte &- 0x61 < 26 {
            isEndTag = state == .endTagOpen
            (element, state) = ([byte], .tagName)
        } else if state == .tagOpen, byte == UInt8(ascii: "/") {
            state = .endTagOpen
        } else if byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") || state == .endTagOpen {
            (recent, state) = ([], byte == UInt8(ascii: ">") ? .text : .declaration)
        } else {
            state = byte == UInt8(ascii: "<") ? .tagOpen : .text
        }
    }

    private mutating func passTag(_ byte: UInt8) {
        let isBlank = byte <= 0x20
        switch state {
        case .value(let quote):
            if byte == quote { state = .inTag } else { isValueEmpty = false }
        case .unquotedValue where isBlank: state = .inTag
        case .beforeValue where isBlank: break
        case .beforeValue where byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"):
            (state, isValueEmpty) = (.value(quote: byte), true)
        case _ where byte == UInt8(ascii: ">"): endTag()
        case .unquotedValue: break
        case .beforeValue: state = .unquotedValue
        case .tagName:
            if isBlank || byte == UInt8(ascii: "/") { state = .inTag } else { element.append(byte) }
        case _ where byte == UInt8(ascii: "/"): state = .inTag
        case .attributeName where byte == UInt8(ascii: "="), .afterName where byte == UInt8(ascii: "="):
            state = .beforeValue
        case .attributeName where isBlank: state = .afterName
        case .attributeName: attribute.append(byte)
        case _ where isBlank: break
        default: (attribute, state) = ([byte], .attributeName)
        }
    }

    private mutating func endTag() {
        recent = []
        state = !isEndTag && MarkupScanner.rawElements.contains(name) ? .raw : .text
    }

    private mutating func keep(_ byte: UInt8, count: Int) {
        recent.append(byte)
        if recent.count > count { recent.removeFirst() }
    }

    /// Whether the next byte has the same context.
    func isAlike(_ other: MarkupScanner) -> Bool {
        state == other.state && (state == .text || element == other.element && attribute == other.attribute)
    }

    /// Whether a conditional part may begin here.
    var allowsParts: Bool {
        switch state {
        case .text, .value: true
        case .raw: name == "title" || name == "textarea"
        default: false
        }
    }

    /// Notes that a value is inserted here.
    mutating func passPlace() { isValueEmpty = false }

    /// Why a value must not be inserted here; nil if it can be escaped.
    func objection(to place: LandingTemplate.Place) -> String? {
        switch state {
        case .text: return nil
        case .raw where name == "title" || name == "textarea":
            return place == .metadata ? "is in <\(name)>, but contains tags" : nil
        case .raw: return "is in <\(name)>, where values cannot be escaped"
        case .value: return objection(toValue: place)
        case .unquotedValue, .beforeValue: return "is in an attribute without quotes"
        case .comment, .declaration: return "is in a comment"
        case .tagOpen, .endTagOpen, .tagName, .inTag, .attributeName, .afterName: return "is inside a tag"
        }
    }

    private func objection(toValue place: LandingTemplate.Place) -> String? {
        let attribute = String(decoding: attribute, as: UTF8.self)
        if place == .metadata { return "is in an attribute, but contains tags" }
        if attribute.hasPrefix("on") || attribute == "style" || attribute == "srcdoc" {
            return "is in the attribute `\(attribute)`, where values cannot be escaped"
        }
        guard MarkupScanner.urlAttributes.contains(attribute) else { return nil }
        if !place.isURL { return "is in the attribute `\(attribute)`, but is not a URL" }
        return isValueEmpty ? nil : "is a whole URL, but not at the beginning of the attribute `\(attribute)`"
    }
}
