// Checks that the app files have the environment that a server or a command was given. A file without an overlay for it is
// served as in production, so a misspelt name would serve production instead of staging.

public import Association
import Posix
public import SourceJSON

public enum EnvironmentCheck {
    /// The error for a server with these settings.
    public static func error(_ settings: ServerSettings, configPath: String) -> Finding? {
        guard settings.environment != nil else { return nil }
        let files = AppFiles(configPath: configPath, linkTargets: settings.linkTargets, limits: settings.limits)
        return error(settings.environment, in: files?.paths ?? [], of: configPath) { files?.bytes(of: $0) }
    }

    /// An error if there are app files and none of them has the environment.
    public static func error(
        _ environment: String?, in files: [String], of configPath: String, reading bytes: @escaping (String) -> [UInt8]?
    ) -> Finding? {
        guard let environment else { return nil }
        let names = files.lazy.compactMap { path -> [String]? in
            guard let bytes = bytes(path) else { return nil }
            return self.names(in: bytes, AppFile.parse(bytes), environment)
        }
        return error(environment, in: Tally(environment, names, stopsAtFirst: true), of: configPath)
    }

    /// The environments of an app file. A file that cannot be parsed counts as having one if its text contains the name.
    public static func names(in bytes: [UInt8], _ document: SourceDocument, _ environment: String) -> [String] {
        AppFile.environments(in: document)
            ?? (String(decoding: bytes, as: UTF8.self).contains(environment) ? [environment] : [])
    }

    private static func error(_ environment: String, in count: Tally, of configPath: String) -> Finding? {
        guard count.having == 0, count.files > 0 else { return nil }
        let nearest = NearestKey.find(environment, among: count.names)
        let known =
            count.names.isEmpty
            ? "no app file defines an environment" : "the app files have \(count.names.joined(separator: ", "))"
        return Finding(
            rule: .app022, severity: .error, file: "\(configPath)/apps", range: nil,
            message: "no app file has an environment `\(environment)`, so every host would be served as in production",
            fix: nearest.map { "did you mean `\($0)`?" } ?? known)
    }

    /// That error, or a note if only some files lack the environment.
    /// - Parameter names: the environments of each app file.
    public static func finding(_ environment: String, in names: [[String]], of configPath: String) -> Finding? {
        let count = Tally(environment, names, stopsAtFirst: false)
        if let error = error(environment, in: count, of: configPath) { return error }
        guard count.having < count.files else { return nil }
        return Finding(
            rule: .app022, severity: .note, file: "\(configPath)/apps", range: nil,
            message:
                "\(count.files - count.having) of \(count.files) app files have no environment `\(environment)`, so their "
                + "base version is served")
    }

    /// Counts the app files, and those that have an environment.
    private struct Tally {
        var files = 0
        var having = 0
        /// The environments of the files that were read.
        var names: [String] = []

        init(_ environment: String, _ files: some Sequence<[String]>, stopsAtFirst: Bool) {
            for found in files {
                self.files += 1
                for name in found where !names.contains(name) { names.append(name) }
                guard found.contains(environment) else { continue }
                having += 1
                if stopsAtFirst { return }
            }
        }
    }
}
