// `associated serve`: what it is told on the command line. What it does is in Server.swift.

import Hosting

extension Command {
    static let serve = Command(
        name: "serve", summary: "serve the association files of every app in config/",
        details: """
            Serves the association files, and the pages in public/, of every host that an app file names. SIGHUP reads
            everything again; SIGTERM and SIGINT finish what is in flight and end, a second one ends at once;
            SIGUSR1 opens the access log's file again.
            """,
        options: [
            .config,
            .publicFolder, .http, .https, .admin, .adminTokenFile, .state, .passphraseFile, .acmeWebroot,
            .accessLog, .accessLogFormat, .logFormat, .logLevel,
            Option(
                name: "--dev", value: nil, help: "make certificates for hosts that have none, for trying things out",
                variable: "ASSOCIATED_DEV"),
            Option(
                name: "--workers", value: "N", help: "threads that serve (one per processor)",
                variable: "ASSOCIATED_WORKERS"),
            Option(
                name: "--environment", value: "NAME", help: "which environment of the app files to serve",
                variable: "ASSOCIATED_ENVIRONMENT"),
            Option(name: "--check", value: nil, help: "check everything that a start depends on, and exit"),
            Option(
                name: "--strict", value: nil, help: "refuse to start when anything is an error",
                variable: "ASSOCIATED_STRICT"),
            Option(
                name: "--reuse-port", value: nil,
                help: "listen beside another process on the same address, to replace it without a gap",
                variable: "ASSOCIATED_REUSE_PORT"),
            Option(
                name: "--trust", value: "NETWORK",
                help:
                    "believe fronts in this network, such as 10.0.0.0/8, about their clients; may be repeated, with commas in the variable",
                variable: "ASSOCIATED_TRUST", isRepeatable: true),
            Option(
                name: "--proxy-protocol", value: nil,
                help: "every connection begins with the header of such a front (PROXY protocol)",
                variable: "ASSOCIATED_PROXY_PROTOCOL"),
            Option(
                name: "--user", value: "USER",
                help: "whom to become when started as root; a name, or numbers such as 65532 or 65532:65532",
                variable: "ASSOCIATED_USER"),
            Option(
                name: "--sandbox", value: "MODE",
                help: "on, required or off; shut away what the server needs no more of files and of the kernel (on)",
                variable: "ASSOCIATED_SANDBOX", words: SandboxSettings.Mode.allCases.map(\.rawValue)),
        ]
    ) { arguments in
        switch LoadedSettings.load(arguments) {
        case .failure(let status): return status
        case .success(let loaded):
            if arguments.has("--check") {
                var check = StartCheck(loaded, arguments)
                return check.run()
            }
            Log.begin(loaded.settings.processLog)
            return Server(loaded).run()
        }
    }
}
