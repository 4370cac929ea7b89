// `associated health`

import Hosting
import Posix
import Verifier

extension Command {
    static let health = Command(
        name: "health", summary: "ask the running server for a sign of life",
        details: """
            Asks the server that listens on the first plain address for a sign of life, and exits 0 when it gives one
            within two seconds, else 1. The addresses are found as `serve` finds them. Made for a container's health check.
            """,
        options: [.config, .http]
    ) { arguments in
        let settings: LoadedSettings
        switch LoadedSettings.load(arguments) {
        case .success(let loaded): settings = loaded
        case .failure(let status): return status
        }
        guard let address = settings.settings.http.first else {
            return .failure(saying: "there is no plain address to ask; give one with --http")
        }
        do throws(PingError) {
            try Ping.send(to: address, timeoutMilliseconds: 2_000)
            return .success
        } catch {
            return .failure(saying: error.description)
        }
    }
}
