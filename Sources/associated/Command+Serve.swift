// `associated serve`: what it is told on the command line. What it does is in Server.swift.

extension Command {
    static let serve = Command(
        name: "serve", summary: "serve the association files of every app in config/",
        details: """
            Serves the association files, and the pages in public/, of every host that an app file names. SIGHUP reads
            everything again; SIGTERM and SIGINT finish what is in flight and end, a second one ends at once.
            """,
        options: [
            .config,
            .publicFolder, .http, .https, .state, .passphraseFile,
            Option(
                name: "--dev", value: nil, help: "make certificates for hosts that have none, for trying things out",
                variable: "ASSOCIATED_DEV"),
            Option(
                name: "--workers", value: "N", help: "threads that serve (one per processor)",
                variable: "ASSOCIATED_WORKERS"),
            Option(
                name: "--environment", value: "NAME", help: "which environment of the app files to serve",
                variable: "ASSOCIATED_ENVIRONMENT"),
            Option(
                name: "--strict", value: nil, help: "refuse to start when anything is an error",
                variable: "ASSOCIATED_STRICT"),
        ]
    ) { arguments in
        switch LoadedSettings.load(arguments) {
        case .failure(let status): return status
        case .success(let loaded): return Server(loaded, arguments).run()
        }
    }
}
