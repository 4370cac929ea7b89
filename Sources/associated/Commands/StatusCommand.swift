// `associated status`: how a running server stands, and who has looked at its files.

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
            .config, .admin, .adminTokenFile,
            Option(name: "--hosts", value: nil, help: "list all hosts, with the last fetches by Apple and Google"),
            Option(name: "--never-fetched", value: nil, help: "with --hosts: only those with a file not fetched yet"),
            Option(
                name: "--expiring", value: "TIME",
                help: "list the certificates that end within this time, such as 14d or 36h"),
            .format,
        ]
    ) { arguments in
        let format = arguments["--format"] ?? "text"
        guard ["text", "json"].contains(format) else {
            return .usage(saying: "--format \(format) is neither text nor json")
        }
        var within: Int64?
        if let text = arguments["--expiring"] {
            guard arguments.operands.isEmpty else { return .usage(saying: "--expiring takes no HOST") }
            guard let span = TimeSpan(text) else {
                return .usage(saying: "--expiring \(text) is not a time; write 14d or 36h")
            }
            within = span.seconds
        }
        let listsHosts = arguments.has("--hosts")
        if listsHosts, within != nil || !arguments.operands.isEmpty {
            return .usage(saying: "--hosts takes neither HOST nor --expiring")
        }
        if arguments.has("--never-fetched"), !listsHosts { return .usage(saying: "--never-fetched needs --hosts") }
        let loaded: LoadedSettings
        switch LoadedSettings.load(arguments) {
        case .success(let settings): loaded = settings
        case .failure(let status): return status
        }
        guard let place = loaded.settings.admin else {
            // The address may be in what could not be read.
            for finding in loaded.findings { Console.error(finding) }
            return .failure(
                saying:
                    "there is no admin listener to ask; start the server with --admin \(AdminPlace.defaultAddress), "
                    + "and give the same here")
        }
        do {
            let token = try AdminSettings(place).token
            let hosts = listsHosts ? arguments.has("--never-fetched") ? "/hosts/unfetched" : "/hosts" : nil
            let path =
                hosts ?? within.map { "/expiring/\($0)" }
                ?? arguments.operands.first.map { "/status/\(HostPattern.typed($0))" } ?? "/status"
            guard isPath(path) else { return .usage(saying: "\"\(arguments.operands[0])\" is not a host") }
            let response = try AdminClient.get(
                path, from: place.address, token: token, timeoutMilliseconds: statusTimeoutMilliseconds)
            if listsHosts { return show(hosts: response, isJSON: format == "json") }
            if within != nil { return show(expiring: response, isJSON: format == "json") }
            if let host = arguments.operands.first, response.status == 404 {
                return .failure(saying: unserved(host, response, GivenConfiguration(arguments)))
            }
            return show(response, of: arguments.operands.first, isJSON: format == "json")
        } catch {
            return .failure(saying: "\(error)")
        }
    }

    private static let statusTimeoutMilliseconds = 5_000

    /// Whether a host of the command line can be part of a request.
    private static func isPath(_ path: String) -> Bool {
        path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    private static func show(expiring response: AdminClient.Response, isJSON: Bool) -> ExitStatus {
        if response.status == 404 { return .failure(saying: "the server speaks no TLS, or is too old to tell") }
        if let refusal = refusal(of: response, "this") { return refusal }
        let value = SourceReader.read(response.body, as: .json).value
        guard let report = value.flatMap({ ExpiryReport($0) }) else {
            return .failure(saying: "the server tells nothing that this version understands")
        }
        show(report.text, response, isJSON)
        return .success
    }

    private static func show(hosts response: AdminClient.Response, isJSON: Bool) -> ExitStatus {
        if response.status == 404 { return .failure(saying: "the server is too old to list its hosts") }
        if let refusal = refusal(of: response, "this") { return refusal }
        guard let list = SourceReader.read(response.body, as: .json).value.flatMap({ HostList($0) }) else {
            return .failure(saying: "the server tells nothing that this version understands")
        }
        show(list.text, response, isJSON)
        return .success
    }

    private static func refusal(of response: AdminClient.Response, _ what: String) -> ExitStatus? {
        switch response.status {
        case 200: nil
        case 401:
            .failure(saying: "the server asks for a token; give it with --admin-token-file or ASSOCIATED_ADMIN_TOKEN")
        case 404: .failure(saying: "\(what) is not served")
        default: .failure(saying: "the server answers \(response.status)")
        }
    }

    /// That a host is not served, and what may be the reason: the app file here that names it, or a name that is nearly the same.
    private static func unserved(
        _ host: String, _ response: AdminClient.Response, _ given: GivenConfiguration
    ) -> String {
        let why = given.whyUnserved(HostPattern.typed(host)) ?? hint(in: response)
        return ["\(host) is not served", why].compactMap(\.self).joined(separator: "; ")
    }

    /// What the server says beside that a host is not served.
    private static func hint(in response: AdminClient.Response) -> String? {
        let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n")
        return lines.dropFirst().first { $0.hasPrefix("did you mean ") }.map { Printable.line(String($0)) }
    }

    private static func show(_ response: AdminClient.Response, of host: String?, isJSON: Bool) -> ExitStatus {
        if let refusal = refusal(of: response, host ?? "this") { return refusal }
        let value = SourceReader.read(response.body, as: .json).value
        if let host {
            guard let report = value.flatMap({ HostReport($0) }) else {
                return .failure(saying: "the server tells nothing about \(host) that this version understands")
            }
            show(report.text, response, isJSON)
            return .success
        }
        guard let report = value.flatMap({ StatusReport($0) }) else {
            return .failure(saying: "the server tells nothing that this version understands")
        }
        show(report.text, response, isJSON)
        return report.isFine ? .success : .failure
    }

    private static func show(_ text: String, _ response: AdminClient.Response, _ isJSON: Bool) {
        if isJSON { Console.output(data: response.body) } else { Console.output(text) }
    }
}
