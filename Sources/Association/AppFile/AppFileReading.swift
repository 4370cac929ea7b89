// The outcome of reading an app file.

/// What reading an app file gave. The model is there exactly when no finding is an error.
public struct AppFileReading: Sendable {
    public let appFile: AppFile?
    public let findings: [Finding]
    /// The names under `environments`, known even when the file is no good.
    public let environments: [String]

    init(appFile: AppFile?, _ reader: AppFileReader) {
        self.appFile = reader.findings.hasErrors ? nil : appFile
        findings = reader.findings.sorted
        environments = reader.environments
    }
}
