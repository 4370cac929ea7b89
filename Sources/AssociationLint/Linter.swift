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
        var check = AppleAssociationCheck(content, findings: reading.problems)
        check.run()
        return check.findings.sorted
    }

    /// Lints an assetlinks.json file as it is served. With `host`, it also finds includes that point back to the file.
    /// - Parameter document: the file, if it has been parsed already.
    public static func lint(
        statements bytes: [UInt8], parsed document: SourceDocument? = nil, file: String, host: String? = nil
    ) -> [Finding] {
        let reading = StatementList.read(bytes, parsed: document, file: file, host: host)
        guard let content = reading.content else { return reading.findings }
        var check = StatementListCheck(content, findings: reading.problems)
        check.run()
        return check.findings.sorted
    }

    /// Lints the entitlements of an app on Apple's systems, an XML property list.
    /// - Parameter appHosts: the hosts of the app files, if known. Other hosts are reported.
    public static func lint(
        entitlements bytes: [UInt8], file: String, appHosts: [HostPattern]? = nil
    ) -> [Finding] {
        var check = EntitlementsCheck(bytes, file: file, appHosts: appHosts)
        return check.run()
    }

    /// Lints the AndroidManifest.xml of an app: the XML source, not the binary form in a package.
    /// - Parameter appHosts: the hosts of the app files, if known. Other hosts are reported.
    public static func lint(manifest bytes: [UInt8], file: String, appHosts: [HostPattern]? = nil) -> [Finding] {
        var check = ManifestCheck(bytes, file: file, appHosts: appHosts)
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

/// A kind of file.
public enum DocumentKind: String, Hashable, Sendable, CaseIterable {
    case appleAssociation
    /// A CMS signed message. Only apple-app-site-association files are known to be signed.
    case signedAppleAssociation
    case statementList
    case appFile
    /// The entitlements of an app on Apple's systems, with associated domains.
    case entitlements
    case androidManifest
    case unknown

    /// The keys at the top level by which a kind is recognised.
    private static let signatureKeys: [(kind: DocumentKind, keys: Set<String>)] = [
        (.appleAssociation, ["applinks", "webcredentials", "appclips", "activitycontinuation"]),
        (.statementList, ["relation", "target", "include"]),
        (.appFile, ["hosts", "ios", "android", "links", "examples"]),
        // Misplaced keys, and keys of older files.
        (.appleAssociation, ["details", "appIDs", "appID"]),
    ]

    /// The kind of a file. A text that is not valid JSON is recognised by the keys in it.
    /// - Parameter document: the file, if it has been parsed already; both dialects have the same value.
    static func recognise(_ bytes: [UInt8], parsed document: SourceDocument? = nil) -> DocumentKind {
        if SignedMessage.isSigned(bytes) { return .signedAppleAssociation }
        if let kind = NativeFile.recognise(bytes) { return kind }
        let document = document ?? SourceReader.read(bytes, as: .json5)
        if let value = document.value { return recognise(value) }
        return recognise(brokenText: document.text)
    }

    static func recognise(_ value: SourceValue) -> DocumentKind {
        switch value.kind {
        case .array: return .statementList
        case .object(let members):
            let keys = Set(members.map(\.key))
            if let hit = signatureKeys.first(where: { !$0.keys.isDisjoint(with: keys) }) { return hit.kind }
            let isMisspelt = keys.contains { NearestKey.find($0, among: AppleAssociation.services) != nil }
            return isMisspelt ? .appleAssociation : .unknown
        default: return .unknown
        }
    }

    private static func recognise(brokenText text: [UInt8]) -> DocumentKind {
        // The keys are near the beginning; a large file of another kind is not searched to its end.
        let start = String(decoding: text.prefix(4_096), as: UTF8.self)
        let has = { (word: String) in start.contains(run: word) }
        if ["applinks", "webcredentials", "appclips"].contains(where: has) { return .appleAssociation }
        if ["delegate_permission", "sha256_cert_fingerprints"].contains(where: has) { return .statementList }
        if has("hosts"), has("ios") || has("android") { return .appFile }
        return .unknown
    }
}
