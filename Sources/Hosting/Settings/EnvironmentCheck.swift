// Checks that the app files have the environment that a server or a command was given. A file without an overlay for it is
// served as in production, so a misspelt name would serve production instead of staging.

public import Association
import Posix
import SourceJSON

public enum EnvironmentCheck {
    /// The error for a server with these settings.
    public static func error(_ settings: ServerSettings, configPath: String) -> Finding? {
        guard settings.environment != nil else { return nil }
        let files = ConfigurationLoader.appFiles(
            configPath: configPath, linkTargets: settings.linkTargets, limits: settings.limits)
        return error(settings.environment, in: files ?? [], of: configPath)
    }

    /// An error if there are app files and none of them has the environment.
    public static func error(_ environment: String?, in files: [String], of configPath: String) -> Finding? {
        guard let environment else { return nil }
        let count = Tally(environment, files, stopsAtFirst: true)
        guard count.having == 0, count.files > 0 else { return nil }
        let nearest = NearestKey.find(environment, among: count.names)
        let known =
            count.names.isEmpty ? "no app file has any" : "the app files have \(count.names.joined(separator: ", "))"
        return Finding(
            rule: .app022, severity: .error, file: "\(configPath)/apps", range: nil,
            message: "no app file has an environment `\(environment)`, so every host would be served as in production",
            fix: nearest.map { "did you mean `\($0)`?" } ?? known)
    }

    /// That error, or a note if only some files lack the environment.
    public static func finding(_ environment: String?, in files: [String], of configPath: String) -> Finding? {
        if let error = error(environment, in: files, of: configPath) { return error }
        guard let environment else { return nil }
        let count = Tally(environment, files, stopsAtFirst: false)
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

        init(_ environment: String, _ paths: [String], stopsAtFirst: Bool) {
            for path in paths {
                guard let bytes = (try? File.read(path, bytesMax: AppFile.bytesMax))?.bytes else { continue }
                files += 1
                // A file that cannot be parsed counts as having the environment if its text contains the name.
                let found = AppFile.environments(in: bytes)
                let mentioned = String(decoding: bytes, as: UTF8.self).contains(environment) ? [environment] : []
                let all = found ?? mentioned
                for name in all where !names.contains(name) { names.append(name) }
                guard all.contains(environment) else { continue }
                having += 1
                if stopsAtFirst { return }
            }
        }
    }
}
