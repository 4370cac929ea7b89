// The outcome of reading an app file.

/// What reading an app file gave. The model is there exactly when no finding is an error.
public struct AppFileReading: Sendable {
    public let appFile: AppFile?
    public internal(set) var findings: [Finding]
    /// The names under `environments`, known even when the file is no good.
    public let environments: [String]

    /// The hosts that the file names in other environments, and not in the one that was read.
    public let otherHosts: [HostPattern]

    init(appFile: AppFile?, _ reader: AppFileReader) {
        let own = Set(appFile?.hosts ?? [])
        otherHosts = Set(reader.allHosts).subtracting(own).sorted { $0.text < $1.text }
        self.appFile = reader.findings.hasErrors ? nil : appFile
        findings = reader.findings.sorted
        environments = reader.environments
    }
}
