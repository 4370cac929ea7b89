// Checks that need all apps of a host together: contradicting settings, an app that is there twice, and a document that is
// too large.

import SourceJSON

/// Compares the apps of a host with each other.
struct SharedHostCheck {
    /// In merge order.
    let apps: [AppFile]
    let host: String

    func findings() -> [Finding] {
        // Most hosts have one app with one id on each platform, so there is nothing to compare.
        if apps.count == 1, apps[0].ios?.appIDs.count ?? 0 < 2, apps[0].android?.packages.count ?? 0 < 2 { return [] }
        return conflicts() + repeated("app id", at: \.ranges.appIDs) { $0.ios?.appIDs ?? [] }
            + repeated("package", at: \.ranges.packages) { ($0.android?.packages ?? []).map(\.name) }
    }

    /// One finding for each app whose setting is not used for the host.
    private func conflicts() -> [Finding] {
        var findings: [Finding] = []
        let withIOS = apps.filter { $0.ios != nil }
        if let first = withIOS.first {
            for app in withIOS.dropFirst() where app.ios?.signing != first.ios?.signing {
                findings.append(
                    Finding(
                        .app037, in: app, at: app.ranges.signed ?? app.ranges.root,
                        "`ios.signed` differs from \(first.file), which also names \(host) and takes precedence",
                        fix: "make them equal"))
            }
        }
        let shortest = apps.map(\.cacheSeconds).min()
        for app in apps where app.cacheSeconds != shortest {
            guard let range = app.ranges.cacheControl, let other = apps.first(where: { $0.cacheSeconds == shortest })
            else { continue }
            findings.append(
                Finding(
                    .app037, in: app, at: range,
                    "`cacheControl` is longer than in \(other.file), which also names \(host); the shorter time counts",
                    fix: "make them equal"))
        }
        return findings
    }

    private func repeated(
        _ kind: String, at ranges: KeyPath<AppFile, [SourceRange]>, _ names: (AppFile) -> [String]
    ) -> [Finding] {
        var owners: [String: String] = [:]
        var findings: [Finding] = []
        for app in apps {
            for (index, name) in names(app).enumerated() {
                if let owner = owners[name] {
                    findings.append(
                        Finding(
                            .app038, in: app, at: app[keyPath: ranges].element(at: index) ?? app.ranges.root,
                            "\(owner) also has the \(kind) \(name) for \(host); the behaviour of phones with two entries is "
                                + "undefined",
                            fix: "merge the two files, or give them different hosts"))
                } else {
                    owners[name] = app.file
                }
            }
        }
        return findings
    }

    /// Findings about the sizes of the documents, reported for the last app.
    func sizeFindings(appleBytes: Int?, statementBytes: Int?) -> [Finding] {
        guard let app = apps.last else { return [] }
        let range = app.ranges.links ?? app.ranges.root
        var findings: [Finding] = []
        if let count = appleBytes, count > Renderer.appleBytesNear {
            let isOver = count > Renderer.appleBytesMax
            let consequence = isOver ? "so Apple rejects it" : "and Apple rejects more than \(Renderer.appleBytesMax)"
            findings.append(
                Finding(
                    isOver ? .app034 : .app035, in: app, at: range,
                    "the AASA file of \(host) has \(count) bytes uncompressed, \(consequence)",
                    fix: "use wildcards and variables, or move apps to their own hosts"))
        }
        if let count = statementBytes, count > Renderer.statementBytesMax {
            findings.append(
                Finding(
                    .app033, in: app, at: range,
                    "the statement list of \(host) has \(count) bytes, and Android rejects more than "
                        + "\(Renderer.statementBytesMax)",
                    fix: "use fewer rules or variables, or move apps to their own hosts"))
        }
        return findings
    }
}
