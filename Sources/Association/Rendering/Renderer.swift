// From app files to the documents of a host. Several apps on one host end up in one document, in the order that the
// files ask for; the order matters, because the first rule that matches decides on the phone too.

import SourceJSON

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

    /// Where two apps of a host, in merge order, claim the same URL. It takes longer than rendering.
    public static func overlaps(of apps: [AppFile], host: String) -> [Finding] {
        OverlapCheck(apps: apps, host: host).findings()
    }

    /// The documents for a host that all of `apps`, in merge order, belong to. `host` only appears in findings.
    public static func documents(for apps: [AppFile], host: String? = nil) -> HostDocuments {
        guard apps.count <= appsMax else { return HostDocuments(refusing: apps, host: host) }
        var findings: [Finding] = []
        let apple = AppleDocument.render(apps, findings: &findings)
        let statements = StatementDocument.render(apps)
        let appleBytes = apple.map(HostDocuments.bytes)
        let statementBytes = statements.map(HostDocuments.bytes)
        let check = HostCheck(apps: apps, host: host ?? apps.first?.hosts.first?.text ?? "the host")
        findings += check.findings()
        findings += check.sizeFindings(appleBytes: appleBytes?.count, statementBytes: statementBytes?.count)
        return HostDocuments(
            apple: apple, statements: statements, appleBytes: appleBytes, statementBytes: statementBytes,
            signing: apps.lazy.compactMap(\.ios).first?.signing ?? .none,
            cacheSeconds: apps.map(\.cacheSeconds).min() ?? AppFile.cacheSecondsDefault, findings: findings)
    }
}
