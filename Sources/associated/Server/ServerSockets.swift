// Sockets that systemd opened for the server (socket activation), sorted by protocol. If there are
// any, the server listens on them only: the unit decides then, and the addresses of server.json and of options are ignored.

import Engine
import Hosting
import Posix

struct ServerSockets {
    private(set) var http: [InheritedSocket] = []
    private(set) var https: [InheritedSocket] = []

    var isEmpty: Bool { http.isEmpty && https.isEmpty }

    /// Takes what the process was started with. To be called once, before any thread is started.
    init() throws {
        for socket in try InheritedSocket.takeAll() {
            switch socket.name {
            case "http": http.append(socket)
            case "https": https.append(socket)
            default:
                throw Refusal.failure(
                    "cannot tell what to speak on the inherited socket \"\(socket.name)\"; "
                        + "set FileDescriptorName=http or FileDescriptorName=https in its socket unit")
            }
        }
    }

    /// The settings as if these addresses had been asked for.
    func replacingAddresses(of settings: ServerSettings) -> ServerSettings {
        if isEmpty { return settings }
        var settings = settings
        settings.http = http.map(\.address)
        settings.https = https.map(\.address)
        return settings
    }

    /// The sockets in the place of their addresses.
    func taking(from settings: EngineSettings) -> EngineSettings {
        if isEmpty { return settings }
        var settings = settings
        (settings.plainAddresses, settings.plainSockets) = ([], http)
        (settings.secureAddresses, settings.secureSockets) = ([], https)
        return settings
    }
}
