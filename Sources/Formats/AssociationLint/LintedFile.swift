// One file to lint, read and parsed once, and how its content shows which kind of file it is. Everything that works on the file,
// from its checks to the lines in messages, gets this value.

public import Association
public import SourceJSON

/// A file with its content and its kind.
public struct LintedFile: Sendable {
    public let path: String
    public let bytes: [UInt8]
    public let document: SourceDocument
    public let kind: DocumentKind

    /// - Parameter kind: nil to detect it from the content.
    /// - Parameter document: the file, if it has been parsed already.
    public init(_ bytes: [UInt8], path: String, kind: DocumentKind? = nil, document: SourceDocument? = nil) {
        // Only app files may be JSON5, and they all have the key `hosts`. After a wrong guess, the file is parsed again.
        let isLikelyApp = String(decoding: bytes.prefix(4_096), as: UTF8.self).contains("hosts")
        let isApp = kind.map { $0 == .appFile } ?? isLikelyApp
        let parse = { $0 ? AppFile.parse(bytes) : SourceReader.read(bytes, as: .json) }
        let document = document ?? parse(isApp)
        (self.path, self.bytes) = (path, bytes)
        self.kind = kind ?? DocumentKind.recognise(bytes, parsed: document)
        self.document = isApp == (self.kind == .appFile) ? document : parse(!isApp)
    }

    /// - Parameter appFiles: the app files, if known, with which native projects are compared.
    public func lint(appFiles: [AppFile]? = nil) -> [Finding] {
        switch kind {
        case .appleAssociation, .signedAppleAssociation: Linter.lint(apple: bytes, parsed: document, file: path)
        case .statementList: Linter.lint(statements: bytes, parsed: document, file: path)
        case .appFile: AppFile.lint(document, file: path)
        case .entitlements: Linter.lint(entitlements: bytes, file: path, appFiles: appFiles)
        case .androidManifest: Linter.lint(manifest: bytes, file: path, appFiles: appFiles)
        case .unknown: []
        }
    }

    /// The findings whose edits can be applied without asking a person: they change no decision of a system that reads the file.
    /// - Parameter isMeant: the rules whose advice is taken too.
    public func fixableFindings(isMeant: (RuleID) -> Bool = { _ in false }) -> [Finding] {
        lint().filter { finding in finding.edit.map { !$0.changesMeaning || isMeant(finding.rule) } ?? false }
    }
}

public enum DocumentKind: String, Hashable, Sendable, CaseIterable {
    case appleAssociation = "apple"
    /// A CMS signed message. Only apple-app-site-association files are known to be signed.
    case signedAppleAssociation
    case statementList = "android"
    case appFile = "app"
    /// The entitlements of an app on Apple's systems, with associated domains.
    case entitlements
    case androidManifest = "manifest"
    case unknown

    /// The kinds that a user may name, by their raw values.
    public static let named: [DocumentKind] = [
        .appleAssociation, .statementList, .appFile, .entitlements, .androidManifest,
    ]

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
