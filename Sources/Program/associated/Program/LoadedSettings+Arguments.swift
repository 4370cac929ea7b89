// The settings that a command runs with: options override environment variables, which override `server.json`. Secrets are never
// taken from the command line, which every user of the machine can read.

import Database
import Posix
import Settings
import Supervision

extension LoadedSettings {
    init(_ arguments: ParsedArguments) throws(Refusal) {
        try self.init(
            configPath: arguments["--config"] ?? "config", publicPath: arguments["--public"] ?? "public",
            statePath: arguments["--state"] ?? "state", isDevelopment: arguments.has("--dev"),
            text: Inheritance.own?.settingsText()
        ) { settings throws(Refusal) in
            for option in Setting.all.compactMap(\.option) {
                guard let values = arguments.all(option.name) else { continue }
                do throws(Setting.Objection) { try option.apply(values, to: &settings) } catch {
                    throw .usage("\(arguments.spelling(option.name, error.value)) \(error.reason)")
                }
            }
            // A development server has a console, for this machine.
            if arguments.has("--dev"), !settings.manager.isWanted, DatabaseLocation.sqliteProblem == nil {
                settings.manager.api = SocketAddress(listening: LoadedSettings.developmentConsole)
            }
        }
    }
}
