// The door to app files: bytes in, a model or findings out.

public import SourceJSON

/// What reading an app file gave. The model is there exactly when no finding is an error.
public struct AppFileReading: Sendable {
    public let appFile: AppFile?
    public let findings: [Finding]
}

extension AppFile {
    /// The same for a file that has been parsed already.
    public static func read(_ root: SourceValue, file: String, environment: String? = nil) -> AppFileReading {
        var reader = AppFileReader(file: file)
        let appFile = reader.appFile(root, environment: environment)
        return AppFileReading(appFile: reader.hasErrors ? nil : appFile, findings: reader.findings)
    }
}
