// The entry point for linting: the bytes of a file in, findings out, for each kind of file that the project knows.

public import Association
public import SourceJSON

/// Lints association files. It opens no files; the caller passes the name that findings use.
public enum Linter {
    /// The kind of a file, detected from its content.
    public static func recognise(_ bytes: [UInt8]) -> DocumentKind { DocumentKind.recognise(bytes) }

    /// Lints an apple-app-site-association file as it is served.
    /// - Parameter document: the file, if it has been parsed already.
    public static func lint(apple bytes: [UInt8], parsed document: SourceDocument? = nil, file: String) -> [Finding] {
        let reading = AppleAssociation.read(bytes, parsed: document, file: file)
        guard let content = reading.content else { return reading.findings }
        var check = AppleAssociationCheck(association: content, findings: reading.problems)
        return check.run()
    }

    /// Lints an assetlinks.json file as it is served. With `host`, it also finds includes that point back to the file.
    /// - Parameter document: the file, if it has been parsed already.
    public static func lint(
        statements bytes: [UInt8], parsed document: SourceDocument? = nil, file: String, host: String? = nil
    ) -> [Finding] {
        let reading = StatementList.read(bytes, parsed: document, file: file, host: host)
        guard let content = reading.content else { return reading.findings }
        var check = StatementListCheck(list: content, findings: reading.problems)
        return check.run()
    }

    /// Lints the entitlements of an app on Apple's systems, an XML property list.
    /// - Parameter appFiles: the app files, if known. Hosts that only one side has are reported.
    public static func lint(entitlements bytes: [UInt8], file: String, appFiles: [AppFile]? = nil) -> [Finding] {
        var check = EntitlementsCheck(file: NativeFile(bytes, file: file, appFiles: appFiles))
        return check.run()
    }

    /// Lints the AndroidManifest.xml of an app: the XML source, not the binary form in a package.
    /// - Parameter appFiles: the app files, if known. Hosts that only one side has are reported.
    public static func lint(manifest bytes: [UInt8], file: String, appFiles: [AppFile]? = nil) -> [Finding] {
        var check = ManifestCheck(file: NativeFile(bytes, file: file, appFiles: appFiles))
        return check.run()
    }

    /// Finds URLs that two apps of a host claim. It takes longer than rendering.
    /// - Parameter apps: in merge order.
    public static func overlaps(of apps: [AppFile], host: String) -> [Finding] {
        OverlapCheck(apps: apps, host: host).findings()
    }

    /// Lints a file of any kind; nil if the kind is not known.
    public static func lint(_ bytes: [UInt8], file: String) -> [Finding]? {
        let file = LintedFile(bytes, path: file)
        return file.kind == .unknown ? nil : file.lint()
    }
}
