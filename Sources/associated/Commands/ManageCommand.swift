// `associated manage`: its description. The manager itself is in `Manager/`.

import Hosting
import Posix

extension Command {
    static let manage = Command(
        name: "manage", summary: "order and renew certificates without serving",
        details: """
            Orders and renews certificates without serving: the manager alone, for a unit or a container of its own. `associated
            serve` starts one by itself if server.json asks for it.

            The manager asks the server at --admin which hosts it serves, and writes to the state directory, which the server
            reads. SIGTERM and SIGINT end it.
            """,
        options: [
            .config, .state, .setting("--user"), .setting("--sandbox"), .setting("--log-format"),
            .setting("--log-level"),
            .setting("--admin").with(help: "admin listener of the server (default: that of server.json)"),
            .setting("--admin-token-file"),
        ],
        failure: "the manager could not start"
    ) { arguments throws(Refusal) in
        let loaded = try LoadedSettings(arguments)
        Log.begin(loaded.settings.processLog)
        Memory.returnAlways()
        return ManagerProcess.run(loaded, nil)
    }
}
