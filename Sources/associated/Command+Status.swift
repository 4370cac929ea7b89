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
            the last reload, certificates that end soon, workers. With HOST: when Apple, Google and phones last fetched its
            association files, and whether they got the current version.

            The address is found as `serve` finds it. Exits 0 when the server answered and is ready, 1 when it cannot be asked,
            is not ready, or does not serve HOST.
            """,
        operands: Operands(usage: "[HOST]", counts: 0...1),
        options: [
            .config, .admin, .adminTokenFile,
            Option(name: "--format", value: "text|json", help: "for people or for programs (text)"),
        ]
    ) { arguments in
        let format = arguments["--format"] ?? "text"
        guard ["text", "json"].contains(format) else {
            return .usage(saying: "--format \(format) is neither text nor json")
        }
        let settings: ServerSettings
        switch LoadedSettings.load(arguments) {
        case .success(let loaded): settings = loaded.settings
        case .failure(let status): return status
        }
        guard let place = settings.admin else {
            return .failure(
                saying:
                    "there is no admin listener to ask; start the server with --admin \(AdminPlace.defaultAddress), "
                    + "and give the same here")
        }
        do {
            let token = try AdminSettings(place).token
            let path = arguments.operands.first.map { "/status/\(HostPattern.inASCII($0))" } ?? "/status"
            guard isPath(path) else { return .usage(saying: "\"\(arguments.operands[0])\" is not a host") }
            let response = try AdminClient.get(
                path, from: place.address, token: token, timeoutMilliseconds: statusTimeoutMilliseconds)
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

    private static func show(_ response: AdminClient.Response, of host: String?, isJSON: Bool) -> ExitStatus {
        switch response.status {
        case 200: break
        case 401:
            return .failure(
                saying: "the server asks for a token; give it with --admin-token-file or ASSOCIATED_ADMIN_TOKEN")
        case 404: return .failure(saying: "\(host ?? "this") is not served")
        default: return .failure(saying: "the server answers \(response.status)")
        }
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
        return report.isReady ? .success : .failure
    }

    private static func show(_ text: String, _ response: AdminClient.Response, _ isJSON: Bool) {
        if isJSON { Console.output(data: response.body) } else { Console.output(text) }
    }
}
