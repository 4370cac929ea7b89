// The door to linting: bytes of a file in, findings out, for each kind of file that the project knows.

/// Lints association files. It opens none: whoever calls it names the file for the findings.
public enum Linter {
    /// What kind of file this is, by its content.
    public static func recognise(_ bytes: [UInt8]) -> DocumentKind { DocumentKind.recognise(bytes) }

    /// Lints an apple-app-site-association file as it is served.
    public static func lint(apple bytes: [UInt8], file: String) -> [Finding] {
        AppleAssociation.read(bytes, file: file).findings
    }

    /// Lints an assetlinks.json file as it is served. With the host that serves it, includes that lead back are found.
    public static func lint(statements bytes: [UInt8], file: String, host: String? = nil) -> [Finding] {
        StatementList.read(bytes, file: file, host: host).findings
    }

    /// Lints the entitlements of an app on Apple's systems, an XML property list. Its hosts have to be among those of the
    /// app files, where these are known.
    public static func lint(
        entitlements bytes: [UInt8], file: String, appHosts: [HostPattern]? = nil
    ) -> [Finding] {
        var project = NativeProject(bytes, file: file)
        project.appHosts = appHosts
        return project.lintEntitlements()
    }

    /// Lints the AndroidManifest.xml of an app as it is written, not as it is packed; likewise.
    public static func lint(manifest bytes: [UInt8], file: String, appHosts: [HostPattern]? = nil) -> [Finding] {
        var project = NativeProject(bytes, file: file)
        project.appHosts = appHosts
        return project.lintManifest()
    }

    /// Lints a file of any kind; nil where the kind is not known.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding]? {
        switch recognise(bytes) {
        case .appleAssociation, .signedAppleAssociation: lint(apple: bytes, file: file)
        case .statementList: lint(statements: bytes, file: file)
        case .appFile: AppFile.lint(bytes, file: file)
        case .entitlements: lint(entitlements: bytes, file: file)
        case .androidManifest: lint(manifest: bytes, file: file)
        case .unknown: nil
        }
    }
}
