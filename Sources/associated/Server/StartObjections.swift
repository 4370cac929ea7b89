// Why a server does not start with what it was given, in sentences that say what to do. `serve` ends with the first of them,
// `serve --check` says the same.

import Association
import HTTP
import Hosting
import Posix

struct StartObjections {
    private let given: LoadedSettings

    init(_ given: LoadedSettings) { self.given = given }

    private var settings: ServerSettings { given.settings }

    /// Before anything is done with settings that are not what the operator wants.
    var toSettings: String? {
        if given.findings.contains(where: { $0.rule == "CFG-001" }) {
            // With none of its settings the server would listen elsewhere than it is asked for.
            return "\(given.configPath)/server.json cannot be read; fix or remove it"
        }
        if given.lostSafeguards.isEmpty { return nil }
        let keys = given.lostSafeguards.map { "`\($0)`" }.joined(separator: " and ")
        return
            "without \(keys) of \(given.configPath)/server.json, which cannot be used as it is, the server "
            + "would be less safe than it is meant to be; fix what is reported above"
    }

    /// A server that would answer nothing does not start.
    func to(_ loaded: RoundReport) -> String? {
        let errors = (given.findings + loaded.findings).count { $0.severity == .error }
        if settings.isStrict, errors > 0 {
            return "\(Count.of(errors, "error")) above, and --strict is set"
        }
        return loaded.hostCount == 0 ? toNothing : toAddresses
    }

    /// Another process of this user listens there: half of the clients would get its answers. What else is in the way is
    /// said when it is bound.
    func toSharing(_ address: SocketAddress) -> String? {
        guard !settings.reusesPort, (try? Listener.isShared(address)) == true else { return nil }
        let process = ListeningSockets.process(at: address).map { " (process \($0))" } ?? ""
        return
            "cannot listen on \(address): another server of this user listens there\(process); stop it, choose another "
            + "port, or share the port with --reuse-port to replace it without a gap"
    }

    /// Without any host to serve.
    var toNothing: String {
        "no app file in \(given.configPath)/apps gives a host to serve; write one, or fix what is reported above"
    }

    /// Whether there is an address to be asked at, and a client that is let in.
    var toAddresses: String? {
        if settings.http.isEmpty, settings.https.isEmpty {
            return "there is no address to listen on; give one with --http or --https"
        }
        if case .off = settings.proxyProtocol { return nil }
        if settings.fronts.trusted.isEmpty {
            return
                "with the PROXY protocol and no trusted front every client would be refused; name the "
                + "fronts with --trust"
        }
        return nil
    }
}
