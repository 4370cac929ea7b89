// Why a server does not start with these settings, and how to fix it. `serve` exits with the first problem, `serve --check` reports
// all.

public import Association
import HTTP
import Posix
import Settings

public struct StartProblems {
    private let given: LoadedSettings

    public init(_ given: LoadedSettings) { self.given = given }

    private var settings: ServerSettings { given.settings }

    /// Problems of `server.json`, checked before anything is done with it.
    public var inSettings: String? {
        if given.findings.contains(where: { $0.rule == .cfg001 }) {
            // Without any of its settings, the server would listen on the wrong address.
            return "\(given.configPath)/server.json cannot be read; fix or remove it"
        }
        if given.lostSafeguards.isEmpty { return nil }
        let keys = given.lostSafeguards.map { "`\($0)`" }.joined(separator: " and ")
        let them = given.lostSafeguards.count == 1 ? "it" : "them"
        return
            "\(keys) of \(given.configPath)/server.json cannot be used, and without \(them) the server would be less "
            + "safe; fix the errors above"
    }

    /// A server that would answer nothing does not start.
    /// - Parameter findings: those of the first round.
    public func inRound(_ findings: [Finding], hostCount: Int) -> String? {
        let errors = (given.findings + findings).count { $0.severity == .error }
        if settings.isStrict, errors > 0 {
            return "\(Count.of(errors, "error")) above, and --strict is set"
        }
        return (hostCount == 0 ? noHosts : nil) ?? inAddresses
    }

    /// With fewer descriptors, a server would fail somewhere in its start, or serve and no longer be able to read its files.
    public var inDescriptors: String? {
        let (limit, workers) = (DescriptorLimit.raise(), settings.workers ?? processorCount())
        let addressCount = settings.http.count + settings.https.count
        // Counted in /proc/PID/fd: each worker has its epoll and wake-ups, and two of each socket. The 64 are for threads with
        // files, the files of a round, and 16 connections.
        let needed = 64 + workers * (3 + 2 * addressCount)
        if limit >= needed { return nil }
        return
            "the limit of open files is \(limit), and a server with \(Count.of(workers, "worker")) needs at least \(needed), and "
            + "one more for each connection; raise LimitNOFILE= of the systemd unit, `--ulimit nofile=` of the container, or "
            + "ulimit -Hn of the shell, to 65536 if you can"
    }

    /// No host would be served; nil if files may be published later.
    public var noHosts: String? {
        if settings.manager.api != nil || Directory.exists("\(given.publishedPath)/apps") { return nil }
        return
            "no valid app file in \(given.configPath)/apps names a host; run `associated init`, or fix the errors above"
    }

    /// No address to listen on, or no client that would be accepted.
    public var inAddresses: String? {
        if settings.http.isEmpty, settings.https.isEmpty {
            return "no address to listen on; pass one with --http or --https"
        }
        if case .off = settings.proxyProtocol { return nil }
        if settings.proxies.networks.isEmpty {
            return
                "with the PROXY protocol and no trusted proxy, every client would be refused; name the "
                + "proxies with --trust"
        }
        return nil
    }
}
