// `associated serve`: its description. The server itself is in `Serving`.

import Database
import Hosting
import Management
import Posix
import Serving
import Settings
import Supervision

extension Command {
    static let serve = Command(
        name: "serve", summary: "serve the association files of every app in config/",
        details: """
            Serves the association files and pages of every host that an app file names. The server picks up changed files
            automatically.

            SIGHUP reloads everything. SIGUSR2 replaces the running server by the program and settings on disk, without
            downtime. SIGTERM and SIGINT finish open requests and exit; a second one exits at once. SIGUSR1 reopens the
            access log.

            An option or variable wins over the same setting in server.json; defaults apply where neither sets a value.
            """,
        options: [.config, .publicFolder] + settings(["--http", "--https", "--admin", "--admin-token-file"]) + [.state]
            + settings([
                "--acme-webroot", "--access-log", "--access-log-format", "--log-format",
                "--log-level",
            ]) + [
                Option(
                    name: "--dev", value: nil,
                    help:
                        "development mode: create certificates for hosts that have none, only warn of removals, save nothing of "
                        + "what is served, and open the console on this machine",
                    variable: "ASSOCIATED_DEV")
            ] + settings(["--workers", "--environment"]) + [
                Option(
                    name: "--check", value: nil,
                    help: "report all startup errors and exit without serving; includes errors that do not prevent the "
                        + "start")
            ]
            + settings(["--strict", "--reuse-port", "--trust", "--proxy-protocol", "--user", "--sandbox"]),
        failure: "the server could not start, or --check found an error"
    ) { arguments in
        let loaded = try load(arguments)
        if arguments.has("--check") {
            var check = StartCheck(loaded, arguments)
            return check.run()
        }
        Log.begin(loaded.settings.processLog)
        Memory.returnAlways()
        guard let inheritance = Inheritance.own else {
            try ParentProcess.run(loaded.settings) { former in
                try ParentSetup(former == nil ? loaded : load(arguments), after: former)
            }
        }
        switch inheritance.role {
        case .server:
            var server = try Server(loaded, inheritance)
            return server.run()
        case .manager: return ManagerProcess.run(loaded, inheritance)
        }
    }

    private static func load(_ arguments: ParsedArguments) throws(Refusal) -> LoadedSettings {
        try LoadedSettings(arguments, text: Inheritance.own?.settingsText()) { settings in
            // A development server has a console, for this machine.
            if arguments.has("--dev"), !settings.manager.isWanted, DatabaseLocation.sqliteProblem == nil {
                settings.manager.api = SocketAddress(listening: LoadedSettings.developmentConsole)
            }
        }
    }

    private static func settings(_ names: [String]) -> [Option] { names.map(Option.setting) }
}
