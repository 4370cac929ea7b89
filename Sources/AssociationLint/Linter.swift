// The door to linting: bytes of a file in, findings out, for each kind of file that the project knows.

public import Association
import SourceJSON

/// Lints association files. It opens none: whoever calls it names the file for the findings.
public enum Linter {
    /// What kind of file this is, by its content.
    public static func recognise(_ bytes: [UInt8]) -> DocumentKind { DocumentKind.recognise(bytes) }

    /// Lints an apple-app-site-association file as it is served.
    public static func lint(apple bytes: [UInt8], file: String) -> [Finding] {
        let reading = AppleAssociation.read(bytes, file: file)
        guard let content = reading.content else { return reading.findings }
        var check = AppleAssociationCheck(content, findings: reading.problems)
        check.run()
        return check.findings.sorted
    }

    /// Lints an assetlinks.json file as it is served. With the host that serves it, includes that lead back are found.
    public static func lint(statements bytes: [UInt8], file: String, host: String? = nil) -> [Finding] {
        let reading = StatementList.read(bytes, file: file, host: host)
        guard let content = reading.content else { return reading.findings }
        var check = StatementListCheck(content, findings: reading.problems)
        check.run()
        return check.findings.sorted
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

    /// Where two apps of a host, in merge order, claim the same URL. It takes longer than rendering.
    public static func overlaps(of apps: [AppFile], host: String) -> [Finding] {
        OverlapCheck(apps: apps, host: host).findings()
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

/// A kind of file, by its content.
public enum DocumentKind: String, Hashable, Sendable, CaseIterable {
    case appleAssociation
    /// A CMS signed message, which holds an apple-app-site-association file as far as anybody knows.
    case signedAppleAssociation
    case statementList
    case appFile
    /// The entitlements of an app on Apple's systems, with associated domains.
    case entitlements
    case androidManifest
    case unknown

    /// The keys that give a kind away, at the top level of an object.
    private static let signatureKeys: [(kind: DocumentKind, keys: Set<String>)] = [
        (.appleAssociation, ["applinks", "webcredentials", "appclips", "activitycontinuation"]),
        (.statementList, ["relation", "target", "include"]),
        (.appFile, ["hosts", "ios", "android", "links", "examples"]),
        // What a misplaced or older file has.
        (.appleAssociation, ["details", "appIDs", "appID"]),
    ]

    /// The kind of a file. A broken text is recognised too, by the keys that it mentions.
    static func recognise(_ bytes: [UInt8]) -> DocumentKind {
        if SignedMessage.isSigned(bytes) { return .signedAppleAssociation }
        if let kind = NativeProject.recognise(bytes) { return kind }
        let document = SourceReader.read(bytes, as: .json5)
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
        // Past the beginning nothing decides; a megabyte of something else is not searched.
        let start = String(decoding: text.prefix(4_096), as: UTF8.self)
        let has = { (word: String) in start.contains(run: word) }
        if ["applinks", "webcredentials", "appclips"].contains(where: has) { return .appleAssociation }
        if ["delegate_permission", "sha256_cert_fingerprints"].contains(where: has) { return .statementList }
        if has("hosts"), has("ios") || has("android") { return .appFile }
        return .unknown
    }
}
