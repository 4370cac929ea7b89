// One label of a host name, in ASCII or in any script, and the rules that clients have for it: RFC 5891 §4.2 and §5.4 (IDNA 2008), as far
// as browsers apply them (UTS 46 §4.1 without CheckHyphens). Rules that need tables which Swift does not have are left out: those
// for the direction of text, and for characters that are allowed only next to certain others.

import SourceJSON

public enum HostLabel {
    /// Why a label with `xn--` is not what an encoder makes of any name.
    public enum Flaw: Hashable, Sendable {
        /// It cannot be decoded, or another text is encoded to it.
        case notPunycode
        /// A capital letter, a wide or ignored character: clients replace it before they encode a name.
        case replaced(Unicode.Scalar)
        case notAllowed(Unicode.Scalar)
        /// Clients compose characters and sort marks before they encode a name.
        case notNormal
        case leadingMark(Unicode.Scalar)

        var reason: String {
            switch self {
            case .notPunycode: "is not valid Punycode"
            case .replaced(let scalar): "contains \(scalar.visibleName), which clients replace by another character"
            case .notAllowed(let scalar): "contains \(scalar.visibleName), which is not allowed in a name"
            case .notNormal: "contains characters that clients compose or sort differently"
            case .leadingMark(let scalar): "begins with the combining mark \(scalar.codePoint)"
            }
        }
    }

    /// The label as clients request it: in lower-case ASCII.
    static func ascii(_ label: Substring) -> Result<String, HostPattern.Fault> {
        if label.isEmpty { return .failure(.emptyLabel) }
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return checked(label.lowercased()) }
        let lowered = Array(label.lowercased().unicodeScalars)
        for scalar in lowered {
            guard scalar == "-" || isOfWords(scalar) else { return .failure(.character(scalar)) }
            guard isCertainlyNormal(scalar) else { return .failure(.ambiguousCharacter(scalar)) }
        }
        if lowered.first == "-" || lowered.last == "-" { return .failure(.hyphenAtEdge(String(label))) }
        guard let encoded = Punycode.encode(lowered) else { return .failure(.labelTooLong(String(label))) }
        let ascii = "xn--" + encoded
        return ascii.utf8.count > 63 ? .failure(.labelTooLong(String(label))) : .success(ascii)
    }

    /// Checks a label in lower-case ASCII: letters, digits and inner hyphens (RFC 1123 §2.1), 63 bytes at most.
    private static func checked(_ label: String) -> Result<String, HostPattern.Fault> {
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", "-": continue
            default: return .failure(.character(scalar))
            }
        }
        if label.utf8.count > 63 { return .failure(.labelTooLong(label)) }
        if label.begins(with: "-") || label.ends(with: "-") { return .failure(.hyphenAtEdge(label)) }
        guard label.begins(with: "xn--") else { return .success(label) }
        let encoded = label.dropFirst(4)
        guard let decoded = Punycode.decode(encoded), Punycode.encode(decoded).map({ $0 == encoded }) == true else {
            return .failure(.notEncoded(label, .notPunycode))
        }
        return flaw(of: decoded).map { .failure(.notEncoded(label, $0)) } ?? .success(label)
    }

    private static func flaw(of decoded: [Unicode.Scalar]) -> Flaw? {
        guard let first = decoded.first, decoded.contains(where: { !$0.isASCII }) else { return .notPunycode }
        if isMark(first) { return .leadingMark(first) }
        for (index, scalar) in decoded.enumerated() {
            // RFC 5892 appendix A.2: behind a virama. The first joiner also has other places, which depend on the script.
            if scalar == "\u{200C}" { continue }
            if scalar == "\u{200D}", index > 0, decoded[index - 1].properties.canonicalCombiningClass == .virama {
                continue
            }
            guard isAllowed(scalar) else { return .notAllowed(scalar) }
            // Both letters are kept since 2010 (UTS 46 §7).
            if scalar == "ß" || scalar == "ς" { continue }
            if scalar.properties.changesWhenNFKCCaseFolded { return .replaced(scalar) }
        }
        return isNormal(decoded) ? nil : .notNormal
    }

    /// What registries and certificate authorities have against a label that clients request; nil for nearly every one.
    static func objection(to label: Substring) -> String? {
        let isEncoded = label.begins(with: "xn--")
        let scalars = isEncoded ? Punycode.decode(label.dropFirst(4)) ?? [] : Array(label.unicodeScalars)
        // RFC 5891 §4.2.3.1; CA/Browser Forum, Baseline Requirements §7.1.4.2.1.
        if scalars.count > 3, scalars[2] == "-", scalars[3] == "-" {
            return
                "has hyphens in positions 3 and 4, which is reserved for xn--: only a wildcard certificate can cover it"
        }
        // Cherokee has no small letters in normal form.
        let symbol = scalars.first { $0 != "-" && !isOfWords($0) && $0.properties.generalCategory != .uppercaseLetter }
        return symbol.map {
            "contains the symbol \($0.visibleName), which IDNA 2008 does not allow: browsers request it, other software refuses it"
        }
    }

    /// IDNA 2008 allows letters, marks, digits and the hyphen, and little else (RFC 5892).
    private static func isOfWords(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: scalar == "\u{200C}" || scalar == "\u{200D}"
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether browsers request a name with it: there are names with symbols, but none with control characters, or with parts of
    /// Hangul syllables.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .surrogate, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            false
        default: !isPartOfSyllable(scalar)
        }
    }

    private static func isPartOfSyllable(_ scalar: Unicode.Scalar) -> Bool {
        (0x1100...0x11FF).contains(scalar.value) || (0xA960...0xA97F).contains(scalar.value)
            || (0xD7B0...0xD7FF).contains(scalar.value)
    }

    /// Whether the scalar is normal next to any other: it is its own compatibility folding, and does not combine with others
    /// as combining marks and the parts of Hangul syllables do.
    private static func isCertainlyNormal(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.changesWhenNFKCCaseFolded && !isMark(scalar) && !isPartOfSyllable(scalar)
    }

    /// Whether a text of characters that are not replaced is in normal form C (UAX 15 §1.3): marks in order, and none next to a
    /// character with which it composes.
    private static func isNormal(_ text: [Unicode.Scalar]) -> Bool {
        var base: Unicode.Scalar?
        var last: UInt8 = 0
        for scalar in text {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if order != 0, order < last { return false }
            if let base, isMark(scalar), last == 0 || last < order,
                composed.contains(String(String.UnicodeScalarView([base, scalar])))
            {
                return false
            }
            if order == 0 { base = scalar }
            last = order
        }
        return true
    }

    /// Texts of one character. A base and a mark are equal to one of them if they compose to it, because Swift compares characters and
    /// not code points. The ranges have all characters that marks compose to.
    private static let composed = Set(
        [0xC0...0x30FF, 0x11080...0x11FFF].joined().compactMap(Unicode.Scalar.init)
            .filter { !$0.properties.isFullCompositionExclusion }.map(String.init))
}
