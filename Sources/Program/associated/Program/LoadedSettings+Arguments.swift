// The settings that a command runs with: options override environment variables, which override `server.json`. Secrets are never
// taken from the command line, which every user of the machine can read.

import Posix
import Settings
import Supervision

extension LoadedSettings {
    /// - Parameters:
    ///   - text: `server.json`, if not that of the folder.
    ///   - adjust: what the command itself changes.
    init(
        _ arguments: ParsedArguments, text: [UInt8]? = nil, adjust: (inout ServerSettings) -> Void = { _ in }
    ) throws(Refusal) {
        try self.init(
            configPath: arguments["--config"] ?? "config", publicPath: arguments["--public"] ?? "public",
            statePath: arguments["--state"] ?? "state", isDevelopment: arguments.has("--dev"), text: text
        ) { settings throws(Refusal) in
            for option in Setting.all.compactMap(\.option) {
                guard let values = arguments.all(option.name) else { continue }
                do throws(Setting.Objection) { try option.apply(values, to: &settings) } catch {
                    throw .usage("\(arguments.spelling(option.name, error.value)) \(error.reason)")
                }
            }
            adjust(&settings)
        }
    }
}
