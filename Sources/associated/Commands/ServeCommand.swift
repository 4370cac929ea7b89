// `associated serve`: its options. What it does is in Server.swift.

import Hosting

extension Command {
    static let serve = Command(
        name: "serve", summary: "serve the association files of every app in config/",
        details: """
            Serves the association files, and the pages in public/, of every host that an app file names. SIGHUP reads
            everything again; SIGTERM and SIGINT finish what is in flight and end, a second one ends at once;
            SIGUSR1 opens the access log's file again.
            """,
        options: [.config, .publicFolder] + settings(["--http", "--https", "--admin", "--admin-token-file"]) + [.state]
            + settings([
                "--passphrase-file", "--acme-webroot", "--access-log", "--access-log-format", "--log-format",
                "--log-level",
            ]) + [
                Option(
                    name: "--dev", value: nil,
                    help: "make certificates for hosts that have none, for trying things out",
                    variable: "ASSOCIATED_DEV")
            ] + settings(["--workers", "--environment"]) + [
                Option(name: "--check", value: nil, help: "check everything that a start depends on, and exit")
            ]
            + settings(["--strict", "--reuse-port", "--trust", "--proxy-protocol", "--user", "--sandbox"])
    ) { arguments throws(Refusal) in
        let loaded = try LoadedSettings(arguments)
        if arguments.has("--check") {
            var check = StartCheck(loaded, arguments)
            return check.run()
        }
        Log.begin(loaded.settings.processLog)
        return Server(loaded).run()
    }

    private static func settings(_ names: [String]) -> [Option] { names.map(Option.setting) }
}
