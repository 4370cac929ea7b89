// `associated manage`: its description. The manager itself is in `Manager/`.

import Hosting
import Management
import Posix
import Settings
import Supervision

extension Command {
    static let manage = Command(
        name: "manage", summary: "order and renew certificates without serving",
        details: """
            Orders and renews certificates without serving: the manager alone, for a unit or a container of its own. `associated
            serve` starts one by itself if server.json asks for it.

            The manager asks the server which hosts it serves, and writes certificates for it. Both meet in the state directory, so
            give the manager the --state and the user of the server. SIGTERM and SIGINT end it.
            """,
        options: [
            .config, .state, .setting("--user"), .setting("--sandbox"), .setting("--log-format"),
            .setting("--log-level"),
        ],
        failure: "the manager could not start"
    ) { arguments throws(Refusal) in
        let loaded = try LoadedSettings(arguments)
        Log.begin(loaded.settings.processLog)
        Memory.returnAlways()
        return ManagerProcess.run(loaded, nil)
    }
}
