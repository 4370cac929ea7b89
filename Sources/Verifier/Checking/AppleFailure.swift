// What Apple's content network says when it has no file for a host. It answers 404 whatever happened; the reason stands in
// fields of its own. Only some of its codes are known, so the words are shown as they came.

/// The reason why there is no copy.
struct AppleFailure {
    let message: String
    let fix: String?

    init(_ response: FetchedResponse) {
        let reason = AppleFailure.text(response["apple-failure-reason"])
        let details = AppleFailure.text(response["apple-failure-details"])
        let code = reason.prefix(12)
        let known = code.hasPrefix("SWCERR") ? AppleFailure.known[String(code.prefix(11))] : nil
        var parts = ["Apple has no copy"]
        parts.append(reason.isEmpty ? "it answers \(response.status) without a reason" : "it says \(reason)")
        if !details.isEmpty { parts.append(details) }
        if let known { parts.append(known.meaning) }
        if let age = response.maxAge { parts.append("this is remembered for \(age) seconds") }
        message = parts.joined(separator: "; ")
        fix = known?.fix
    }

    private static let known: [String: (meaning: String, fix: String)] = [
        "SWCERR00101": (
            "the host answered with another status than 200", "answer AASA-Bot with 200, from everywhere"
        ),
        "SWCERR00202": ("the name leads to a private address", "publish a public address"),
        "SWCERR00301": (
            "the host did not answer in time, which is about five seconds", "answer from memory, and keep the host warm"
        ),
    ]

    /// What somebody else wrote, bounded and without control characters.
    static func text(_ text: String?) -> String {
        String(
            String.UnicodeScalarView(
                (text ?? "").unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(300)))
    }
}
