// `associated status`: the state of a running server, and who has fetched its files.

import Administration
import Association
import Delivery
import Hosting
import Issuance
import Management
import Posix
import Serving
import Settings
import SourceJSON
import Supervision

/// What a running server says.
enum StatusCommand {
    private static let timeoutMilliseconds = 5_000

    static func ask(_ path: String, at place: AdminPlace) throws -> AdminClient.Response {
        let token = try AdminSettings(place).token
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        else { throw Refusal.usage("\"\(path.dropFirst("/status/".count))\" is not a host") }
        return try AdminClient.get(path, from: place.address, token: token, timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Nil if it does not say it to this user.
    static func report(at place: AdminPlace) throws -> StatusReport? {
        SourceReader.read(try ask("/status", at: place).body, as: .json).value.flatMap { StatusReport($0) }
    }
}

extension Command {
    static let status = Command(
        name: "status", summary: "show the state of the running server, or who fetched a host's files",
        details: """
            Shows the state of the running server: what it serves, hosts on their last good version and why, open findings, the
            last reload, certificates and workers. The command asks the admin listener of the server.

            With HOST, it shows the certificate of that host, when Apple, Google and phones last fetched its association files,
            and whether they got the current version. If the settings have `delivery`, it also shows how far the files have got:
            published, fetched, in service at Apple and Google. Without HOST, it then shows how many hosts are in which state,
            and the ten worst. If the manager orders certificates, it shows the state of the host's and the next step, or how
            many are in which state, and up to ten hosts that need a person. HOST, --hosts, --expiring and --deliveries cannot
            be combined.
            """,
        operands: Operands(usage: "[HOST]", counts: 0...1),
        options: [
            .config, .state,
            .setting("--admin").with(help: "admin listener of the server (default: that of server.json)"),
            .setting("--admin-token-file").with(help: "file with the bearer token of the admin listener"),
            Option(name: "--hosts", value: nil, help: "list all hosts with the last fetches by Apple and Google"),
            Option(
                name: "--never-fetched", value: nil,
                help: "with --hosts: list only hosts whose file Apple or Google has not fetched yet"),
            Option(
                name: "--expiring", value: "TIME",
                help: "list the certificates that expire within this time, such as 14d or 36h, earliest first"),
            Option(
                name: "--deliveries", value: "STATE",
                help:
                    "list up to 100 hosts whose copy at Apple or Google is foreign, failing, absent, older, unknown or equal"
            ),
            .format,
        ],
        failure:
            "the server does not answer or does not serve HOST; without HOST, also if it is not ready, has an open error, "
            + "has not yet checked all certificates or notices no changes, if the manager cannot work, a host without a valid "
            + "certificate needs a person, or Apple or Google has another server's file"
    ) { arguments in
        let isJSON = try arguments.wantsJSON()
        let host = arguments.operands.first
        var within: Int64?
        if let text = arguments["--expiring"] {
            guard host == nil else { throw Refusal.usage("--expiring takes no HOST") }
            guard let span = TimeSpan(text) else {
                throw Refusal.usage("--expiring \(text) is not a duration; write 14d or 36h")
            }
            within = span.seconds
        }
        let listsHosts = arguments.has("--hosts")
        if listsHosts, within != nil || host != nil { throw Refusal.usage("--hosts takes neither HOST nor --expiring") }
        if arguments.has("--never-fetched"), !listsHosts { throw Refusal.usage("--never-fetched needs --hosts") }
        let loaded = try LoadedSettings(arguments)
        if let text = arguments["--deliveries"] {
            guard host == nil, within == nil, !listsHosts else {
                throw Refusal.usage("--deliveries takes neither HOST nor --hosts nor --expiring")
            }
            guard let state = DeliveryState(rawValue: text) else {
                let states = DeliveryState.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal.usage("--deliveries \(text) is not a state; write one of \(states)")
            }
            return try DeliveryOverview.list(state, loaded, asJSON: isJSON)
        }
        // A development server has one that no setting names.
        let socket = "\(loaded.statePath)/admin.sock"
        let unnamed = File.exists(socket) ? SocketAddress("unix:\(socket)").map { AdminPlace(address: $0) } : nil
        guard let place = loaded.settings.admin ?? unnamed else {
            // The address may be in a part of server.json that could not be read.
            for finding in loaded.findings { Console.error(finding) }
            if loaded.findings.contains(where: { $0.severity == .error }) {
                throw Refusal.failure(
                    "the address of the admin listener is unknown, because server.json has errors; give it with --admin"
                )
            }
            throw Refusal.failure(
                loaded.text == nil
                    ? "no admin listener is known, because \(loaded.configPath)/server.json does not exist; give the address that "
                        + "the running server has logged with --admin, or start one with --admin \(AdminPlace.defaultAddress)"
                    : "no admin listener is configured; start the server with --admin \(AdminPlace.defaultAddress) and give "
                        + "the same option here")
        }
        let hosts = listsHosts ? arguments.has("--never-fetched") ? "/hosts/unfetched" : "/hosts" : nil
        let path =
            hosts ?? within.map { "/expiring/\($0)" } ?? host.map { "/status/\(HostPattern.typed($0))" } ?? "/status"
        let response = try StatusCommand.ask(path, at: place)
        if response.status == 404 {
            if listsHosts { throw Refusal.failure("the server does not list its hosts; its version is too old") }
            if within != nil {
                throw Refusal.failure("the server lists no certificates; it has no TLS, or its version is too old")
            }
            guard let host else { throw Refusal.failure("the server answers 404") }
            throw unserved(host, response, GivenConfiguration(arguments), state: loaded.statePath)
        }
        guard response.status == 200 else {
            throw Refusal.failure(
                try response.status == 401 ? refusal(place) : "the server answers \(response.status)")
        }
        let value = SourceReader.read(response.body, as: .json).value ?? .null
        let status = path == "/status" ? StatusReport(value) : nil
        let text =
            if listsHosts {
                HostList(value)?.text
            } else if within != nil {
                ExpiryReport(value)?.text
            } else {
                host == nil ? status?.text : HostReport(value)?.text
            }
        guard let text else {
            throw Refusal.failure("cannot read the server's answer; is it an associated server of about this version?")
        }
        let (manager, hasMore) = (loaded.settings.manager, !listsHosts && within == nil)
        // Certificates and deliveries are of the configured name: that host, or the wildcard that covers it.
        let name = host.map { value.member(named: "name")?.asString ?? HostPattern.typed($0) }
        // What the server says must not wait for a store that is locked.
        if !isJSON { Console.output(text) }
        let ordersAny = hasMore && (manager.issuance != nil || ManagerInputs.remembersOrders(loaded))
        let certificates = ordersAny ? IssuanceOverview.load(name, loaded) : nil
        let hasStore = !ordersAny || certificates != nil
        let deliveries = hasMore && hasStore && manager.delivery != nil ? DeliveryOverview.load(host, loaded) : nil
        if isJSON {
            let more = (certificates?.members ?? []) + (deliveries?.members ?? [])
            let members = (value.asObject ?? []).map { ($0.key, $0.value) } + more
            Console.output(data: more.isEmpty ? response.body : SourceWriter.canonical(.object(members)))
        } else {
            for line in (certificates?.lines ?? []) + (deliveries?.lines ?? []) { Console.output(line: line) }
        }
        return [status?.isFine, certificates?.isFine, deliveries?.isFine].contains(false) ? .failure : .success
    }

    /// Why the server answers 401.
    private static func refusal(_ place: AdminPlace) throws -> String {
        guard try AdminSettings(place).token != nil else {
            return "the server requires a token; give it with --admin-token-file or ASSOCIATED_ADMIN_TOKEN"
        }
        let source = place.tokenFile.map { "of \($0)" } ?? "of ASSOCIATED_ADMIN_TOKEN"
        return
            "the server refuses the token \(source); if it was replaced since the start, SIGUSR2 makes the server use it"
    }

    /// Says that a host is not served, and why: the server's findings on files that name it, or else the app file here that names it,
    /// its removal, or a similar host.
    private static func unserved(
        _ host: String, _ response: AdminClient.Response, _ given: GivenConfiguration, state: String
    ) -> Refusal {
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n").dropFirst()
        let hint = lines.first { $0.hasPrefix("did you mean ") }.map { Printable.line(String($0)) }
        if !lines.isEmpty, hint == nil {
            for line in lines { Console.error(line: String(line)) }
            return .failure("\(host) is not served because of the \(lines.count == 1 ? "error" : "errors") above")
        }
        let name = HostPattern.typed(host)
        let last = (try? ChangeJournal(folder: state).entries())?.last { $0.host == name }
        let removed = last.flatMap { $0.event == "removed" ? "it was removed at \($0.time)" : nil }
        let why = given.whyUnserved(name) ?? removed ?? hint
        return .failure(["\(host) is not served", why].compactMap(\.self).joined(separator: "; "))
    }
}
