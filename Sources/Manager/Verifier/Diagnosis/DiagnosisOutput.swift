// The output of `why`: one line for each step that is not fine, and the cause in the last line. If nothing is wrong, the last lines
// say what to check on the phone.

package import Association
import SourceJSON

package struct DiagnosisOutput {
    let url: LinkURL
    let diagnosis: LinkDiagnosis
    /// The command that shows all findings.
    let command: String
    /// What to check on the phone; empty if there is another cause.
    let phone: [String]

    package init(url: LinkURL, diagnosis: LinkDiagnosis, command: String, phone: [String]) {
        (self.url, self.diagnosis, self.command, self.phone) = (url, diagnosis, command, phone)
    }

    package func text(showsAll: Bool, isColored: Bool) -> String {
        var lines = [url.text]
        for step in diagnosis.steps where showsAll || step.status != .ok {
            let more = step.more == 0 ? "" : " (and \(step.more) more; `\(command)` shows all)"
            let status = step.status.rawValue
            let gap = String(repeating: " ", count: max(0, DiagnosisOutput.statusWidth - status.count) + 2)
            lines.append("  \(status)\(gap)\(step.stage.name): \(step.message)\(more)")
        }
        if let cause = diagnosis.cause {
            let fix = cause.fix.map { "; \($0)" } ?? ""
            lines.append("cause: \(cause.stage.name): \(cause.message)\(fix)")
        } else {
            lines.append("nothing before the phone keeps this link in the browser; if it opens there, check:")
            lines += phone.map { "  - \($0)" }
        }
        // Names and values in it come from the host, so they are escaped.
        return lines.map { "\(colored(Printable.line($0), isColored))\n" }.joined()
    }

    /// That of the longest.
    private static let statusWidth = "problem".count

    private func colored(_ line: String, _ isColored: Bool) -> String {
        guard isColored else { return line }
        if line.hasPrefix("  problem") { return "\u{1B}[31m\(line)\u{1B}[0m" }
        return line.hasPrefix("cause: ") ? "\u{1B}[1m\(line)\u{1B}[0m" : line
    }

    package var json: [UInt8] {
        SourceWriter.canonical(
            .object([
                ("url", .string(url.text)), ("opens", .bool(diagnosis.cause == nil)),
                ("cause", diagnosis.cause.map(DiagnosisOutput.value) ?? .null),
                ("steps", .array(diagnosis.steps.map(DiagnosisOutput.value))),
                ("phone", .array(phone.map { .string($0) })),
            ]))
    }

    private static func value(_ step: LinkDiagnosis.Step) -> SourceValue {
        .object([
            ("step", .string(step.stage.rawValue)), ("status", .string(step.status.rawValue)),
            ("message", .string(step.message)), ("fix", step.fix.map { .string($0) } ?? .null),
            ("rules", .array(step.rules.map { .string($0.description) })), ("more", .integer(step.more)),
        ])
    }
}

/// What no server can see, and how to check it.
package struct PhoneChecks {
    package let lines: [String]

    /// - Parameter package: an Android app of the host, if one is known.
    package init(host: String, package: String?, _ platforms: ExpectedFiles.Platforms) {
        let command = "`adb shell pm get-app-links \(package ?? "PACKAGE")`"
        let all: [(ExpectedFiles.Platforms, String)] = [
            (
                [.apple, .android],
                "installed too early: an app that was installed before the files were right has no links; delete it and "
                    + "install it again"
            ),
            (
                .apple,
                "the tap: press and hold the link in Notes and choose \"Open in APP\"; a link that is typed into the address "
                    + "bar or is on a page of \(host) never opens the app, and choosing the browser once is remembered"
            ),
            (
                .apple,
                "the entitlement: `codesign -d --entitlements - APP` must list applinks:\(host); with ?mode=developer, turn "
                    + "on Settings › Developer › Associated Domains Development"
            ),
            (
                .android,
                "the verification: \(command) must show \(host) as verified; otherwise the manifest lacks "
                    + "android:autoVerify for it, or the user has turned its links off"
            ),
            (
                .android,
                "the signature: the file must list the one that \(command) shows; debug builds and Play App Signing have "
                    + "other keys than your upload key"
            ),
        ]
        lines = all.filter { !$0.0.isDisjoint(with: platforms) }.map(\.1)
    }
}
