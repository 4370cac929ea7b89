// The project's files as they lie on disk beside this test: what is there counts, whether committed or not.

import Foundation

/// The tree that this test was compiled in.
struct SourceTree {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL

    /// Every Swift file of the package, in the order of their paths.
    static let swiftFiles = files(under: ["Sources", "Tests"]) { $0.hasSuffix(".swift") }

    /// Everything else that people write here and read as text.
    static let otherFiles = files(under: [
        ".ci", "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "Fuzzing/Package.swift",
        "Fuzzing/Sources", "Package.swift", "README.md", "SECURITY.md", "Sources", "Tests", "config", "deploy", "docs",
        "public", "script",
    ]) { path in
        let isListed = path.hasPrefix("Sources/") || path.hasPrefix("Tests/")
        return !path.contains(".build/") && !(isListed && path.hasSuffix(".swift"))
    }

    static func content(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func files(under places: [String], where isWanted: (String) -> Bool) -> [SourceFile] {
        places.flatMap(paths(under:)).filter(isWanted).sorted().compactMap { path in
            (try? content(of: path)).map { SourceFile(path: path, $0) }
        }
    }

    /// The place itself, or every file below it; certificates and keys are not prose.
    private static func paths(under place: String) -> [String] {
        guard isFolder(place) else { return [place] }
        let folder = root.appendingPathComponent(place).path
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return below.map { "\(place)/\($0)" }.filter { !isFolder($0) && !$0.hasSuffix(".pem") }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(
            atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
        return exists && isFolder.boolValue
    }
}
