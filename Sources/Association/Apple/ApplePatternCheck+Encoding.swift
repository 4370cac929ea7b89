// Patterns against the encoding of URLs: by default the URL is compared as it is encoded, with `percentEncoded: false`
// decoded; the pattern is taken as written both times.

extension ApplePatternCheck {
    /// `isForeign` says that the pattern was already found to be in another notation, whose signs are then not
    /// repeated.
    func encodingProblems(_ text: String, _ pattern: String, isForeign: Bool) -> [TextProblem] {
        var problems: [TextProblem] = []
        let escapes = Escapes(in: text)
        if percentEncoded {
            if let letter = text.unicodeScalars.first(where: isOnlyALetterWithoutCase) {
                problems.append(
                    TextProblem(
                        .aasa051,
                        "\(pattern.quoted) has U+\(String(letter.value, radix: 16, uppercase: true)), which a URL has only in "
                            + "encoded form; without case it is compared as \(String(letter.folded).quoted), so it matches that letter alone",
                        fix: "write the letter, or percent-encode it and compare case"))
            }
            if let bad = text.unicodeScalars.first(where: { isNeverInURL($0) && !isOnlyALetterWithoutCase($0) }) {
                problems.append(
                    TextProblem(
                        .aasa051,
                        "\(pattern.quoted) has \(String(bad).quoted), which a URL has only in encoded form, so the "
                            + "pattern never matches",
                        fix: "percent-encode it, or set percentEncoded to false", replacement: encoded(pattern)))
            }
            if let doubtful = text.unicodeScalars.first(where: { isDoubtful($0, isForeign: isForeign) }) {
                problems.append(
                    TextProblem(
                        .aasa051,
                        "\(pattern.quoted) has \(String(doubtful).quoted), which some clients percent-encode and some "
                            + "leave as it is, so it may not match",
                        fix: "write one rule for each spelling, or set percentEncoded to false"))
            }
            if escapes.hasLowerCase {
                problems.append(
                    TextProblem(
                        .aasa053,
                        "\(pattern.quoted) has lower-case digits after a percent sign; the comparison is exact, and "
                            + "most clients write upper case",
                        fix: "write upper-case digits", replacement: escapes.hasMalformed ? nil : upperCased(pattern)))
            }
            if escapes.hasMalformed {
                problems.append(
                    TextProblem(
                        .aasa054,
                        "\(pattern.quoted) has a percent sign without two hex digits, which no URL has, so it never "
                            + "matches",
                        fix: "write %25 for a percent sign"))
            }
        } else if escapes.hasValid {
            problems.append(
                TextProblem(
                    .aasa052,
                    "\(pattern.quoted) is encoded although percentEncoded is false: the URL is decoded and the pattern "
                        + "is not, so only links that are encoded twice match",
                    fix: "write the decoded character"))
        }
        if part == .query, text.contains(run: "+") {
            problems.append(
                TextProblem(
                    .aasa059,
                    "\(pattern.quoted) has a plus sign, which is not read as a space; clients write spaces as + or as "
                        + "%20",
                    fix: "write %20, or one rule for each spelling"))
        }
        return problems
    }

    /// What no URL reaches a phone with. The gap of a variable is none.
    private func isNeverInURL(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value != 0 && (!scalar.isASCII || Percent.isAlwaysEscaped(UInt8(truncatingIfNeeded: scalar.value)))
    }

    /// Compared without case, the Kelvin sign is a `k`, which URLs do have.
    private func isOnlyALetterWithoutCase(_ scalar: Unicode.Scalar) -> Bool {
        !caseSensitive && !scalar.isASCII && scalar.folded.isASCII
    }

    /// Outside the characters of RFC 3986 §3.3 and §3.4, and yet it does reach phones as it is; brackets occur in
    /// queries.
    private func isDoubtful(_ scalar: Unicode.Scalar, isForeign: Bool) -> Bool {
        switch scalar {
        case "\"", "`": true
        case "<", ">", "^", "{", "|", "}": !isForeign
        case "[", "]": !isForeign && part != .query && part != .fragment
        default: false
        }
    }

    /// Percent-encodes what may not stand as it is, outside of variables.
    private func encoded(_ pattern: String) -> String? {
        guard !pattern.contains(run: "$(") else { return nil }
        var result = ""
        for scalar in pattern.unicodeScalars {
            guard isNeverInURL(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                result += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private func upperCased(_ pattern: String) -> String? {
        guard !pattern.contains(run: "$(") else { return nil }
        var result = ""
        var digitsLeft = 0
        for scalar in pattern.unicodeScalars {
            result += digitsLeft > 0 ? String(scalar).uppercased() : String(scalar)
            digitsLeft = scalar == "%" ? 2 : max(0, digitsLeft - 1)
        }
        return result
    }

    /// The percent signs of a text.
    private struct Escapes {
        var hasValid = false
        var hasLowerCase = false
        var hasMalformed = false

        init(in text: String) {
            let scalars = Array(text.unicodeScalars)
            for index in scalars.indices where scalars[index] == "%" {
                let digits = scalars[(index + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy(\.isHexDigit) else {
                    // `%` before a wildcard may stand for any escape.
                    if !digits.contains(where: { $0 == "*" || $0 == "?" || $0.value == 0 }) { hasMalformed = true }
                    continue
                }
                hasValid = true
                if digits.contains(where: \.isLowerLetter) { hasLowerCase = true }
            }
        }
    }
}
