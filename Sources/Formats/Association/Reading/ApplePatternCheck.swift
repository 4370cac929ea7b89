// Mistakes in one pattern: queries in paths, regular expressions, text in the wrong encoding. Patterns are compared with each
// other elsewhere.

import SourceJSON

/// Checks one pattern of Apple's rules.
struct ApplePatternCheck {
    /// The part of the URL that it is compared with.
    enum Part {
        case path
        case legacyPath
        case query
        case fragment

        var name: String {
            switch self {
            case .path, .legacyPath: "path"
            case .query: "query"
            case .fragment: "fragment"
            }
        }
    }

    var part: Part
    var percentEncoded = true
    var caseSensitive = true
    var variables = VariableNames([])

    func problems(in pattern: String) -> [TextProblem] {
        if isPlain(pattern) { return [] }
        let parsed = ParsedPattern(pattern)
        let text = parsed.textWithGaps
        var problems = variableProblems(parsed, pattern)
        if let problem = addressProblem(pattern) { return problems + [problem] }
        problems += partProblems(text, pattern)
        let syntax = syntaxProblem(text, pattern)
        if let syntax { problems.append(syntax) }
        problems += encodingProblems(text, pattern, isForeign: syntax != nil)
        return problems
    }

    /// Whether no check below can find anything: a path of letters, digits and unambiguous signs after a slash. Nearly every
    /// pattern is one.
    private func isPlain(_ pattern: String) -> Bool {
        guard part == .path || part == .legacyPath, pattern.utf8.first == UInt8(ascii: "/") else { return false }
        var (last, beforeLast) = (UInt8(0), UInt8(0))
        for byte in pattern.utf8 {
            switch byte {
            case UInt8(ascii: "/"): if last == byte { return false }
            case UInt8(ascii: "*"): if last == UInt8(ascii: ".") { return false }
            case UInt8(ascii: "?"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): break
            default: if !byte.isLetter, !byte.isDigit { return false }
            }
            (beforeLast, last) = (last, byte)
        }
        return !(last == UInt8(ascii: "*") && beforeLast == UInt8(ascii: "?")) || pattern.ends(with: "/?*")
    }

    private func variableProblems(_ parsed: ParsedPattern, _ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if parsed.isBroken {
            problems.report(
                .aasa061,
                "\(pattern.quoted) has a $( without ), or with $ or ( in its name, so it never matches",
                fix: "write $(name)")
        }
        guard !parsed.names.isEmpty else { return problems }
        var reported: Set<ExactText> = []
        for name in parsed.names where !variables.contain(name) && reported.insert(ExactText(name)).inserted {
            let nearest = NearestKey.find(name, among: variables.compared)
            problems.report(
                .aasa060, "\(pattern.quoted) has the undefined variable \(name.quoted), so it never matches",
                fix: nearest.map { "write $(\($0))" } ?? "define it under substitutionVariables",
                replacement: nearest.map { pattern.replacingVariable(name, by: $0) }, changesMeaning: true)
        }
        return problems
    }

    /// A whole URL, or a host, in a pattern for the path.
    private func addressProblem(_ pattern: String) -> TextProblem? {
        guard part == .path || part == .legacyPath else { return nil }
        guard pattern.utf8.first != UInt8(ascii: "/") || pattern.begins(with: "//") else { return nil }
        func problem(_ what: String) -> TextProblem {
            TextProblem(
                .aasa043,
                "\(pattern.quoted) has \(what), but it is compared with the path of a URL only, so it matches almost no links",
                fix: "write only the path")
        }
        let lower = pattern.lowercased()
        if ["http://", "https://", "*://", "//http"].contains(where: lower.begins(with:)) {
            return problem("a scheme")
        }
        if ["applinks:", "webcredentials:"].contains(where: lower.begins(with:)) {
            return problem("an entitlement's prefix")
        }
        return startsWithHost(lower) ? problem("a host") : nil
    }

    /// `www.…` or a name with a well-known last label, without a slash before it. `index.html` is not a host.
    private func startsWithHost(_ lower: String) -> Bool {
        guard !lower.begins(with: "/") else { return false }
        let first = lower.prefix { $0 != "/" }
        let labels = first.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, labels.allSatisfy({ !$0.isEmpty }) else { return false }
        guard
            labels.allSatisfy({ $0 == "*" || $0.unicodeScalars.allSatisfy { $0.isLetter || $0.isDigit || $0 == "-" } })
        else { return false }
        if labels[0] == "www" { return labels.count >= 3 }
        return labels.count >= (labels[0] == "*" ? 3 : 2) && Self.topLevelDomains.contains(String(last))
    }

    /// Without country codes: `index.html.de` is a page in German.
    private static let topLevelDomains: Set<String> = [
        "com", "org", "net", "io", "app", "dev", "edu", "gov", "info", "biz",
    ]

    /// Text that belongs to another part of the URL, and the effects of normalising paths.
    private func partProblems(_ text: String, _ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if part != .fragment, percentEncoded, text.contains(run: "#") {
            problems.report(
                .aasa042, "\(pattern.quoted) has a #, but no \(part.name) of a URL has one, so it never matches",
                fix: "move the text after it to \"#\"")
        }
        switch part {
        case .path:
            if pattern.begins(with: "NOT ") || pattern.begins(with: "NOT/") {
                problems.report(
                    .aasa070,
                    "\(pattern.quoted) starts with NOT, which is compared as text here, so the rule does not exclude "
                        + "anything",
                    fix: "remove NOT and add \"exclude\": true")
                return problems
            }
            if let query = query(in: text) {
                // The text has gaps for variables.
                let written = self.query(in: pattern) ?? query
                problems.report(
                    .aasa041,
                    "\(pattern.quoted) contains a query, but a path pattern is compared only with the URL's path, "
                        + "where `?` matches any one character",
                    fix: "move \(written.quoted) to the key \"?\"")
            }
            problems += pathProblems(pattern)
        case .legacyPath:
            if query(in: text) != nil {
                problems.report(
                    .aasa073,
                    "\(pattern.quoted) has a query, but paths are never compared with it; ? is one character",
                    fix: "write components with \"?\"")
            }
            let isMisspeltNot = ["not/", "not*"].contains(where: pattern.lowercased().begins(with:))
            if !isMisspeltNot { problems += pathProblems(pattern) }
        case .query, .fragment: break
        }
        return problems
    }

    /// The text after `?` or `&` if it begins with `name=`.
    private func query(in text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        let scalars = Array(text.unicodeScalars)
        for start in scalars.indices where scalars[start] == "?" || scalars[start] == "&" {
            let name = scalars[(start + 1)...].prefix {
                $0.isLetter || $0.isDigit || $0 == "_" || $0 == "-" || $0 == "." || $0 == "[" || $0 == "]"
            }
            if !name.isEmpty, name.endIndex < scalars.endIndex, scalars[name.endIndex] == "=" {
                return String(String.UnicodeScalarView(scalars[(start + 1)...].prefix { $0 != "#" }))
            }
        }
        return nil
    }

    private func pathProblems(_ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if pattern.isEmpty {
            problems.report(
                .aasa049, "the path pattern is empty and matches only the root", fix: "write \"/\"")
        } else if !["/", "*", "$(", "?"].contains(where: pattern.begins(with:)) {
            let isSingle = pattern.unicodeScalars.count == 1
            problems.report(
                .aasa049,
                isSingle
                    ? "\(pattern.quoted) is one character without a slash, so it never matches"
                    : "\(pattern.quoted) does not start with a slash; macOS 27 adds it, earlier systems perhaps not",
                fix: "write the slash", replacement: "/" + pattern, changesMeaning: isSingle)
        }
        if endsInOpenQuestionMark(pattern) {
            problems.report(
                .aasa050,
                "\(pattern.quoted) may also match a path without the last character, because of the slash that systems "
                    + "add; this is not known for certain",
                fix: "write a slash before a single ?*, or only * at the end")
        }
        return problems
    }

    /// Ends in `?*` other than `/?*`: the question mark can match the slash that normalising adds.
    private func endsInOpenQuestionMark(_ pattern: String) -> Bool {
        guard pattern.ends(with: "?*") else { return false }
        let before = pattern.unicodeScalars.dropLast(2)
        guard let last = before.last else { return false }
        return last != "/" && last != "*"
    }

    /// The first notation that is not Apple's.
    private func syntaxProblem(_ text: String, _ pattern: String) -> TextProblem? {
        if let placeholder = routerPlaceholder(text) {
            return TextProblem(
                .aasa045,
                "\(pattern.quoted) has \(placeholder.quoted) as in a router, but it is compared as text",
                fix: "write ?* for one or more characters")
        }
        if let regex = regularExpression(text) {
            return TextProblem(
                .aasa044,
                "\(pattern.quoted) has \(regex.quoted) as in a regular expression, but it is compared as text",
                fix: "use * for any text, ? for one character, or a variable")
        }
        guard text.contains(run: "\\") else { return nil }
        return TextProblem(
            .aasa046, "\(pattern.quoted) has a backslash, and its meaning is not documented",
            fix: "remove it")
    }

    /// `{id}`, `:id`, `<id>` as a whole segment or part of one.
    private func routerPlaceholder(_ text: String) -> String? {
        guard text.utf8.contains(where: Array(":{<".utf8).contains) else { return nil }
        for segment in text.split(separator: "/") {
            if segment.begins(with: ":"), let first = segment.dropFirst().unicodeScalars.first,
                first.isLetter || first == "_"
            {
                return String(segment)
            }
            for (open, close) in [("{", "}"), ("<", ">")] as [(Character, Character)] {
                guard let start = segment.firstIndex(of: open), let end = segment[start...].firstIndex(of: close) else {
                    continue
                }
                let name = segment[segment.index(after: start)..<end]
                let isName = name.unicodeScalars.allSatisfy {
                    $0.isLetter || $0.isDigit || $0 == "_" || $0 == "-" || $0 == ":"
                }
                if isName, let first = name.unicodeScalars.first, !first.isDigit { return String(segment[start...end]) }
            }
        }
        return nil
    }

    private func regularExpression(_ text: String) -> String? {
        guard hasSignOfRegularExpression(text) else { return nil }
        for sign in ["/.*", "(.*", ").*", ".+", "\\d", "\\w", "\\/", "\\.", "(?:", "(?!", "[^"]
        where text.contains(sign) {
            // `/.*` could be meant for hidden files, but those are not links.
            return sign.begins(with: "/") || sign.begins(with: "(.") || sign.begins(with: ")") ? ".*" : sign
        }
        if text.begins(with: "^") { return "^" }
        if text.ends(with: "$") { return "$" }
        for range in ["a-z", "A-Z", "0-9", "a-zA-Z", "A-Za-z"] where text.contains(run: "[" + range) {
            return "[\(range)]"
        }
        if let open = text.firstIndex(of: "("), let close = text[open...].firstIndex(of: ")"),
            text[open...close].contains(run: "|")
        {
            return String(text[open...close])
        }
        return text.begins(with: ".*") ? ".*" : nil
    }

    /// A check of single characters, which avoids the searches for nearly every pattern: they took a quarter of the time of
    /// reading an app file.
    private func hasSignOfRegularExpression(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "\\"):
                return true
            case UInt8(ascii: "*"), UInt8(ascii: "+"): if last == UInt8(ascii: ".") { return true }
            default: break
            }
            last = byte
        }
        return false
    }

    /// - Parameter isForeign: whether the pattern is in another notation, whose signs are reported already.
    private func encodingProblems(_ text: String, _ pattern: String, isForeign: Bool) -> [TextProblem] {
        var problems: [TextProblem] = []
        let escapes = Escapes(in: text)
        if percentEncoded {
            if let letter = text.unicodeScalars.first(where: isOnlyALetterWithoutCase) {
                problems.report(
                    .aasa051,
                    "\(pattern.quoted) has \(letter.codePoint), which a URL has only "
                        + "percent-encoded; with caseSensitive false it matches only the letter \(String(letter.folded).quoted)",
                    fix: "write the letter, or percent-encode it and set caseSensitive to true")
            }
            if let bad = text.unicodeScalars.first(where: { isNeverInURL($0) && !isOnlyALetterWithoutCase($0) }) {
                problems.report(
                    .aasa051,
                    "\(pattern.quoted) has \(String(bad).quoted), which a URL has only percent-encoded, so the "
                        + "pattern never matches",
                    fix: "write \(encoded(pattern)?.quoted ?? "it percent-encoded"), or set percentEncoded to false",
                    replacement: encoded(pattern), changesMeaning: true)
            }
            if let doubtful = text.unicodeScalars.first(where: { isDoubtful($0, isForeign: isForeign) }) {
                problems.report(
                    .aasa051,
                    "\(pattern.quoted) has \(String(doubtful).quoted), which only some clients percent-encode, so it may "
                        + "not match",
                    fix: "write one rule for each spelling, or set percentEncoded to false")
            }
            if escapes.hasLowerCase {
                problems.report(
                    .aasa053,
                    "\(pattern.quoted) has lower-case letters after a percent sign, but most clients write upper case, so it "
                        + "does not match their URLs",
                    fix: "write upper-case digits", replacement: escapes.hasMalformed ? nil : upperCased(pattern),
                    changesMeaning: true)
            }
            if escapes.hasMalformed {
                problems.report(
                    .aasa054,
                    "\(pattern.quoted) has a percent sign without two hexadecimal digits, so it never matches",
                    fix: "write %25 for a percent sign")
            }
        } else if escapes.hasValid {
            problems.report(
                .aasa052,
                "\(pattern.quoted) is percent-encoded, but percentEncoded is false and URLs are decoded, so it matches only "
                    + "URLs that are encoded twice",
                fix: "write the decoded character")
        }
        if part == .query, text.contains(run: "+") {
            problems.report(
                .aasa059,
                "\(pattern.quoted) has a plus sign, which is not read as a space; clients write spaces as + or %20",
                fix: "write %20, or one rule for each spelling")
        }
        return problems
    }

    /// Characters that no URL has when it reaches a phone. The gap of a variable is not one.
    private func isNeverInURL(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value != 0 && (!scalar.isASCII || Percent.isAlwaysEscaped(UInt8(truncatingIfNeeded: scalar.value)))
    }

    /// Without case, the Kelvin sign is compared as `k`, which URLs can have.
    private func isOnlyALetterWithoutCase(_ scalar: Unicode.Scalar) -> Bool {
        !caseSensitive && !scalar.isASCII && scalar.folded.isASCII
    }

    /// Characters that RFC 3986 §3.3 and §3.4 do not allow, but that do reach phones; brackets are usual in queries.
    private func isDoubtful(_ scalar: Unicode.Scalar, isForeign: Bool) -> Bool {
        switch scalar {
        case "\"", "`": true
        case "<", ">", "^", "{", "|", "}": !isForeign
        case "[", "]": !isForeign && part != .query && part != .fragment
        default: false
        }
    }

    /// The pattern with percent-encoding where it is needed; nil with variables.
    private func encoded(_ pattern: String) -> String? {
        guard !pattern.contains(run: "$(") else { return nil }
        let bytes = pattern.unicodeScalars.flatMap { scalar in
            isNeverInURL(scalar) ? String(scalar).utf8.flatMap(Percent.escape) : Array(String(scalar).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
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
                    // `%` before a wildcard may match any escape.
                    if !digits.contains(where: { $0 == "*" || $0 == "?" || $0.value == 0 }) { hasMalformed = true }
                    continue
                }
                hasValid = true
                if digits.contains(where: \.isLowerLetter) { hasLowerCase = true }
            }
        }
    }
}

extension String {
    /// With each `$(old)` written as `$(new)`.
    package func replacingVariable(_ old: String, by new: String) -> String {
        var result = ""
        var rest = utf8[...]
        let wanted = "$(\(old))".utf8
        while let start = rest.firstRange(of: wanted) {
            result += Substring(rest[..<start.lowerBound]) + "$(\(new))"
            rest = rest[start.upperBound...]
        }
        return result + Substring(rest)
    }
}
