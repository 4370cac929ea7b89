// The door to app files: bytes in, a model or findings out.

public import SourceJSON

/// What reading an app file gave. The model is there exactly when no finding is an error.
public struct AppFileReading: Sendable {
    public let appFile: AppFile?
    public let findings: [Finding]
    /// The names under `environments`, known even when the file is no good.
    public let environments: [String]

    init(appFile: AppFile?, _ reader: AppFileReader) {
        self.appFile = reader.hasErrors ? nil : appFile
        findings = reader.findings
        environments = reader.environments
    }
}

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
        var reader = AppFileReader(file: file)
        for problem in document.problems where problem.kind != .duplicateKey {
            reader.report(Finding(problem, in: file))
        }
        guard let root = document.value else { return AppFileReading(appFile: nil, reader) }
        // A value beside errors is what the text would be once they are mended, and what else is wrong shows already.
        let appFile = reader.appFile(root, environment: environment)
        if let appFile, !reader.hasErrors {
            for finding in ExampleCheck(appFile).findings() { reader.report(finding) }
        }
        return AppFileReading(appFile: appFile, reader)
    }

    /// Everything there is to say about a file, in each of its environments.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding] {
        let document = SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
        let plain = read(document, file: file)
        var findings = plain.findings + (plain.appFile?.platformFindings() ?? [])
        var seen = Set(findings)
        for environment in plain.environments {
            let reading = read(document, file: file, environment: environment)
            let more = reading.findings + (reading.appFile?.platformFindings() ?? [])
            findings += more.filter { seen.insert($0).inserted }
        }
        return findings
    }

    /// Where the platforms will decide differently although the rules are stated once. It takes longer than reading the
    /// file, and none of it keeps the file from being published.
    public func platformFindings() -> [Finding] { PlatformComparison(self).findings() }
}

extension Finding {
    /// A problem of the text of an app file.
    fileprivate init(_ problem: SourceProblem, in file: String) {
        self.init(
            rule: AppFileRule.unreadable.rawValue, severity: problem.isError ? .error : .warning, file: file,
            range: problem.range, message: problem.message, fix: problem.fix, edit: problem.edit)
    }
}
