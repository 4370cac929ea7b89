// From app files to the documents of a host. Several apps on one host end up in one document, in the order that the
// files ask for; the order matters, because the first rule that matches decides on the phone too.

public import SourceJSON

/// Renders what is served for one host.
public enum Renderer {
    /// Apple's limit, counted on the document unpacked.
    public static let appleBytesMax = 131_072
    /// From here on, a few more rules could be the last.
    static let appleBytesNear = 102_400
    /// What AOSP's verifier takes.
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

    /// The documents for a host that all of `apps`, in merge order, belong to. `host` only appears in findings.
    public static func documents(for apps: [AppFile], host: String? = nil) -> HostDocuments {
        guard apps.count <= appsMax else { return HostDocuments(refusing: apps, host: host) }
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

/// The generated documents of a host, and what there is to say about them.
public struct HostDocuments: Sendable {
    /// The apple-app-site-association document; nil where the host has no iOS app.
    public let apple: SourceValue?
    /// The statement list; nil where the host has no Android app.
    public let statements: SourceValue?
    /// The documents exactly as they are served: minified, because every phone downloads them and Apple counts their
    /// size unpacked; and with a newline at the end, because people look at them in terminals.
    public let appleBytes: [UInt8]?
    public let statementBytes: [UInt8]?
    public let signing: DocumentSigning
    public let cacheSeconds: Int
    /// With an error among them, the documents are not to be published.
    public let findings: [Finding]
}

extension HostDocuments {
    /// Nothing, of more app files than one host may have.
    init(refusing apps: [AppFile], host: String?) {
        let excess = apps[Renderer.appsMax...].map { app in
            Finding(
                .app045, in: app, at: app.ranges.hosts.first ?? app.ranges.root,
                "\(apps.count) app files name \(host ?? "the host"), and one host may have \(Renderer.appsMax)",
                fix: "merge app files, or move apps to hosts of their own")
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
