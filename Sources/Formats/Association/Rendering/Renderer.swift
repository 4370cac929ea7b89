// Renders app files into the documents of a host. Several apps on one host share one document, in the order of their
// priority. The order matters, because on the phone the first rule that matches decides.

public import SourceJSON

/// Renders the association files of one host.
public enum Renderer {
    /// Apple's limit for the uncompressed document.
    public static let appleBytesMax = 131_072
    /// Above this size a note is reported.
    static let appleBytesNear = 102_400
    /// The limit of AOSP's verifier.
    static let statementBytesMax = 1_048_576

    /// App files that may name one host.
    public static let appsMax = 64

    /// The order in which files that share a host are merged: by priority, then by path, byte by byte.
    public static func mergeOrder(_ apps: [AppFile]) -> [AppFile] {
        if apps.count < 2 { return apps }
        return apps.sorted { first, second in
            if first.priority != second.priority { return first.priority < second.priority }
            return first.file.utf8.lexicographicallyPrecedes(second.file.utf8)
        }
    }

    /// The documents of a host.
    /// - Parameters:
    ///   - apps: all apps of the host, in merge order.
    ///   - host: the name in findings.
    public static func documents(for apps: [AppFile], host: String? = nil) -> HostDocuments {
        guard apps.count <= appsMax else { return HostDocuments(rejecting: apps, host: host) }
        var findings: [Finding] = []
        let apple = AppleDocument.render(apps, findings: &findings)
        let statements = StatementDocument.render(apps)
        let appleBytes = apple.map(HostDocuments.bytes)
        let statementBytes = statements.map(HostDocuments.bytes)
        let check = SharedHostCheck(apps: apps, host: host ?? apps.first?.hosts.first?.text ?? "the host")
        findings += check.findings()
        findings += check.sizeFindings(appleBytes: appleBytes?.count, statementBytes: statementBytes?.count)
        return HostDocuments(
            apple: apple, statements: statements, appleBytes: appleBytes, statementBytes: statementBytes,
            signing: apps.lazy.compactMap(\.ios).first?.signing ?? .none,
            cacheSeconds: apps.map(\.cacheSeconds).min() ?? AppFile.cacheSecondsDefault, findings: findings)
    }
}

/// The generated documents of a host, with the findings about them.
public struct HostDocuments: Sendable {
    /// The apple-app-site-association document; nil if the host has no iOS app.
    public let apple: SourceValue?
    /// The statement list; nil if the host has no Android app.
    public let statements: SourceValue?
    /// The documents as they are served: minified, because every phone downloads them and Apple limits the uncompressed
    /// size; and with a newline at the end, for people who print them in a terminal.
    public let appleBytes: [UInt8]?
    public let statementBytes: [UInt8]?
    public let signing: DocumentSigning
    public let cacheSeconds: Int
    /// If one of them is an error, the documents must not be published.
    public let findings: [Finding]
}

extension HostDocuments {
    /// No documents, because more app files name the host than are allowed.
    init(rejecting apps: [AppFile], host: String?) {
        let excess = apps[Renderer.appsMax...].map { app in
            Finding(
                .app045, in: app, at: app.ranges.hosts.first ?? app.ranges.root,
                "\(apps.count) app files name \(host ?? "the host"), but a host may have at most \(Renderer.appsMax)",
                fix: "merge app files, or move apps to their own hosts")
        }
        self.init(
            apple: nil, statements: nil, appleBytes: nil, statementBytes: nil, signing: .none,
            cacheSeconds: AppFile.cacheSecondsDefault, findings: Array(excess.prefix(1)))
    }

    static func bytes(of document: SourceValue) -> [UInt8] {
        SourceWriter.minified(document) + [UInt8(ascii: "\n")]
    }
}

enum StatementDocument {
    static func render(_ apps: [AppFile]) -> SourceValue? {
        var statements: [SourceValue] = []
        for app in apps {
            guard let android = app.android else { continue }
            let extensions = relationExtensions(app)
            for package in android.packages {
                statements.append(statement(package, android, extensions: extensions))
            }
        }
        return statements.isEmpty ? nil : .array(statements)
    }

    private static func statement(
        _ package: AndroidPackage, _ android: AndroidApp, extensions: SourceValue?
    ) -> SourceValue {
        .object(present: [
            ("relation", .strings(android.relations)),
            (
                "target",
                .object([
                    ("namespace", .string("android_app")),
                    ("package_name", .string(package.name)),
                    ("sha256_cert_fingerprints", .strings(package.fingerprints)),
                ])
            ),
            ("relation_extensions", extensions),
        ])
    }

    private static func relationExtensions(_ app: AppFile) -> SourceValue? {
        guard let rules = app.androidRules?.rules else { return nil }
        let components = SourceValue.array(rules.map(rendered))
        return .object([(AndroidApp.handleAllURLs, .object([("dynamic_app_link_components", components)]))])
    }

    private static func rendered(_ rule: AndroidRule) -> SourceValue {
        .object(present: [
            ("/", rule.path.map { .string($0) }),
            ("?", rule.query.map { .object($0.map { ($0.name, .string($0.pattern)) }) }),
            ("#", rule.fragment.map { .string($0) }),
            ("exclude", rule.exclude ? .bool(true) : nil),
        ])
    }
}
