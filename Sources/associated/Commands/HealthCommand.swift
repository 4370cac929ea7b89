// `associated health`

import Administration
import Hosting
import Posix

extension Command {
    static let health = Command(
        name: "health", summary: "ask the running server whether it is ready",
        details: """
            Asks the admin listener whether the server is ready, and prints the answer: hosts on their last good version are
            listed but do not affect readiness. Without an admin listener it sends a liveness probe to the first plain-HTTP
            address. The addresses are found as `serve` finds them. Exits with status 0 if the answer is yes and comes within
            two seconds, otherwise 1. Made for a container's health check.
            """,
        options: [
            .config,
            .setting("--http").saying(
                "the server's plain address, if it has no admin listener (default: the first of server.json)"),
            .setting("--admin").saying("the server's admin listener (default: that of server.json)"),
        ]
    ) { arguments throws(Refusal) in
        let settings = try LoadedSettings(arguments).settings
        if let place = settings.admin { return try ready(place.address) }
        guard let address = settings.http.first else {
            return .failure(saying: "there is no address to ask; give one with --admin or --http")
        }
        do throws(AdminClient.Failure) {
            try AdminClient.ping(address, timeoutMilliseconds: timeoutMilliseconds)
            return .success
        } catch {
            throw .failure(error.description)
        }
    }

    private static let timeoutMilliseconds = 2_000

    /// Needs no token, as a probe does not.
    private static func ready(_ address: SocketAddress) throws(Refusal) -> ExitStatus {
        do throws(AdminClient.Failure) {
            let response = try AdminClient.get(
                "/readyz", from: address, token: nil, timeoutMilliseconds: timeoutMilliseconds)
            Console.output(String(decoding: response.body, as: UTF8.self))
            return response.status == 200 ? .success : .failure
        } catch {
            throw .failure(error.description)
        }
    }
}
