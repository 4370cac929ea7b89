// The entry point of app files: from bytes to a model or findings.

public import SourceJSON

extension AppFile {
    /// Far more than the documents made from it may have.
    public static let bytesMax = 4 * 1024 * 1024

    /// Parses an app file (JSON5), with its limits.
    public static func parse(_ bytes: [UInt8]) -> SourceDocument {
        SourceReader.read(bytes, as: .json5, limits: SourceLimits(depth: 64, bytes: bytesMax))
    }

    /// Reads an app file (JSON5) and checks its examples. With an environment, its overlay is merged into the rest first
    /// (RFC 7396).
    public static func read(_ bytes: [UInt8], file: String, environment: String? = nil) -> AppFileReading {
        read(parse(bytes), file: file, environment: environment)
    }

    /// The same for a text that has been parsed already.
    public static func read(_ document: SourceDocument, file: String, environment: String? = nil) -> AppFileReading {
        var workLeft = ExampleCheck.workMax
        var reading = read(document, file: file, environment: environment, workLeft: &workLeft)
        guard let environment, let overlay = EnvironmentOverlay(environment, in: document), !reading.findings.isEmpty
        else { return reading }
        // Files without findings, nearly all of them, are read once. APP-027 may differ only because the work for the examples is
        // used up by the first reading.
        let plain = Set(read(document, file: file, environment: nil, workLeft: &workLeft).findings)
        reading.findings = reading.findings.map { finding in
            let isCommon = plain.contains(finding) || finding.rule == .app027
            return isCommon ? finding : overlay.naming(finding)
        }
        return reading
    }

    /// The same with a limit on the work that examples may take, shared by all readings of one file.
    package static func read(
        _ document: SourceDocument, file: String, environment: String?, workLeft: inout Int
    ) -> AppFileReading {
        var reader = AppFileReader(document, file: file)
        for problem in document.problems where problem.kind != .duplicateKey {
            reader.findings.list.report(
                .app001, at: problem.range, problem.message, fix: problem.fix,
                edit: problem.edit, severity: problem.isError ? .error : .warning, isFatal: problem.isError)
        }
        guard let root = document.value else { return AppFileReading(appFile: nil, reader) }
        // Despite errors there may be a value, the one after they are fixed, and so further findings.
        var appFile = reader.appFile(root, environment: environment)
        appFile?.rememberTranslation()
        if let appFile, !appFile.examples.isEmpty, reader.canCheckExamples {
            ExampleCheck(appFile).report(into: &reader.findings.list, workLeft: &workLeft)
        }
        return AppFileReading(appFile: appFile, reader)
    }

    /// The names under `environments`; nil if the text cannot be read to its end.
    public static func environments(in document: SourceDocument) -> [String]? {
        guard let root = document.value, root.asObject != nil else { return nil }
        return root.member(named: "environments")?.asObject?.map(\.key) ?? []
    }
}

/// The result of reading an app file. There is a model if no finding is an error.
public struct AppFileReading: Sendable {
    public let appFile: AppFile?
    public internal(set) var findings: [Finding]
    /// The names under `environments`, even if the file has errors.
    public let environments: [String]
    /// The hosts that the file names only in other environments than the one that was read.
    public let otherHosts: [HostPattern]
    /// The hosts that it names for the environment that was read, even if it has errors.
    public let hosts: [HostPattern]

    init(appFile: AppFile?, _ reader: AppFileReader) {
        hosts = appFile?.hosts ?? []
        let own = Set(hosts)
        otherHosts = Set(reader.allHosts).subtracting(own).sorted { $0.text < $1.text }
        self.appFile = reader.findings.list.hasErrors ? nil : appFile
        findings = reader.findings.list.sorted
        environments = reader.environments
    }
}
