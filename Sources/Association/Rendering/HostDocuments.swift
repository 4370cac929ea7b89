// What rendering the apps of one host gives.

public import SourceJSON

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
