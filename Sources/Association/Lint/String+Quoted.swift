// Text from a file inside a message: short, on one line and without control characters, whatever the file holds.

extension String {
    /// The text in quotation marks of a message. Control, format and line-separating characters are written as
    /// `\u{…}`, and what is longer than a line is cut.
    var quoted: String {
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
}
