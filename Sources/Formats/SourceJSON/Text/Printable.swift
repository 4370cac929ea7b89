// Source text in messages. It comes from untrusted files and goes to terminals and logs, so it is cut, and characters that
// control a terminal or the reading direction are replaced.

/// Makes text safe to show.
public enum Printable {
    /// A line that is safe to show: line breaks and control characters are replaced by a visible character.
    public static func line(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(visible(scalar)) }
        return String(shown)
    }

    /// Several lines, each safe to show. Bold and colours (`ESC [ n m`) are kept if the caller added them itself.
    public static func lines(_ text: String, keepingStyles: Bool = false) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == Byte.lineFeed }) { return text }
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", keepingStyles, rest.first == "[",
                let end = rest.prefix(4).firstIndex(of: "m"),
                rest[..<end].dropFirst().allSatisfy({ ("0"..."9").contains($0) })
            {
                shown.append(scalar)
                shown.append(contentsOf: rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                shown.append(scalar == "\n" ? scalar : visible(scalar))
            }
        }
        return String(shown)
    }

    /// At most `scalarsMax` scalars of well-formed UTF-8, each control or format character replaced by a visible one.
    static func text(_ bytes: ArraySlice<UInt8>, scalarsMax: Int) -> String {
        // A scalar has at most four bytes; the rest would not be shown and is not decoded.
        let slice = bytes.prefix((scalarsMax + 1) * 4)
        var shown = String.UnicodeScalarView()
        var count = 0
        for scalar in String(decoding: slice, as: UTF8.self).unicodeScalars {
            guard count < scalarsMax else {
                shown.append("…")
                break
            }
            shown.append(visible(scalar))
            count += 1
        }
        return String(shown)
    }

    /// The scalar itself, a space for a tab, or U+FFFD for control and invisible characters.
    static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.isASCII {
            return scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : scalar == "\t" ? " " : "\u{FFFD}"
        }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "\u{FFFD}"
        default: scalar
        }
    }

    /// Whether the scalar controls a terminal (DEL, C1, line and paragraph separators) or the direction of text. All of them have at
    /// most four digits.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// `U+0009 (tab)`, `U+00A0 (no-break space)`; only the number if there is no common name.
    static func name(_ scalar: Unicode.Scalar) -> String {
        names[scalar.value].map { "\(scalar.codePoint) (\($0))" } ?? scalar.codePoint
    }

    private static let names: [UInt32: String] = [
        0x00: "null", 0x08: "backspace", 0x09: "tab", 0x0A: "line feed", 0x0B: "vertical tab", 0x0C: "form feed",
        0x0D: "carriage return", 0x1B: "escape", 0x7F: "delete", 0xA0: "no-break space", 0xAD: "soft hyphen",
        0x200B: "zero width space", 0x200C: "zero width non-joiner", 0x200D: "zero width joiner",
        0x200E: "left-to-right mark", 0x200F: "right-to-left mark", 0x2028: "line separator",
        0x2029: "paragraph separator", 0x202F: "narrow no-break space", 0x2060: "word joiner",
        0x3000: "ideographic space", 0xFEFF: "byte order mark", 0xFFFD: "replacement character",
    ]
}

extension Unicode.Scalar {
    /// Such as `U+00E9`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
