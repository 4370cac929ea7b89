// What only shows when the apps of one host come together: settings that contradict each other, an app that is there
// twice, a document that has grown too large.

/// Checks the apps of a host against each other.
struct SharedHostCheck {
    /// In merge order.
    let apps: [AppFile]
    let host: String

    func findings() -> [Finding] {
        // One app with one id on each platform, as on most hosts, is at odds with nobody.
        if apps.count == 1, apps[0].ios?.appIDs.count ?? 0 < 2, apps[0].android?.packages.count ?? 0 < 2 { return [] }
        return conflicts() + repeated(\.iosIDs, kind: "app id") + repeated(\.packageNames, kind: "package")
    }

    /// One finding for each app that wants something else than what the host gets.
    private func conflicts() -> [Finding] {
        var findings: [Finding] = []
        let withIOS = apps.filter { $0.ios != nil }
        if let first = withIOS.first {
            for app in withIOS.dropFirst() where app.ios?.signing != first.ios?.signing {
                findings.append(
                    Finding(
                        .app037, in: app, at: app.ranges.signed ?? app.ranges.root,
                        "`ios.signed` differs from \(first.file), which shares \(host) and comes first",
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
                    "`cacheControl` is longer than in \(other.file), which shares \(host); the shorter one counts",
                    fix: "make them equal"))
        }
        return findings
    }

    private func repeated(_ names: KeyPath<AppFile, [(name: String, index: Int)]>, kind: String) -> [Finding] {
        var owners: [String: String] = [:]
        var findings: [Finding] = []
        for app in apps {
            let ranges = kind == "package" ? app.ranges.packages : app.ranges.appIDs
            for (name, index) in app[keyPath: names] {
                if let owner = owners[name] {
                    findings.append(
                        Finding(
                            .app038, in: app, at: ranges.element(at: index) ?? app.ranges.root,
                            "the \(kind) \(name) is on \(host) through \(owner) too, and what a phone makes of two "
                                + "entries is undefined",
                            fix: "merge the two files, or give them different hosts"))
                } else {
                    owners[name] = app.file
                }
            }
        }
        return findings
    }

    /// The limits of the documents, each blamed on the app that comes last.
    func sizeFindings(appleBytes: Int?, statementBytes: Int?) -> [Finding] {
        guard let app = apps.last else { return [] }
        let range = app.ranges.links ?? app.ranges.root
        var findings: [Finding] = []
        if let count = appleBytes, count > Renderer.appleBytesNear {
            let isOver = count > Renderer.appleBytesMax
            let consequence = isOver ? "so Apple refuses it" : "and Apple refuses more than \(Renderer.appleBytesMax)"
            findings.append(
                Finding(
                    isOver ? .app034 : .app035, in: app, at: range,
                    "the association document of \(host) has \(count) bytes unpacked, \(consequence)",
                    fix: "use wildcards and variables, or move apps to hosts of their own"))
        }
        if let count = statementBytes, count > Renderer.statementBytesMax {
            findings.append(
                Finding(
                    .app033, in: app, at: range,
                    "the statement list of \(host) has \(count) bytes, and Android refuses more than "
                        + "\(Renderer.statementBytesMax)",
                    fix: "use fewer rules or variables, or move apps to hosts of their own"))
        }
        return findings
    }
}

extension AppFile {
    fileprivate var iosIDs: [(name: String, index: Int)] {
        (ios?.appIDs ?? []).enumerated().map { ($0.element, $0.offset) }
    }

    fileprivate var packageNames: [(name: String, index: Int)] {
        (android?.packages ?? []).enumerated().map { ($0.element.name, $0.offset) }
    }
}
