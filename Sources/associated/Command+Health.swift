// `associated health`

import Administration
import Hosting
import Posix
import Verifier

extension Command {
    static let health = Command(
        name: "health", summary: "ask the running server whether it is ready",
        details: """
            Asks the admin listener, where there is one, whether the server is ready, and prints what it says: hosts on a last
            good version are told, and keep nobody from being ready. Without an admin listener it asks the first plain address
            for a sign of life. Exits 0 when the answer is yes and comes within two seconds, else 1. The addresses are found as
            `serve` finds them. Made for a container's health check.
            """,
        options: [.config, .http, .admin]
    ) { arguments in
        let settings: ServerSettings
        switch LoadedSettings.load(arguments) {
        case .success(let loaded): settings = loaded.settings
        case .failure(let status): return status
        }
        if let place = settings.admin { return ready(place.address) }
        guard let address = settings.http.first else {
            return .failure(saying: "there is no address to ask; give one with --admin or --http")
        }
        do throws(PingError) {
            try Ping.send(to: address, timeoutMilliseconds: timeoutMilliseconds)
            return .success
        } catch {
            return .failure(saying: error.description)
        }
    }

    private static let timeoutMilliseconds = 2_000

    /// Needs no token, as a probe does not.
    private static func ready(_ address: SocketAddress) -> ExitStatus {
        do throws(AdminClient.Failure) {
            let response = try AdminClient.get(
                "/readyz", from: address, token: nil, timeoutMilliseconds: timeoutMilliseconds)
            Console.output(String(decoding: response.body, as: UTF8.self))
            return response.status == 200 ? .success : .failure
        } catch {
            return .failure(saying: error.description)
        }
    }
}
