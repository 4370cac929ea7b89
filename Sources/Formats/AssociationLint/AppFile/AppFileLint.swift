// All findings about an app file: those from reading it in each of its environments, and those from searches over all
// URLs. The searches take longer than reading, and their findings never keep a file from being published.

public import Association
public import SourceJSON

extension AppFile {
    /// All findings about a file, in each of its environments.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding] { lint(parse(bytes), file: file) }

    /// The same for a text that has been parsed already.
    public static func lint(_ document: SourceDocument, file: String) -> [Finding] {
        var workLeft = ExampleCheck.workMax
        let plain = read(document, file: file, environment: nil, workLeft: &workLeft)
        // A pattern that can match nothing was reported while it was read.
        let marked = plain.findings.filter { $0.rule == .aasa051 && $0.severity != .note }.compactMap(\.range)
        let ruleFindings = (plain.appFile?.ruleFindings() ?? []).filter { finding in
            finding.rule != .app040 || !marked.contains { finding.range?.contains($0) == true }
        }
        var findings = plain.findings + ruleFindings
        var seen = Set(findings)
        var settings = Set([plain.appFile.map(RuleSettings.init)])
        for (index, environment) in plain.environments.enumerated() {
            guard (index + 1) * document.text.count <= environmentBytesMax else {
                findings.append(notExamined(environment, of: plain, file: file))
                break
            }
            let reading = read(document, file: file, environment: environment, workLeft: &workLeft)
            var more = reading.findings
            if let app = reading.appFile, settings.insert(RuleSettings(app)).inserted {
                guard settings.count <= settingsMax else {
                    findings.append(notExamined(environment, of: plain, file: file))
                    break
                }
                more += app.ruleFindings()
            }
            let new = more.filter { seen.insert($0).inserted }
            let overlay = EnvironmentOverlay(environment, in: document)
            findings += new.map { overlay?.naming($0) ?? $0 }
        }
        return findings
    }

    /// Bytes of the file times number of environments: reading that much takes about half a second.
    private static let environmentBytesMax = 8 * 1024 * 1024
    /// Number of different settings for which the rules are compared. Each takes as long as the plain file.
    private static let settingsMax = 5

    private static func notExamined(_ environment: String, of plain: AppFileReading, file: String) -> Finding {
        Finding(
            rule: .app043, severity: .note, file: file, range: plain.appFile?.ranges.root,
            message: "the environment \(environment.quoted) and those after it were not checked: the file is too large "
                + "for that many environments")
    }

    /// The settings that findings about rules depend on and that an environment may change.
    private struct RuleSettings: Hashable {
        /// Where the rules are. An overlay with its own rules has them in another place.
        let links: SourceRange?
        let variables: [SubstitutionVariable]
        let caseSensitive, percentEncoded: Bool?
        let hasLegacyPaths, opensOnIOS, hasDynamicRules: Bool

        init(_ app: AppFile) {
            links = app.ranges.links
            variables = app.ios?.variables ?? []
            caseSensitive = app.ios?.defaults.caseSensitive
            percentEncoded = app.ios?.defaults.percentEncoded
            hasLegacyPaths = app.ios?.hasLegacyPaths == true
            opensOnIOS = app.ios?.services.contains(.applinks) == true
            hasDynamicRules =
                app.android?.hasDynamicRules == true
                && app.android?.relations.contains(AndroidApp.handleAllURLs) == true
        }
    }

    /// Findings about the order of the rules, and about the URLs that the platforms treat differently. They take longer
    /// than reading the file, and never keep it from being published.
    public func ruleFindings() -> [Finding] {
        let source = sourceMatcher
        return LinkOrderCheck(app: self, source: source).findings()
            + PlatformComparison(self, source: source).findings()
    }
}
