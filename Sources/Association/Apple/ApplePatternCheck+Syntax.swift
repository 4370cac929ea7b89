// Patterns written in another language: regular expressions, router placeholders, queries and fragments inside a path.

extension ApplePatternCheck {
    /// What belongs to another part of the URL, and what the normalising of paths does to a pattern.
    func partProblems(_ text: String, _ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if part != .fragment, percentEncoded, text.contains(run: "#") {
            problems.append(
                TextProblem(
                    .aasa042, "\(pattern.quoted) has a #, which no \(part.name) of a URL has, so it never matches",
                    fix: "move the text after it under \"#\""))
        }
        switch part {
        case .path:
            if pattern.begins(with: "NOT ") || pattern.begins(with: "NOT/") {
                problems.append(
                    TextProblem(
                        .aasa070,
                        "\(pattern.quoted) starts with NOT, which belongs to the legacy paths; here it is compared as "
                            + "text, so the rule does not exclude what follows it",
                        fix: "remove NOT and add \"exclude\": true"))
                return problems
            }
            if hasQuery(text) {
                problems.append(
                    TextProblem(
                        .aasa041,
                        "\(pattern.quoted) has a query in it, but in a path ? stands for one character and the query "
                            + "is never compared",
                        fix: "move it under \"?\""))
            }
            problems += pathProblems(pattern)
        case .legacyPath:
            if hasQuery(text) {
                problems.append(
                    TextProblem(
                        .aasa073,
                        "\(pattern.quoted) has a query in it, but paths compare the path alone and ? stands for one "
                            + "character",
                        fix: "write components with \"?\""))
            }
            let isMisspeltNot = ["not/", "not*"].contains(where: pattern.lowercased().begins(with:))
            if !isMisspeltNot { problems += pathProblems(pattern) }
        case .query, .fragment: break
        }
        return problems
    }

    /// `?name=` or `&name=`.
    private func hasQuery(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return false }
        let scalars = Array(text.unicodeScalars)
        for start in scalars.indices where scalars[start] == "?" || scalars[start] == "&" {
            let name = scalars[(start + 1)...].prefix {
                $0.isLetter || $0.isDigit || $0 == "_" || $0 == "-" || $0 == "." || $0 == "[" || $0 == "]"
            }
            if !name.isEmpty, name.endIndex < scalars.endIndex, scalars[name.endIndex] == "=" { return true }
        }
        return false
    }

    private func pathProblems(_ pattern: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if pattern.isEmpty {
            problems.append(
                TextProblem(.aasa049, "the path pattern is empty and matches the root alone", fix: "write \"/\""))
        } else if !["/", "*", "$(", "?"].contains(where: pattern.begins(with:)) {
            let isSingle = pattern.unicodeScalars.count == 1
            problems.append(
                TextProblem(
                    .aasa049,
                    isSingle
                        ? "\(pattern.quoted) is a single character, to which no slash is added, so it never matches"
                        : "\(pattern.quoted) does not start with a slash; macOS 27 adds it, older systems are not known to",
                    fix: "write the slash", replacement: "/" + pattern))
        }
        if endsInOpenQuestionMark(pattern) {
            problems.append(
                TextProblem(
                    .aasa050,
                    "\(pattern.quoted) may also match a path that is one character shorter, through the slash that is "
                        + "added for comparing; that is unsettled",
                    fix: "put a slash before a single ?*, or end it with * alone"))
        }
        return problems
    }

    /// Ends in `?*` other than `/?*`: the question mark can take the slash that normalising adds.
    private func endsInOpenQuestionMark(_ pattern: String) -> Bool {
        guard pattern.ends(with: "?*") else { return false }
        let before = pattern.unicodeScalars.dropLast(2)
        guard let last = before.last else { return false }
        return last != "/" && last != "*"
    }

    /// A foreign notation; the first that is recognised.
    func syntaxProblem(_ text: String, _ pattern: String) -> TextProblem? {
        if let placeholder = routerPlaceholder(text) {
            return TextProblem(
                .aasa045,
                "\(pattern.quoted) has the placeholder \(placeholder.quoted) of a router, which is compared as text",
                fix: "write ?* for one or more characters")
        }
        if let regex = regularExpression(text) {
            return TextProblem(
                .aasa044,
                "\(pattern.quoted) has \(regex.quoted) as in a regular expression, which is compared as text",
                fix: "use * for any text, ? for one character, or a variable")
        }
        guard text.contains(run: "\\") else { return nil }
        return TextProblem(
            .aasa046, "\(pattern.quoted) has a backslash; Apple documents no escape, so what it means is not known",
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
            // `/.*` could be meant for hidden files; nobody serves those as links.
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
}

extension ApplePatternCheck {
    /// A look at single characters, which spares nearly every pattern the searches: they were a quarter of the time of
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
}

extension String {
    /// With each `$(old)` written as `$(new)`.
    func replacingVariable(_ old: String, by new: String) -> String {
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
