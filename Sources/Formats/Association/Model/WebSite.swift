// The `site` of a web target: only a scheme, a host and perhaps a port.

import SourceJSON

/// Checks web sites.
enum WebSite {
    /// - Parameter isForWebAPK: whether query_webapk is the only relation, which needs the address of a manifest.
    static func problems(in text: String, isForWebAPK: Bool = false) -> [TextProblem] {
        func problem(_ reason: String, replacement: String? = nil) -> TextProblem {
            TextProblem(
                .dal016,
                "site \(text.quoted) \(reason), so Google rejects the statement",
                fix: "write https:// and the host, without a slash at the end", replacement: replacement)
        }
        guard let address = WebAddress(text) else {
            let isHost = text.contains(run: ".") && !text.contains(run: "/") && !text.contains(run: ":")
            return [problem("has no scheme", replacement: isHost ? "https://" + text : nil)]
        }
        guard address.scheme == "http" || address.scheme == "https" else {
            return [problem("is neither http nor https")]
        }
        if address.user != nil { return [problem("has user information")] }
        guard !address.host.isEmpty, address.host.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0 != "*" }) else {
            return [problem(address.host.contains(run: "*") ? "has a wildcard" : "has no valid host")]
        }
        if let problem = hostProblem(address.host, text) { return [problem] }
        if let port = address.portText {
            guard let number = Int(port), (1...65_535).contains(number), port.unicodeScalars.allSatisfy(\.isDigit)
            else {
                return [problem("has no valid port")]
            }
        }
        var problems: [TextProblem] = []
        if !address.rest.isEmpty {
            if isForWebAPK {
                problems.report(
                    .dal017,
                    "site \(text.quoted) has a path; Chromium needs it for query_webapk, but Google rejects the statement",
                    fix: "use this statement for query_webapk only")
            } else {
                let extra = address.rest == "/" ? "a slash at the end" : "a path, query or fragment"
                let origin = String(text.dropLast(address.rest.count))
                return [problem("has \(extra)", replacement: origin.ends(with: "\\") ? nil : origin)]
            }
        }
        return problems + adviceProblems(address, text)
    }

    /// A host that is not a valid name; IP addresses are not checked. How Google treats such a host is not known.
    private static func hostProblem(_ host: String, _ text: String) -> TextProblem? {
        if host.begins(with: "[") || host.unicodeScalars.allSatisfy({ $0.isDigit || $0 == "." }) { return nil }
        let name = host.ends(with: ".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.utf8.count <= 63 && !label.begins(with: "-") && !label.ends(with: "-")
                && label.utf8.allSatisfy {
                    $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
        guard !isName else { return nil }
        let isForeign = !host.utf8.allSatisfy { $0 < 0x80 }
        return TextProblem(
            .dal016,
            "site \(text.quoted) has a host that is not a valid name, so nothing can be fetched from it",
            fix: isForeign ? "write the host in its ASCII form, xn--…" : "write https:// and the host",
            severity: .warning)
    }

    private static func adviceProblems(_ address: WebAddress, _ text: String) -> [TextProblem] {
        var problems: [TextProblem] = []
        if address.port == (address.scheme == "https" ? 443 : 80) {
            problems.report(
                .dal018, "site \(text.quoted) has the default port, which Google's documents say to omit",
                fix: "remove the port")
        }
        if address.scheme == "http" {
            problems.report(
                .dal019, "site \(text.quoted) is plain http, so anyone on the network path can impersonate it",
                fix: "write https")
        }
        return problems
    }
}

/// A text of the form `scheme://[user@]host[:port][rest]`.
struct WebAddress {
    /// In lower case.
    var scheme: String
    var user: String?
    var host: String
    /// The text after the colon, if there is one; it may be empty or not a number.
    var portText: String?
    /// From the first `/`, `?` or `#` on.
    var rest: String

    var port: Int? { portText.flatMap { Int($0) } }

    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound]
        guard let first = scheme.unicodeScalars.first, first.isLetter,
            scheme.unicodeScalars.allSatisfy({ $0.isLetter || $0.isDigit || $0 == "+" || $0 == "-" || $0 == "." })
        else { return nil }
        self.scheme = scheme.lowercased()
        let after = text[mark.upperBound...]
        var authority = after.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        rest = String(after[authority.endIndex...])
        if let at = authority.lastIndex(of: "@") {
            user = String(authority[..<at])
            authority = authority[authority.index(after: at)...]
        }
        if let colon = authority.lastIndex(of: ":"), !authority.ends(with: "]") {
            portText = String(authority[authority.index(after: colon)...])
            authority = authority[..<colon]
        }
        host = String(authority)
    }
}
