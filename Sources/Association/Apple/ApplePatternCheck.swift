// What one pattern says that its author did not mean: queries in paths, regular expressions, text in the wrong
// encoding. A check of one string on its own; patterns against each other are judged elsewhere.

import SourceJSON

/// Checks one pattern of Apple's dialect.
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

    /// Whether a look at the bytes shows that nothing below has anything to say: a path of letters, digits and signs
    /// without a second meaning, with a slash before it. Nearly every pattern is one.
    private func isPlain(_ pattern: String) -> Bool {
        guard part == .path || part == .legacyPath, pattern.utf8.first == UInt8(ascii: "/") else { return false }
        var (last, beforeLast) = (UInt8(0), UInt8(0))
        for byte in pattern.utf8 {
            switch byte {
            case UInt8(ascii: "/"): if last == byte { return false }
            case UInt8(ascii: "*"): if last == UInt8(ascii: ".") { return false }
            case UInt8(ascii: "?"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): break
            default: if !ASCII.isLetter(byte), !ASCII.isDigit(byte) { return false }
            }
            (beforeLast, last) = (last, byte)
        }
        return !(last == UInt8(ascii: "*") && beforeLast == UInt8(ascii: "?")) || pattern.ends(with: "/?*")
    }

    private func variableProblems(_ parsed: ParsedPattern, _ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if parsed.isBroken {
            problems.append(
                TextProblem(
                    .aasa061,
                    "\(pattern.quoted) has a $( without its closing parenthesis, or with a name that has $ or ( in it, "
                        + "so it never matches",
                    fix: "close it: $(name)"))
        }
        guard !parsed.names.isEmpty else { return problems }
        var reported: Set<ExactText> = []
        for name in parsed.names where !variables.contain(name) && reported.insert(ExactText(name)).inserted {
            let nearest = NearestKey.find(name, among: variables.compared)
            problems.append(
                TextProblem(
                    .aasa060, "variable \(name.quoted) is not defined, so \(pattern.quoted) never matches",
                    fix: nearest.map { "write $(\($0))" } ?? "define it under substitutionVariables",
                    replacement: nearest.map { pattern.replacingVariable(name, by: $0) }))
        }
        return problems
    }

    /// A whole URL, or a host, where only the path is compared.
    private func addressProblem(_ pattern: String) -> TextProblem? {
        guard part == .path || part == .legacyPath else { return nil }
        guard pattern.utf8.first != UInt8(ascii: "/") || pattern.begins(with: "//") else { return nil }
        func problem(_ what: String) -> TextProblem {
            TextProblem(
                .aasa043,
                "\(pattern.quoted) has \(what), and only the path of a URL is compared, so it matches only links that "
                    + "have that in their path",
                fix: "write the path alone")
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

    /// `www.…` or a name with a well-known last label, and no slash before it. `index.html` is no host.
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

    /// Without the codes of countries: `index.html.de` is a page in German.
    private static let topLevelDomains: Set<String> = [
        "com", "org", "net", "io", "app", "dev", "edu", "gov", "info", "biz",
    ]
}
