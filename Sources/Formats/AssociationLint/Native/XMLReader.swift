// Reads the part of XML that entitlements and manifests use: elements, attributes, text, CDATA, comments and the five
// entities. It skips a document type and never reads another file. One pass, with limits on depth and size.

import Association
import SourceJSON

/// Reads one XML text.
struct XMLReader {
    /// Where and why a text is not well-formed XML.
    struct Fault: Error, Equatable {
        var offset: Int
        var reason: String
    }

    private static let depthMax = 64
    private static let elementsMax = 100_000

    private let bytes: [UInt8]
    private var index = 0
    private var open: [XMLElement] = []
    private var count = 0

    /// The outermost element.
    static func root(of bytes: [UInt8]) throws(Fault) -> XMLElement {
        var reader = XMLReader(bytes: bytes)
        return try reader.read()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func read() throws(Fault) -> XMLElement {
        while true {
            let start = index
            index = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            if !open.isEmpty { open[open.count - 1].text += Self.unescaped(bytes[start..<index]) }
            guard index < bytes.count else { throw fault("it ends before its last element is closed") }
            if try skipAside() { continue }
            if starts(with: "</") {
                if let root = try close() { return root }
            } else if let root = try openElement() {
                return root
            }
        }
    }

    /// Skips a comment, an instruction or a document type, and reads CDATA. False if there is none of them.
    private mutating func skipAside() throws(Fault) -> Bool {
        if starts(with: "<!--") {
            try skip(past: "-->")
        } else if starts(with: "<![CDATA[") {
            let start = index + 9
            try skip(past: "]]>")
            let text = String(decoding: bytes[min(start, index - 3)..<index - 3], as: UTF8.self)
            if !open.isEmpty { open[open.count - 1].text += text }
        } else if starts(with: "<?") {
            try skip(past: "?>")
        } else if starts(with: "<!") {
            let end = bytes[index...].firstIndex { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: ">") }
            if let end, bytes[end] == UInt8(ascii: "[") { try skip(past: "]") }
            try skip(past: ">")
        } else {
            return false
        }
        return true
    }

    /// Closes the innermost element. Returns it if it is the outermost one.
    private mutating func close() throws(Fault) -> XMLElement? {
        let start = index
        index += 2
        let name = readName()
        skipSpace()
        guard starts(with: ">"), var element = open.popLast(), element.name.isIdentical(to: name) else {
            index = start
            throw fault("a closing tag has no opening tag")
        }
        index += 1
        element.content = element.content.lowerBound..<start
        return place(element)
    }

    /// Reads a start tag. Returns the element if it is the outermost one and closes itself.
    private mutating func openElement() throws(Fault) -> XMLElement? {
        let start = index
        index += 1
        let name = readName()
        count += 1
        guard !name.isEmpty else { throw fault("a tag has no name") }
        guard open.count < Self.depthMax, count <= Self.elementsMax else { throw fault("it has too many elements") }
        var element = XMLElement(name: name, tag: start..<start, content: start..<start)
        while true {
            skipSpace()
            guard index < bytes.count else { throw fault("it ends inside a tag") }
            if starts(with: "/>") || starts(with: ">") { break }
            element.attributes.append(try attribute())
        }
        let isEmpty = starts(with: "/>")
        index += isEmpty ? 2 : 1
        element.tag = start..<index
        element.content = index..<index
        if isEmpty { return place(element) }
        open.append(element)
        return nil
    }

    private mutating func attribute() throws(Fault) -> (name: String, value: String) {
        let name = readName()
        skipSpace()
        guard !name.isEmpty, starts(with: "=") else { throw fault("an attribute has no value") }
        index += 1
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'"),
            let end = bytes[(index + 1)...].firstIndex(of: bytes[index])
        else { throw fault("an attribute has no quotation marks") }
        let value = Self.unescaped(bytes[(index + 1)..<end])
        index = end + 1
        return (name, value)
    }

    private mutating func place(_ element: XMLElement) -> XMLElement? {
        if open.isEmpty { return element }
        open[open.count - 1].children.append(element)
        return nil
    }

    private func fault(_ reason: String) -> Fault { Fault(offset: index, reason: reason) }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func skip(past text: String) throws(Fault) {
        let start = index
        while index < bytes.count {
            if starts(with: text) {
                index += text.utf8.count
                return
            }
            index += 1
        }
        index = start
        throw fault("a comment or another section is not closed")
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func readName() -> String {
        let ends = Array(" \t\n\r/>=<\"'".utf8)
        let end = bytes[index...].firstIndex(where: ends.contains) ?? bytes.count
        defer { index = end }
        return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// The text with the five entities and numeric character references replaced. Other entities stay as they are.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            // The known entities are not longer.
            guard let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = character(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            else {
                result.append(rest[start])
                rest = rest[(start + 1)...]
                continue
            }
            result += String(scalar).utf8
            rest = rest[(end + 1)...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static func character(_ entity: String) -> Unicode.Scalar? {
        switch entity {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where entity.begins(with: "#x"): UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where entity.begins(with: "#"): UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }
}

/// One element of an XML text. Ranges are byte offsets.
struct XMLElement {
    var name: String
    var attributes: [(name: String, value: String)] = []
    var children: [XMLElement] = []
    /// The text directly in it, joined.
    var text = ""
    /// The start tag.
    var tag: Range<Int>
    /// Between the tags.
    var content: Range<Int>

    /// The value of an attribute with any namespace prefix.
    func attribute(_ name: String) -> String? {
        attributes.first { ($0.name.split(separator: ":").last ?? "").utf8.elementsEqual(name.utf8) }?.value
    }

    /// All elements with this name, at any depth, including itself. The reader limits the depth.
    func all(_ name: String) -> [XMLElement] {
        (self.name.isIdentical(to: name) ? [self] : []) + children.flatMap { $0.all(name) }
    }
}
