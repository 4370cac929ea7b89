// Sockets that systemd opened for the server (socket activation), by protocol. If there are any, the server listens on them only,
// and the addresses of options and `server.json` are ignored.

import Engine
import Hosting
import Posix

struct ServerSockets {
    private(set) var http: [InheritedSocket] = []
    private(set) var https: [InheritedSocket] = []

    var isEmpty: Bool { http.isEmpty && https.isEmpty }

    /// Takes the inherited sockets. Call it once, before any thread starts.
    init() throws {
        for socket in try InheritedSocket.takeAll() {
            switch socket.name {
            case "http": http.append(socket)
            case "https": https.append(socket)
            default:
                throw Refusal.failure(
                    "unknown protocol of the inherited socket \"\(socket.name)\"; "
                        + "set FileDescriptorName=http or FileDescriptorName=https in its socket unit")
            }
        }
    }

    /// The settings with the addresses of these sockets.
    func replacingAddresses(of settings: ServerSettings) -> ServerSettings {
        if isEmpty { return settings }
        var settings = settings
        settings.http = http.map(\.address)
        settings.https = https.map(\.address)
        return settings
    }

    /// The engine's settings with these sockets instead of addresses.
    func taking(from settings: EngineSettings) -> EngineSettings {
        if isEmpty { return settings }
        var settings = settings
        (settings.plainAddresses, settings.plainSockets) = ([], http)
        (settings.secureAddresses, settings.secureSockets) = ([], https)
        return settings
    }
}
