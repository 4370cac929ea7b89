// `associated serve`: loads, starts the engine, and then waits for signals.

import Association
import Catalogue
import Engine
import Glibc
import Hosting
import Posix

extension Command {
    static let serve = Command(
        name: "serve", summary: "serve the association files of every app in config/",
        details: """
            Serves the association files, and the pages in public/, of every host that an app file names. SIGHUP reads
            everything again; SIGTERM and SIGINT finish what is in flight and end, a second one ends at once.
            """,
        options: [
            .config,
            Option(
                name: "--public", value: "DIR", help: "the folder with pages (public)", variable: "ASSOCIATED_PUBLIC"),
            .http,
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
        case .success(let loaded): return Server(loaded, publicPath: arguments["--public"] ?? "public").run()
        }
    }
}

/// A running server, from the point of view of its process.
private struct Server {
    private let settings: ServerSettings
    private let settingsFindings: [Finding]
    private let loader: ConfigurationLoader

    init(_ loaded: LoadedSettings, publicPath: String) {
        settings = loaded.settings
        settingsFindings = loaded.findings
        loader = ConfigurationLoader(
            configPath: loaded.configPath, publicPath: publicPath, environment: loaded.settings.environment)
    }

    func run() -> ExitStatus {
        do {
            // Before any thread is started, so that all of them leave signals to this one.
            let signals = try Signals([SIGTERM, SIGINT, SIGHUP])
            for finding in settingsFindings { Console.error(finding) }
            let configuration = try loader.load()
            for finding in configuration.findings { Console.error(finding) }
            if let status = objection(to: configuration) { return status }
            let published = PublishedCatalogue(configuration.catalogue)
            let engine = try Engine(
                addresses: settings.http, workerCount: settings.workers ?? processorCount(), limits: settings.limits,
                published: published)
            announce(configuration, engine)
            return manage(engine, published, signals)
        } catch let error as any Error & CustomStringConvertible {
            return .failure(saying: error.description)
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    /// A server that would answer nothing to anybody does not start.
    private func objection(to configuration: LoadedConfiguration) -> ExitStatus? {
        let errors = (settingsFindings + configuration.findings).count { $0.severity == .error }
        if settings.isStrict, errors > 0 {
            return .failure(
                saying: "not started: \(errors) \(errors == 1 ? "error" : "errors") above, and --strict is set")
        }
        if configuration.hosts.isEmpty {
            return .failure(saying: "not started: no app file gives a host to serve")
        }
        return nil
    }

    private func announce(_ configuration: LoadedConfiguration, _ engine: Engine) {
        Console.error("serving \(summary(configuration))\n")
        for address in engine.addresses {
            Console.error("listening on \(address.isUnix ? "" : "http://")\(address)\n")
        }
        Console.error("ready\n")
    }

    private func summary(_ configuration: LoadedConfiguration) -> String {
        let apps = configuration.appCount
        let hosts = configuration.hosts.count
        return "\(apps) \(apps == 1 ? "app" : "apps") on \(hosts) \(hosts == 1 ? "host" : "hosts")"
    }

    private func manage(_ engine: Engine, _ published: PublishedCatalogue, _ signals: borrowing Signals) -> ExitStatus {
        while signals.next() == SIGHUP { reload(engine, published) }
        Console.error("stopping\n")
        do {
            // Beside this thread, which goes on listening for the second signal; it is never joined, it ends the process.
            _ = try Thread(name: "drain") {
                engine.stop()
                exit(ExitStatus.success.rawValue)
            }
            while signals.next() == SIGHUP {}
            Console.error("stopped before everything was finished\n")
            exit(ExitStatus.failure.rawValue)
        } catch {
            engine.stop()
            return .success
        }
    }

    /// Publishes what is there now, or keeps what is in service when that cannot be read.
    private func reload(_ engine: Engine, _ published: PublishedCatalogue) {
        do {
            let configuration = try loader.load()
            for finding in configuration.findings { Console.error(finding) }
            published.publish(configuration.catalogue)
            engine.catalogueChanged()
            Console.error("reloaded: serving \(summary(configuration))\n")
        } catch {
            Console.error("associated: kept what was served: \(error)\n")
        }
    }
}
