// The door to app files: bytes in, a model or findings out.

public import SourceJSON

extension AppFile {
    /// Far more than what fits into the documents made from it.
    public static let bytesMax = 4 * 1024 * 1024

    /// Reads an app file (JSON5) and runs its examples. With an environment, its overlay is laid over the rest first:
    /// objects are merged, everything else is replaced, and null removes (as in RFC 7396).
    public static func read(_ bytes: [UInt8], file: String, environment: String? = nil) -> AppFileReading {
        let document = SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
        return read(document, file: file, environment: environment)
    }

    /// The same for a text that has been parsed already.
    public static func read(_ document: SourceDocument, file: String, environment: String? = nil) -> AppFileReading {
        var workLeft = ExampleCheck.workMax
        var reading = read(document, file: file, environment: environment, workLeft: &workLeft)
        guard let environment, let overlay = EnvironmentOverlay(environment, in: document), !reading.findings.isEmpty
        else { return reading }
        // Files without findings, which is nearly all of them, are read once. Where the work does not suffice for the examples
        // of both readings is no difference between them.
        let plain = Set(read(document, file: file, environment: nil, workLeft: &workLeft).findings)
        reading.findings = reading.findings.map { finding in
            let isCommon = plain.contains(finding) || finding.rule == .app027
            return isCommon ? finding : overlay.naming(finding)
        }
        return reading
    }

    private static func read(
        _ document: SourceDocument, file: String, environment: String?, workLeft: inout Int
    ) -> AppFileReading {
        var reader = AppFileReader(document, file: file)
        for problem in document.problems where problem.kind != .duplicateKey {
            reader.findings.report(
                .app001, at: problem.range, problem.message, fix: problem.fix,
                edit: problem.edit, severity: problem.isError ? .error : .warning, isFatal: problem.isError)
        }
        guard let root = document.value else { return AppFileReading(appFile: nil, reader) }
        // A value beside errors is what the text would be once they are mended, and what else is wrong shows already.
        var appFile = reader.appFile(root, environment: environment)
        appFile?.rememberTranslation()
        if let appFile, !appFile.examples.isEmpty, reader.isFitForExamples {
            ExampleCheck(appFile).report(into: &reader.findings, workLeft: &workLeft)
        }
        return AppFileReading(appFile: appFile, reader)
    }

    /// The names under `environments`; nil where the text cannot be read through.
    public static func environments(in bytes: [UInt8]) -> [String]? {
        let document = SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
        guard let root = document.value, case .object(let members) = root.kind else { return nil }
        guard case .object(let overlays)? = members.first(where: { $0.key == "environments" })?.value.kind else {
            return []
        }
        return overlays.map(\.key)
    }

    /// Everything there is to say about a file, in each of its environments.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding] {
        let document = SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
        var workLeft = ExampleCheck.workMax
        let plain = read(document, file: file, environment: nil, workLeft: &workLeft)
        var findings = plain.findings + (plain.appFile?.ruleFindings() ?? [])
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

    /// Bytes of the file times environments that are read: some half a second.
    private static let environmentBytesMax = 8 * 1024 * 1024
    /// For how many different settings the rules are compared; each takes as long as for the plain file.
    private static let settingsMax = 5

    private static func notExamined(_ environment: String, of plain: AppFileReading, file: String) -> Finding {
        Finding(
            rule: .app043, severity: .note, file: file, range: plain.appFile?.ranges.root,
            message: "the environment \(environment.quoted) and those after it were not examined: the file is too "
                + "large for so many")
    }

    /// What the findings about rules depend on, and an environment may change.
    private struct RuleSettings: Hashable {
        /// Where the rules are; those of an overlay are in another place.
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

    /// What is to be said about the rules beside each other, and about what becomes of them on each platform. It takes
    /// longer than reading the file, and nothing of it keeps the file from being published.
    public func ruleFindings() -> [Finding] {
        let source = sourceMatcher
        return LinkOrderCheck(app: self, source: source).findings()
            + PlatformComparison(self, source: source).findings()
    }
}
