// Checks that the app files have the environment that a server or a command was given. A file without an overlay for it is
// served as in production, so a misspelt name would serve production instead of staging.

public import Association
import Posix
public import Settings
public import SourceJSON

public enum EnvironmentCheck {
    public static func error(_ settings: ServerSettings, configPath: String, publishedPath: String) -> Finding? {
        guard settings.environment != nil else { return nil }
        let files = AppFiles(
            configPath: configPath, publishedPath: publishedPath, linkTargets: settings.linkTargets,
            limits: settings.limits)
        return error(settings.environment, in: files?.paths ?? [], of: configPath) { files?.bytes(of: $0) }
    }

    /// An error if there are app files and none of them has the environment.
    public static func error(
        _ environment: String?, in files: [String], of configPath: String, reading bytes: @escaping (String) -> [UInt8]?
    ) -> Finding? {
        guard let environment else { return nil }
        let names = files.lazy.compactMap { path in
            bytes(path).map { self.names(in: $0, AppFile.parse($0), environment) }
        }
        return error(environment, in: names, of: configPath)
    }

    /// The environments of an app file. A file that cannot be parsed counts as having one if its text contains the name.
    public static func names(in bytes: [UInt8], _ document: SourceDocument, _ environment: String) -> [String] {
        AppFile.environments(in: document)
            ?? (String(decoding: bytes, as: UTF8.self).contains(environment) ? [environment] : [])
    }

    /// That error, or a note if only some files lack the environment.
    /// - Parameter names: the environments of each app file.
    public static func finding(_ environment: String, in names: [[String]], of configPath: String) -> Finding? {
        if let error = error(environment, in: names, of: configPath) { return error }
        let lackingCount = names.count { !$0.contains(environment) }
        guard lackingCount > 0 else { return nil }
        return Finding(
            rule: .app022, severity: .note, file: "\(configPath)/apps", range: nil,
            message:
                "\(lackingCount) of \(names.count) app files have no environment `\(environment)`, so their base version is served"
        )
    }

    /// Reads no more files than needed to find one that has the environment.
    private static func error(
        _ environment: String, in files: some Sequence<[String]>, of configPath: String
    ) -> Finding? {
        var (known, hasFiles): ([String], Bool) = ([], false)
        for names in files {
            if names.contains(environment) { return nil }
            hasFiles = true
            for name in names where !known.contains(name) { known.append(name) }
        }
        guard hasFiles else { return nil }
        let nearest = NearestKey.find(environment, among: known)
        let others =
            known.isEmpty ? "no app file defines an environment" : "the app files have \(known.joined(separator: ", "))"
        return Finding(
            rule: .app022, severity: .error, file: "\(configPath)/apps", range: nil,
            message: "no app file has an environment `\(environment)`, so every host would be served as in production",
            fix: nearest.map { "did you mean `\($0)`?" } ?? others)
    }
}
