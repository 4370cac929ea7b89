// An app file that nothing is wrong with, and ways to get one thing wrong.

package import Association
import AssociationLint
import Testing

package enum AppFileSample {
    package static let fingerprint =
        "30:EF:E5:5E:0D:22:30:3C:BB:F9:A7:DC:E6:9D:A3:BA:34:70:12:C5:F6:DE:C0:92:69:57:16:94:A2:3D:90:BC"
    package static let otherFingerprint =
        "38:19:73:08:C2:A0:14:4D:B1:E8:28:EF:10:00:1D:87:EB:2F:5A:F8:92:5B:B2:C7:90:C0:92:D6:83:43:BA:E1"
    package static let hosts = #"["shop.acme.test"]"#
    package static let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }"#
    package static let android = #"{ package: "dev.acme.shop", fingerprints: ["\#(fingerprint)"] }"#
    package static let links = #"[{ "/": "/products/?*" }]"#

    /// The text of an app file; a part that is nil is left out.
    package static func text(
        name: String? = #""Shop""#, hosts: String? = hosts, ios: String? = ios, android: String? = android,
        links: String? = links, more: String = ""
    ) -> String {
        let parts = [("name", name), ("hosts", hosts), ("ios", ios), ("android", android), ("links", links)]
        return "{ " + parts.compactMap { key, value in value.map { "\(key): \($0), " } }.joined() + more + " }"
    }

    package static func read(_ text: String, file: String = "shop.json", environment: String? = nil) -> AppFileReading {
        AppFile.read(Array(text.utf8), file: file, environment: environment)
    }

    /// The app file in a text that has no errors.
    package static func app(_ text: String, file: String = "shop.json") throws -> AppFile {
        let reading = read(text, file: file)
        guard let app = reading.appFile else { throw Unreadable(findings: reading.findings) }
        return app
    }

    package struct Unreadable: Error {
        package var findings: [Finding]

        package init(findings: [Finding]) { self.findings = findings }
    }
}

extension [Finding] {
    /// The ids of their rules, in order. A severity that the rule does not have is an issue.
    package var rules: [RuleID] { map { judgedRule($0.rule, $0.severity, $0.message) } }
}

extension [TextProblem] {
    /// The same.
    package var rules: [RuleID] { map { judgedRule($0.rule, $0.severity, $0.message) } }
}

private func judgedRule(_ rule: RuleID, _ severity: Severity, _ message: String) -> RuleID {
    #expect(LintRule.named(rule).severities.contains(severity), "\(rule): \(message)")
    return rule
}
