// What the commands of publishing have in common: where the API is, the token, and the words for what it answers.

import Association
import Client
import Libc
import Posix
import Settings
import SourceJSON
import Supervision
import TLS

extension Command.Option {
    static let api = Command.Option(
        name: "--api", value: "URL",
        help: "the API: https://HOST, http://127.0.0.1:PORT or unix:/PATH (default: `api` of server.json)",
        variable: "ASSOCIATED_API")
    static let tokenFile = Command.Option(
        name: "--token-file", value: "FILE", help: "file with the token (default: the variable ASSOCIATED_TOKEN)",
        variable: "ASSOCIATED_TOKEN_FILE")
    static let tenant = Command.Option(
        name: "--tenant", value: "NAME", help: "the tenant", variable: "ASSOCIATED_TENANT")

    static let publishing: [Command.Option] = [tenant, api, tokenFile, config, authority]
}

/// Asks the API.
struct PublishingClient {
    let tenant: String
    private let place: Place
    private let token: String
    private let authorityFile: String?
    /// Whether a refusal is printed as the API has written it (RFC 9457).
    private let isJSON: Bool

    private enum Place {
        case socket(SocketAddress)
        case web(WebLocation, base: String)
    }

    /// An answer with a status of success.
    struct Answer {
        let status: Int
        let value: SourceValue
    }

    private static let milliseconds = 60_000

    init(_ arguments: ParsedArguments) throws(Refusal) {
        guard let tenant = arguments["--tenant"] else {
            throw .usage("name the tenant with --tenant or ASSOCIATED_TENANT")
        }
        self.tenant = tenant
        authorityFile = arguments["--ca"]
        isJSON = try arguments.wantsJSON()
        if let file = arguments["--token-file"] {
            let text = String(decoding: try InputFile.read(file, bytesMax: 4_096), as: UTF8.self)
            token = text.split { $0.isWhitespace }.first.map(String.init) ?? ""
        } else {
            token = Environment.value(Environment.token) ?? ""
        }
        if token.isEmpty {
            throw .usage("give a token with --token-file or ASSOCIATED_TOKEN; `associated token create` makes one")
        }
        place = try PublishingClient.place(arguments)
    }

    private static func place(_ arguments: ParsedArguments) throws(Refusal) -> Place {
        guard let text = arguments["--api"] else {
            guard let address = try LoadedSettings(arguments).settings.manager.api else {
                throw .usage("name the API with --api; server.json has no `api`")
            }
            return .socket(address)
        }
        if text.hasPrefix("unix:"), let address = SocketAddress(text) { return .socket(address) }
        guard let location = WebLocation(text) else {
            throw .usage(
                "\(arguments.spelling("--api", text)) is not a URL; write https://HOST, http://127.0.0.1:PORT or unix:/PATH"
            )
        }
        // A token that crosses a network in clear text is no secret any more.
        let host = location.host.name
        guard location.isSecure || host == "localhost" || host == "::1" || host.hasPrefix("127.") else {
            throw .usage("\(arguments.spelling("--api", text)) would send the token in clear text; write https://")
        }
        return .web(location, base: text.hasSuffix("/") ? String(text.dropLast()) : text)
    }

    /// Asks for something of the tenant.
    /// - Parameter path: behind the tenant's.
    func ask(_ method: String, _ path: String, _ body: SourceValue? = nil) throws(Refusal) -> Answer {
        let text = body.map(SourceWriter.minified)
        var response = try send(method, "/api/v1/tenants/\(Self.escaped(tenant))\(path)", text)
        // A token that was made a moment ago is known within seconds.
        for _ in 0..<3 where response.status == 401 {
            usleep(1_000_000)
            response = try send(method, "/api/v1/tenants/\(Self.escaped(tenant))\(path)", text)
        }
        let value = SourceReader.read(response.body, as: .json, limits: SourceLimits(bytes: 64 << 20)).value
        if (200..<300).contains(response.status) { return Answer(status: response.status, value: value ?? .null) }
        throw refusal(response, value)
    }

    /// The number of `release:41`, 0 for `release:live`; nil for another text, such as a path on a branch with that name.
    static func release(_ operand: String) -> Int? {
        guard operand.hasPrefix("release:") else { return nil }
        let name = operand.dropFirst("release:".count)
        return name == "live" ? 0 : Int(name).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The app files of a release; of the live one, if the number is 0.
    func files(of number: Int) throws(Refusal) -> [SideTexts.File] {
        let number = try number > 0 ? number : ask("GET", "/apps").value.member(named: "release")?.asInt ?? 0
        if number == 0 { return [] }
        let release = try ask("GET", "/releases/\(number)").value
        let names = (release.member(named: "files")?.asArray ?? []).compactMap { $0.member(named: "name")?.asString }
        return try names.map { name throws(Refusal) in
            let path = "/api/v1/tenants/\(Self.escaped(tenant))/releases/\(number)/apps/\(Self.escaped(name))"
            let response = try send("GET", path, nil)
            if response.status == 200 { return (name, response.body) }
            throw refusal(response, SourceReader.read(response.body, as: .json).value)
        }
    }

    static func escaped(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { isPlain($0) ? [$0] : Percent.escape($0) }, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]?) throws(Refusal) -> FetchedResponse {
        var fields = [FetchedResponse.Field(name: "Authorization", value: "Bearer \(token)")]
        if body != nil { fields.append(.init(name: "Content-Type", value: "application/json")) }
        do {
            switch place {
            case .socket(let address):
                var request = FetchRequest(
                    host: "localhost", hostField: "localhost", address: address.reachable, isSecure: false, path: path,
                    userAgent: Product.userAgent)
                (request.method, request.body, request.fields) = (method, body, fields)
                request.limits.milliseconds = PublishingClient.milliseconds
                request.limits.bodyBytesMax = 64 << 20
                return try Fetcher(nil).fetch(request).get()
            case .web(let location, let base):
                guard let target = WebLocation(base + path) else {
                    throw Refusal.failure("\(base)\(path) is not a URL")
                }
                var settings = WebSessionSettings()
                settings.userAgent = Product.userAgent
                settings.limits.milliseconds = PublishingClient.milliseconds
                settings.limits.bodyBytesMax = 64 << 20
                let context = location.isSecure ? try ClientContext(authorityFile: authorityFile) : nil
                var session = WebSession(context, settings)
                return try session.send(target, method: method, fields: fields, body: body)
            }
        } catch let error as Refusal {
            throw error
        } catch {
            throw .failure("no answer from the API: \(error)")
        }
    }

    /// Why the API refuses, after the findings and what would be lost, which are reported at once, one a line.
    private func refusal(_ response: FetchedResponse, _ problem: SourceValue?) -> Refusal {
        guard let problem, let detail = problem.member(named: "detail")?.asString else {
            let text = String(decoding: response.body.prefix(200), as: UTF8.self).split(separator: "\n").first ?? ""
            return .failure(Printable.line("the API answers \(response.status): \(text)"))
        }
        if isJSON {
            Console.output(data: SourceWriter.canonical(problem))
        } else {
            for line in Self.findings(in: problem) + Self.losses(in: problem) { Console.error(line: line) }
        }
        return .failure(Printable.line(detail))
    }

    /// The findings of an answer, as `lint` writes them.
    static func findings(in value: SourceValue?) -> [String] {
        (value?.member(named: "findings")?.asArray ?? []).map { finding in
            func text(_ name: String) -> String { finding.member(named: name)?.asString ?? "" }
            let place = ["line", "column"].compactMap { finding.member(named: $0)?.asInt.map { ":\($0)" } }.joined()
            let fix = text("fix").isEmpty ? "" : "; \(text("fix"))"
            return Printable.line(
                "\(text("file"))\(place): \(text("severity"))[\(text("rule"))]: \(text("message"))\(fix)")
        }
    }

    /// What a change opens, from its difference.
    static func gains(in value: SourceValue?) -> [String] {
        (value?.member(named: "difference")?.member(named: "opens")?.asArray ?? []).map { link in
            let words = ["url", "app"].map { link.member(named: $0)?.asString ?? "" }
            return Printable.line("  + \(words[0]) opens \(words[1])")
        }
    }

    /// What a change takes away, from its difference.
    static func losses(in value: SourceValue?) -> [String] {
        let difference = value?.member(named: "difference")
        func texts(_ name: String, _ line: (SourceValue) -> String) -> [String] {
            (difference?.member(named: name)?.asArray ?? []).map { Printable.line(line($0)) }
        }
        func text(_ value: SourceValue, _ name: String) -> String { value.member(named: name)?.asString ?? "" }
        return texts("guard") { "  ! \(text($0, "file")) removes \(text($0, "removes"))" }
            + texts("stops") { "  - \(text($0, "url")) no longer opens \(text($0, "app"))" }
    }
}
