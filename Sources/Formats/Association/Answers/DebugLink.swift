// The output of `am start --debug-link`, by which Android 17 and later say how a phone resolves a link, and the comparison with the
// decision of `match`. Only the lines that Google documents are read; they are the oracle that a person has at hand.

import SourceJSON

/// How a phone resolves a link.
package struct DebugLink {
    /// An app whose intent filters cover the link.
    struct Target {
        let package: String
        /// Such as `STATE_SUCCESS`; nil if the phone verifies no host of the app.
        var state: String?
        /// Those of its dynamic rules that match, in the order of the file.
        var rules: [MatchedRule] = []
        /// A line about its rules that is not understood.
        var unread: String?
    }

    /// A dynamic rule that matches the link. The first one decides.
    struct MatchedRule: Equatable {
        let index: Int
        let excludes: Bool
    }

    package let url: String
    private(set) var targets: [Target] = []

    /// Nil if the text is no such output.
    package init?(_ text: String) {
        var url: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = String(line.drop { $0 == " " })
            func value(of name: String) -> String? {
                line.begins(with: name) ? String(line.dropping(firstBytes: name.utf8.count).drop { $0 == " " }) : nil
            }
            if let address = value(of: "URI:") { url = url ?? address }
            if let package = value(of: "Package:") { targets.append(Target(package: package)) }
            if targets.isEmpty { continue }
            if let state = value(of: "Verification status:") { targets[targets.count - 1].state = state }
            if line.begins(with: "->") {
                if let rule = DebugLink.rule(value(of: "-> Matched Rule ") ?? "") {
                    targets[targets.count - 1].rules.append(rule)
                } else {
                    targets[targets.count - 1].unread = line
                }
            }
        }
        guard let url else { return nil }
        self.url = url
    }

    /// A rule as in `0: UriRelativeFilterGroup { allow = 1, …`. The number after `allow` is that of Android's constant, so 1 excludes.
    private static func rule(_ text: String) -> MatchedRule? {
        guard let index = Int(text.prefix { $0 != ":" }) else { return nil }
        for (word, excludes) in [("{ allow = 0,", false), ("{ allow = 1,", true)] where text.contains(run: word) {
            return MatchedRule(index: index, excludes: excludes)
        }
        return nil
    }
}

extension LinkMatching {
    /// An Android app of the host, and what a phone does otherwise; nothing if it does the same.
    package struct PhoneComparison {
        package let package: String
        package let opens: Bool?
        let matched: String
        package let differences: [String]
    }

    package func compare(_ url: LinkURL, with phone: DebugLink) -> [PhoneComparison] {
        android.map { app in
            let rules = app.matchedRules(url)
            return PhoneComparison(
                package: app.package, opens: app.opens(url), matched: LinkMatching.list(rules ?? []),
                differences: app.differences(
                    url, rules, phone.targets.first { $0.package.isIdentical(to: app.package) }))
        }
    }

    /// The comparison as text.
    package func text(of comparisons: [PhoneComparison], _ url: LinkURL) -> String {
        if comparisons.isEmpty { return "\(url.text)\nno Android app in \(origin) handles links to \(url.host)\n" }
        return comparisons.reduce("\(url.text)\n") { text, app in
            let verdict =
                "\(LinkMatching.verdict(app.opens))\(app.differences.isEmpty ? ", as on the phone" : "; the phone differs")"
            let lines = app.differences.isEmpty ? ["dynamic rules that match: \(app.matched)"] : app.differences
            return text
                + (["Android, \(app.package): \(verdict)"] + lines.map { "  \($0)" })
                .map { "\(Printable.line($0))\n" }.joined()
        }
    }

    fileprivate static func list(_ rules: [DebugLink.MatchedRule]) -> String {
        rules.isEmpty ? "none" : rules.map { "\($0.index)\($0.excludes ? " (excludes)" : "")" }.joined(separator: ", ")
    }
}

extension LinkMatching.Android {
    /// The rules that match, whichever comes first; nil if there are none that count.
    fileprivate func matchedRules(_ url: LinkURL) -> [DebugLink.MatchedRule]? {
        guard let matcher, matcher.decide(url) != .manifest else { return nil }
        let view = AndroidView(url)
        return matcher.rules.indices.filter { AndroidMatcher.holds(matcher.compiled[$0], view) }.map {
            DebugLink.MatchedRule(index: $0, excludes: matcher.rules[$0].exclude)
        }
    }

    /// The states in which links open the app.
    private static let verified = [
        "STATE_SUCCESS", "STATE_APPROVED", "STATE_MIGRATED", "STATE_RESTORED", "STATE_SYS_CONFIG",
    ]

    fileprivate func differences(
        _ url: LinkURL, _ rules: [DebugLink.MatchedRule]?, _ target: DebugLink.Target?
    ) -> [String] {
        let covers = manifest.map { $0.decide(url).outcome }
        guard let target else {
            return covers == .staysInBrowser
                ? []
                : ["the phone does not list the app: it is not installed, or its intent filters do not cover the URL"]
        }
        var lines: [String] = []
        if covers == .staysInBrowser, let manifest {
            lines.append("the phone's intent filters cover the URL, but \(manifest.name) does not")
        }
        if !Self.verified.containsExactly(target.state ?? "") {
            lines.append("the phone has not verified the host for the app: \(target.state ?? "it shows no state")")
        }
        if let unread = target.unread { return lines + ["a line about its rules is not understood: \(unread)"] }
        if target.rules != rules ?? [] {
            let here = rules.map(LinkMatching.list) ?? "there are no rules"
            lines.append(
                "dynamic rules that match: on the phone \(LinkMatching.list(target.rules)), here \(here); the phone may have an "
                    + "older copy of the file, or lack Google services")
        }
        return lines
    }
}
