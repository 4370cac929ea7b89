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
        var reader = AppFileReader(document, file: file)
        for problem in document.problems where problem.kind != .duplicateKey {
            reader.findings.report(
                AppFileRule.unreadable.rawValue, at: problem.range, problem.message, fix: problem.fix,
                edit: problem.edit, severity: problem.isError ? .error : .warning)
        }
        guard let root = document.value else { return AppFileReading(appFile: nil, reader) }
        // A value beside errors is what the text would be once they are mended, and what else is wrong shows already.
        let appFile = reader.appFile(root, environment: environment)
        if let appFile, !appFile.examples.isEmpty, !reader.findings.hasErrors {
            ExampleCheck(appFile).report(into: &reader.findings)
        }
        return AppFileReading(appFile: appFile, reader)
    }

    /// Everything there is to say about a file, in each of its environments.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding] {
        let document = SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
        let plain = read(document, file: file)
        var findings = plain.findings + (plain.appFile?.ruleFindings() ?? [])
        var seen = Set(findings)
        for environment in plain.environments {
            let reading = read(document, file: file, environment: environment)
            let more = reading.findings + (reading.appFile?.ruleFindings() ?? [])
            findings += more.filter { seen.insert($0).inserted }
        }
        return findings
    }

    /// What is to be said about the rules beside each other, and about what becomes of them on each platform. It takes
    /// longer than reading the file, and nothing of it keeps the file from being published.
    public func ruleFindings() -> [Finding] { LinkOrderCheck(app: self).findings() + platformFindings() }

    /// Where the platforms will decide differently although the rules are stated once.
    func platformFindings() -> [Finding] { PlatformComparison(self).findings() }
}
