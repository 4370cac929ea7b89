// Helpers for texts: quotation in messages, searches by bytes, and classes of characters.

package import SourceJSON

extension String {
    /// The text in the quotation marks of messages. Control, format and line-separating characters are written as `\u{…}`,
    /// and a long text is cut.
    package var quoted: String {
        var result = "`"
        var count = 0
        for scalar in unicodeScalars {
            guard count < Self.quotedScalarsMax else {
                result += "…"
                break
            }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "`"
    }

    /// About two thirds of a terminal line.
    private static let quotedScalarsMax = 60

    package var jsonQuoted: String { SourceWriter.quoted(self) }

    /// The text without the last bytes, which must be whole scalars.
    package func dropping(lastBytes count: Int) -> String { String(Substring(utf8.dropLast(count))) }

    /// The text without the first bytes, which must be whole scalars.
    package func dropping(firstBytes count: Int) -> String { String(Substring(utf8.dropFirst(count))) }

    /// The path without a slash at its end, unless it is only that.
    package var withoutTrailingSlash: String { utf8.count > 1 && ends(with: "/") ? dropping(lastBytes: 1) : self }

    /// Without white space and invisible marks at both ends.
    package func trimmingSpaces() -> String {
        if let first = unicodeScalars.first, let last = unicodeScalars.last, !first.isInvisible, !last.isInvisible {
            return self
        }
        let scalars = Array(unicodeScalars)
        guard let first = scalars.firstIndex(where: { !$0.isInvisible }),
            let last = scalars.lastIndex(where: { !$0.isInvisible })
        else { return "" }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars[first...last])
        return String(result)
    }

    /// The string with each scalar folded by itself.
    package var folded: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(scalar.folded) }
        return String(result)
    }
}

extension String {
    /// As the name of a file, with ASCII letters and digits, which every shell and archive can handle. A letter with an accent loses
    /// it: `muller` for Müller.
    package var fileStem: String {
        let prefix = "LATIN SMALL LETTER "
        let letters = lowercased().unicodeScalars.compactMap { scalar -> Character? in
            if scalar.isASCII { return Character(scalar) }
            // Such as LATIN SMALL LETTER U WITH DIAERESIS.
            guard let words = scalar.properties.name, words.begins(with: prefix) else { return nil }
            return words.dropFirst(prefix.count).split(separator: " ").first.flatMap { $0.count == 1 ? $0.first : nil }
        }
        let stem = String(letters).lowercased().filter { $0.isLetter || $0.isNumber }
        return stem.isEmpty ? "app" : stem
    }

    /// The text as one word of a shell.
    package var shellWord: String {
        let isPlain =
            !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ":/._-~%@,+=".contains($0)) }
        return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}

extension StringProtocol {
    package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    package func ends(with suffix: String) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

    /// Whether the bytes of `run` occur in it; for short texts.
    package func contains(run: String) -> Bool {
        guard let first = run.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            if rest[start...].starts(with: run.utf8) { return true }
            rest = rest[rest.index(after: start)...]
        }
        return false
    }
}

extension [String] {
    /// Without repetitions; for short lists.
    var eachOnce: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

/// A number and what it counts.
public enum Count {
    /// - Parameter many: the plural, if it is not `one` with an `s`.
    public static func of(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? "\(one)s")"
    }
}

extension Unicode.Scalar {
    package var isDigit: Bool { ("0"..."9").contains(self) }
    package var isLowerLetter: Bool { ("a"..."z").contains(self) }
    package var isUpperLetter: Bool { ("A"..."Z").contains(self) }
    package var isLetter: Bool { isLowerLetter || isUpperLetter }
    package var isHexDigit: Bool { isDigit || ("a"..."f").contains(self) || ("A"..."F").contains(self) }

    /// White space and the invisible marks that are copied with text from a window.
    package var isInvisible: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0xA0, 0x200B...0x200F, 0x2028...0x202F, 0x2060, 0x3000, 0xFEFF: true
        default: false
        }
    }

    /// Lower case, one scalar at a time: a mapping to several scalars does not change the scalar (reference A.6.7).
    package var folded: Unicode.Scalar {
        if value < 0x80 { return Unicode.Scalar(UInt8(value).lowercasedASCII) }
        let mapped = properties.lowercaseMapping.unicodeScalars
        guard let only = mapped.first, mapped.count == 1 else { return self }
        return only
    }
}

extension Array {
    /// The index of the first element that satisfies a condition, or the end, by binary search: all elements after it
    /// satisfy it too.
    package func firstIndexInSorted(where isPast: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    package func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension SourceValue {
    package var typeName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package static func strings(_ texts: [String]) -> SourceValue { array(texts.map { .string($0) }) }

    /// An object without the members whose value is nil.
    package static func object(present members: [(String, SourceValue?)]) -> SourceValue {
        object(members.compactMap { key, value in value.map { (key, $0) } })
    }
}
