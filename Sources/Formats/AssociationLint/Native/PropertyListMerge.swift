// Adds the entries of a generated property list to one of a project. The project's text is kept byte for byte: it only gets keys
// that it lacks, and elements of arrays.

public enum PropertyListMerge {
    /// The project's text with what it lacked; nil if it is not a property list in XML, or has another value for a key.
    public static func merged(_ generated: [UInt8], into own: [UInt8]) -> [UInt8]? {
        guard let new = dictionary(of: generated), let old = dictionary(of: own) else { return nil }
        var additions: [(container: XMLElement, elements: [XMLElement])] = [(old, [])]
        for (key, value) in pairs(of: new) {
            guard let known = pairs(of: old).first(where: { isSame($0.key, key) })?.value else {
                additions[0].elements += [key, value]
                continue
            }
            if isSame(known, value) { continue }
            guard known.name == "array", value.name == "array" else { return nil }
            additions.append((known, value.children.filter { child in !known.children.contains { isSame($0, child) } }))
        }
        guard !additions.contains(where: { closesItself($0.container, in: own) }) else { return nil }
        let unit = unit(of: old, in: own)
        let carriageReturn = UInt8(ascii: "\r")
        let hasCarriageReturns = own.firstIndex(of: newline).map { own[..<$0].last == carriageReturn } ?? false
        var result = own
        // From the end, so that the other places stay as they are.
        for (container, elements) in additions.sorted(by: {
            $0.container.content.upperBound > $1.container.content.upperBound
        })
        where !elements.isEmpty {
            let end = container.content.upperBound
            let outer = indentation(before: end, in: own)
            let inner = container.children.last.map { indentation(before: $0.tag.lowerBound, in: own) }
            let indent = Array(inner ?? outer + unit)
            let lines = elements.flatMap { indent + text(of: $0, in: generated, indent, unit) + [newline] }
            let isOnOwnLine = own[..<outer.startIndex].last == newline
            let added = (isOnOwnLine ? [] : [newline]) + lines
            result.insert(
                contentsOf: hasCarriageReturns
                    ? added.flatMap { $0 == newline ? [carriageReturn, newline] : [$0] } : added, at: outer.startIndex)
        }
        return result
    }

    private static let newline = UInt8(ascii: "\n")

    private static func dictionary(of text: [UInt8]) -> XMLElement? {
        guard let root = try? XMLReader.root(of: text), root.name == "plist", root.children.count == 1 else {
            return nil
        }
        return root.children.first { $0.name == "dict" && $0.children.count.isMultiple(of: 2) }
    }

    private static func pairs(of dictionary: XMLElement) -> [(key: XMLElement, value: XMLElement)] {
        stride(from: 0, to: dictionary.children.count, by: 2).map {
            (dictionary.children[$0], dictionary.children[$0 + 1])
        }
    }

    /// Whether two values are equal. White space between elements does not count.
    private static func isSame(_ one: XMLElement, _ other: XMLElement) -> Bool {
        one.name == other.name && one.children.count == other.children.count
            && (one.children.isEmpty ? one.text == other.text : zip(one.children, other.children).allSatisfy(isSame))
    }

    private static func closesItself(_ element: XMLElement, in text: [UInt8]) -> Bool {
        text[element.tag.upperBound - 2] == UInt8(ascii: "/")
    }

    /// What one level is indented by in the project's text.
    private static func unit(of dictionary: XMLElement, in text: [UInt8]) -> [UInt8] {
        let outer = indentation(before: dictionary.tag.lowerBound, in: text)
        let inner = dictionary.children.first.map { indentation(before: $0.tag.lowerBound, in: text) } ?? []
        return inner.count > outer.count ? Array(inner.dropFirst(outer.count)) : generatedUnit
    }

    /// One level in generated texts.
    private static let generatedUnit = Array("    ".utf8)

    /// An element with its tags, indented as in the project's text.
    private static func text(
        of element: XMLElement, in text: [UInt8], _ indent: [UInt8], _ unit: [UInt8]
    ) -> [UInt8] {
        let closing = closesItself(element, in: text) ? 0 : element.name.utf8.count + "</>".utf8.count
        let start = element.tag.lowerBound
        let lines = text[start..<element.content.upperBound + closing].split(separator: newline)
        let base = indentation(before: start, in: text).count
        return Array(lines[0])
            + lines.dropFirst().flatMap { line in
                let line = line.dropFirst(base)
                let content = line.drop { $0 == UInt8(ascii: " ") }
                let depth = (line.count - content.count) / generatedUnit.count
                return [newline] + indent + Array(repeatElement(unit, count: depth).joined()) + content
            }
    }

    /// The white space before a place, if there is nothing else on its line.
    private static func indentation(before place: Int, in text: [UInt8]) -> ArraySlice<UInt8> {
        let start = text[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let isBlank = text[start..<place].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isBlank ? text[start..<place] : text[place..<place]
    }
}
