// `associated status`: the state of a running server, and who has fetched its files.

import Administration
import Association
import Hosting
import Posix
import SourceJSON

extension Command {
    static let status = Command(
        name: "status", summary: "tell how the running server stands, and who fetched the files of a host",
        details: """
            Asks the running server on its admin listener. Without HOST: what it serves, hosts on a last good version and why,
            the last reload, what is wrong with certificates and since when, workers. With HOST: its certificate, when Apple,
            Google and phones last fetched its association files, and whether they got the current version.
            --hosts lists all hosts with when Apple and Google last fetched their association files; --never-fetched leaves only
            those with a file that its platform has not fetched. --expiring 14d lists the certificates that end within
            fourteen days, earliest first.

            The address is found as `serve` finds it. Exits 0 when the server is ready, all certificates have been looked at and no
            error stands, and with HOST, --hosts or --expiring when there is an answer; 1 otherwise.
            """,
        operands: Operands(usage: "[HOST]", counts: 0...1),
        options: [
            .config, .setting("--admin"), .setting("--admin-token-file"),
            Option(name: "--hosts", value: nil, help: "list all hosts, with the last fetches by Apple and Google"),
            Option(name: "--never-fetched", value: nil, help: "with --hosts: only those with a file not fetched yet"),
            Option(
                name: "--expiring", value: "TIME",
                help: "list the certificates that end within this time, such as 14d or 36h"),
            .format,
        ]
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let host = arguments.operands.first
        var within: Int64?
        if let text = arguments["--expiring"] {
            guard host == nil else { throw .usage("--expiring takes no HOST") }
            guard let span = TimeSpan(text) else {
                throw .usage("--expiring \(text) is not a time; write 14d or 36h")
            }
            within = span.seconds
        }
        let listsHosts = arguments.has("--hosts")
        if listsHosts, within != nil || host != nil { throw .usage("--hosts takes neither HOST nor --expiring") }
        if arguments.has("--never-fetched"), !listsHosts { throw .usage("--never-fetched needs --hosts") }
        let loaded = try LoadedSettings(arguments)
        guard let place = loaded.settings.admin else {
            // The address may be in what could not be read.
            for finding in loaded.findings { Console.error(finding) }
            throw .failure(
                "there is no admin listener to ask; start the server with --admin \(AdminPlace.defaultAddress), "
                    + "and give the same here")
        }
        let hosts = listsHosts ? arguments.has("--never-fetched") ? "/hosts/unfetched" : "/hosts" : nil
        let path =
            hosts ?? within.map { "/expiring/\($0)" } ?? host.map { "/status/\(HostPattern.typed($0))" } ?? "/status"
        let response = try ask(path, at: place)
        if response.status == 404 {
            if listsHosts { throw .failure("the server is too old to list its hosts") }
            if within != nil { throw .failure("the server speaks no TLS, or is too old to tell") }
            throw .failure(host.map { unserved($0, response, GivenConfiguration(arguments)) } ?? "this is not served")
        }
        guard response.status == 200 else {
            throw .failure(
                response.status == 401
                    ? "the server asks for a token; give it with --admin-token-file or ASSOCIATED_ADMIN_TOKEN"
                    : "the server answers \(response.status)")
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
            throw .failure("the server tells nothing \(host.map { "about \($0) " } ?? "")that this version understands")
        }
        if isJSON { Console.output(data: response.body) } else { Console.output(text) }
        return status?.isFine != false ? .success : .failure
    }

    private static let statusTimeoutMilliseconds = 5_000

    private static func ask(_ path: String, at place: AdminPlace) throws(Refusal) -> AdminClient.Response {
        let token = try AdminSettings(place).token
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        else { throw .usage("\"\(path.dropFirst("/status/".count))\" is not a host") }
        do throws(AdminClient.Failure) {
            return try AdminClient.get(
                path, from: place.address, token: token, timeoutMilliseconds: statusTimeoutMilliseconds)
        } catch {
            throw .failure(error.description)
        }
    }

    /// That a host is not served, and what may be the reason: the app file here that names it, or a name that is nearly the same.
    private static func unserved(
        _ host: String, _ response: AdminClient.Response, _ given: GivenConfiguration
    ) -> String {
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        let hint = lines.dropFirst().first { $0.hasPrefix("did you mean ") }.map { Printable.line(String($0)) }
        let why = given.whyUnserved(HostPattern.typed(host)) ?? hint
        return ["\(host) is not served", why].compactMap(\.self).joined(separator: "; ")
    }
}
