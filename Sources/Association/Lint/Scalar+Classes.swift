// The few character classes that association files are written in. ASCII only: whatever Unicode says, a team id has no
// full-width digits.

extension Unicode.Scalar {
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isLowerLetter: Bool { ("a"..."z").contains(self) }
    var isUpperLetter: Bool { ("A"..."Z").contains(self) }
    var isLetter: Bool { isLowerLetter || isUpperLetter }
    var isHexDigit: Bool { isDigit || ("a"..."f").contains(self) || ("A"..."F").contains(self) }

    /// White space and the marks without width that come along when text is copied from a window.
    var isInvisible: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0xA0, 0x200B...0x200F, 0x2028...0x202F, 0x2060, 0x3000, 0xFEFF: true
        default: false
        }
    }
}

extension String {
    /// Without white space and invisible marks at both ends.
    func trimmingSpaces() -> String {
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
}
