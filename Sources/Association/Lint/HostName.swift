// The name of a host as an associated domain writes it: a full name in ASCII, with `*.` before it where sub-domains are
// meant. A check of the text alone; nothing is resolved.

/// Checks and normalises host names.
public enum HostName {
    /// Lower case and without one trailing dot, as hosts are compared.
    public static func normalised(_ text: String) -> String {
        let lower = text.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }

    /// What is wrong with a host name; empty for a good one. Upper case and a trailing dot are left to `normalised`.
    public static func problems(in text: String, wildcardAllowed: Bool = true) -> [TextProblem] {
        let name = "host \(text.quoted)"
        if let problem = decorationProblem(text, name: name) { return [problem] }
        var host = normalised(text)
        if host.hasPrefix("*.") {
            guard wildcardAllowed else {
                return [
                    TextProblem("AHST-023", "\(name) is a wildcard, which is not supported here", fix: "list the hosts")
                ]
            }
            host = String(host.dropFirst(2))
        }
        return shapeProblem(host, name: name).map { [$0] } ?? []
    }

    /// A URL, or part of one, in the place of a host.
    private static func decorationProblem(_ text: String, name: String) -> TextProblem? {
        let what: String
        if text.contains("://") {
            what = "a scheme"
        } else if text.contains("/") {
            what = "a path or a trailing slash"
        } else if text.contains("@") {
            what = "user information"
        } else if text.contains("?") || text.contains("#") {
            what = "a query or a fragment"
        } else if text.unicodeScalars.filter({ $0 == ":" }).count == 1 {
            what = "a port"
        } else {
            return nil
        }
        return TextProblem(
            "AHST-021", "\(name) has \(what); a domain is a host name and nothing else", fix: "write the host alone")
    }

    private static func shapeProblem(_ host: String, name: String) -> TextProblem? {
        func problem(_ what: String, fix: String) -> TextProblem {
            TextProblem("AHST-025", "\(name) \(what)", fix: fix)
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if host.isEmpty { return problem("is empty", fix: "write a full host name") }
        if host.contains(":") || isAddress(labels) {
            return problem("is an address; verifiers need a name", fix: "write a full host name")
        }
        if host.unicodeScalars.contains(where: { !$0.isASCII }) {
            return problem(
                "is not in ASCII form; names are compared in Punycode", fix: "write it in Punycode, with xn--")
        }
        if host.contains("*") {
            return problem("has a wildcard that is not its whole first label", fix: "write *. and the parent domain")
        }
        if labels.count < 2 { return problem("has no dot, so it is no full name", fix: "write a full host name") }
        if host.utf8.count > 253 { return problem("is longer than 253 characters", fix: "write a shorter name") }
        for label in labels {
            if label.isEmpty { return problem("has an empty label between dots", fix: "remove the dot") }
            if label.utf8.count > 63 {
                return problem("has a label of more than 63 characters", fix: "write a shorter name")
            }
            if label.hasPrefix("-") || label.hasSuffix("-") {
                return problem("has a label with a hyphen at its end", fix: "remove the hyphen")
            }
            // An underscore is no host name by RFC 952 and yet answers in practice.
            if let bad = label.unicodeScalars.first(where: { !($0.isLetter || $0.isDigit || $0 == "-" || $0 == "_") }) {
                return problem("has \(String(bad).quoted), which no host name has", fix: "remove it")
            }
        }
        return nil
    }

    private static func isAddress(_ labels: [Substring]) -> Bool {
        labels.count == 4 && labels.allSatisfy { !$0.isEmpty && $0.unicodeScalars.allSatisfy(\.isDigit) }
    }
}
