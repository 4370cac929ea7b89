// One file to lint, read and parsed once. Everything that works on the file, from its checks to the lines in messages, gets this
// value.

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

    /// - Parameter appHosts: the hosts of the app files, if known. Native projects with other hosts are reported.
    public func lint(appHosts: [HostPattern]? = nil) -> [Finding] {
        switch kind {
        case .appleAssociation, .signedAppleAssociation: Linter.lint(apple: bytes, parsed: document, file: path)
        case .statementList: Linter.lint(statements: bytes, parsed: document, file: path)
        case .appFile: AppFile.lint(document, file: path)
        case .entitlements: Linter.lint(entitlements: bytes, file: path, appHosts: appHosts)
        case .androidManifest: Linter.lint(manifest: bytes, file: path, appHosts: appHosts)
        case .unknown: []
        }
    }
}
