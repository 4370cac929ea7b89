// `associated health`: asks a running server whether it is ready, for the health check of a container.

import Administration
import Hosting
import Posix
import Settings
import Supervision

extension Command {
    static let health = Command(
        name: "health", summary: "check whether the running server is ready",
        details: """
            Checks whether the running server is ready, for the health check of a container.

            The command asks the admin listener and prints its answer, which also counts hosts on their last good
            version; these do not affect readiness. Without an admin listener, the command only checks whether the
            first plain-HTTP address answers. The timeout is two seconds.
            """,
        options: [
            .config,
            .setting("--http").with(
                help:
                    "plain-HTTP address of the server, if it has no admin listener (default: the first in server.json)"),
            .setting("--admin").with(help: "admin listener of the server (default: that of server.json)"),
        ],
        failure: "the server is not ready or does not answer"
    ) { arguments in
        let settings = try LoadedSettings(arguments).settings
        if let place = settings.admin {
            // Readiness needs no token.
            let response = try AdminClient.get(
                "/readyz", from: place.address, token: nil, timeoutMilliseconds: timeoutMilliseconds)
            Console.output(String(decoding: response.body, as: UTF8.self))
            return response.status == 200 ? .success : .failure
        }
        guard let address = settings.http.first else {
            return .failure(saying: "no address of the server is known; give one with --admin or --http")
        }
        do throws(AdminClient.Failure) {
            try AdminClient.ping(address, timeoutMilliseconds: timeoutMilliseconds)
            return .success
        } catch {
            return .failure(saying: "\(error); start the server, or name its address with --http or --admin")
        }
    }

    private static let timeoutMilliseconds = 2_000
}
