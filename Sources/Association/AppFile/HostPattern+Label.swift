// One label of a host name, from what a person writes to what is on the wire.
//
// IDNA's mapping (UTS 46) is lower-casing, NFKC and a table of exceptions. The standard library has no normaliser to
// call, so a label passes only when its characters prove that mapping would leave it alone; for the rest the Punycode
// form must be written, which every registrar shows.

extension HostPattern {
    static func asciiLabel(_ label: Substring) -> Result<String, Fault> {
        if label.isEmpty { return .failure(.emptyLabel) }
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return checked(label.lowercased()) }
        let lowered = Array(label.lowercased().unicodeScalars)
        for scalar in lowered {
            guard isLetterOrDigit(scalar) else { return .failure(.character(scalar)) }
            guard isCertainlyNormal(scalar) else { return .failure(.unsureCharacter(scalar)) }
        }
        guard let encoded = Punycode.encode(lowered) else { return .failure(.labelTooLong(String(label))) }
        let ascii = "xn--" + encoded
        return ascii.utf8.count > 63 ? .failure(.labelTooLong(String(label))) : .success(ascii)
    }

    /// Checks a label in lower-case ASCII: letters, digits and inner hyphens (RFC 1123 §2.1), 63 bytes at most.
    private static func checked(_ label: String) -> Result<String, Fault> {
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", "-": continue
            default: return .failure(.character(scalar))
            }
        }
        if label.utf8.count > 63 { return .failure(.labelTooLong(label)) }
        if label.begins(with: "-") || label.ends(with: "-") { return .failure(.hyphenAtEdge(label)) }
        guard label.begins(with: "xn--") else { return .success(label) }
        // A label that does not come back the same is one that no browser will ever ask for.
        let encoded = label.dropFirst(4)
        guard let decoded = Punycode.decode(encoded), decoded.contains(where: { !$0.isASCII }),
            decoded.allSatisfy(isVisible), let again = Punycode.encode(decoded), again == encoded
        else { return .failure(.notPunycode(label)) }
        return .success(label)
    }

    /// IDNA 2008 allows letters, marks, digits and the hyphen, and little else (RFC 5892).
    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: scalar == "-"
        }
    }

    /// Whether a registry could have sold it: there are names with symbols, but none with controls or capitals.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .unassigned, .privateUse, .surrogate, .uppercaseLetter, .titlecaseLetter, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }

    /// Whether the scalar stays itself, whatever stands beside it: it is its own compatibility folding, and it cannot
    /// join its neighbour as combining marks and the parts of Hangul syllables can.
    private static func isCertainlyNormal(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.changesWhenNFKCCaseFolded { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: return false
        default: break
        }
        return !(0x1100...0x11FF).contains(scalar.value) && !(0xA960...0xA97F).contains(scalar.value)
            && !(0xD7B0...0xD7FF).contains(scalar.value)
    }
}
