// `associated check`: checks hosts from outside. `Verifier` sends the requests and judges the answers; this file has the command
// and its output.

import Association
import AssociationLint
import Client
import Hosting
import Libc
import Posix
import Settings
import SourceJSON
import Supervision
import TLS
import Verifier

extension Command {
    static let check = Command(
        name: "check", summary: "check live hosts from outside, as Apple, Google and phones do",
        details: """
            Checks live hosts from outside: fetches the association files of each HOST (or HOST:PORT) as Apple, Google and
            phones do, reports problems and lints the served files.

            Further requests check that the answers are the same for other user agents, HEAD, gzip, a host name with a
            trailing dot, IPv4 and IPv6. They also check that an unknown `Host` value gets no association file, and that
            an unknown name below /.well-known/ is not answered 200.
            """,
        operands: Operands(usage: "[HOST…]", counts: 0...10_000),
        options: [
            .comparedConfig.with(
                help: "compare with what this configuration generates (default: config with --all, else no comparison)"),
            .publicFolder, .environment,
            Option(
                name: "--all", value: nil,
                help: "check every host of the configuration except wildcards"),
            Option(
                name: "--connect", value: "ADDR",
                help: "connect to ADDR for every host, at the port of its URL"),
            Option(name: "--apple-cdn", value: nil, help: "also check the copies of Apple's CDN"),
            .appleCDNURL,
            Option(name: "--google", value: nil, help: "also ask Google's Digital Asset Links service"),
            .googleURL, .registrationKeyFile,
            .resolve, .authority, .requestTimeout, .format,
            Option(name: "--watch", value: "SECONDS", help: "repeat every SECONDS and report changes"),
        ],
        failure: "a finding is an error"
    ) { arguments in try CheckRun(arguments).run() }
}

extension Command.Option {
    /// Without a variable: a configuration that is used elsewhere must not change what a check expects.
    static let comparedConfig = Command.Option(
        name: "--config", value: "DIR",
        help: "compare with what this configuration generates (default: no comparison)", variable: nil)
    static let appleCDNURL = Command.Option(
        name: "--apple-cdn-url", value: "URL",
        help: "base URL of Apple's CDN; the host name is appended (default: \(CheckRun.appleCDN))")
    static let googleURL = Command.Option(
        name: "--google-url", value: "URL",
        help: "base URL of Google's Digital Asset Links service; the query is appended (default: \(CheckRun.google))")
    static let registrationKeyFile = Command.Option(
        name: "--registration-key-file", value: "FILE",
        help:
            "file with a key of Google's Android Developer ID Status API; ask it whether the apps are registered with their "
            + "fingerprints (default: the variable ASSOCIATED_REGISTRATION_KEY, else not asked)",
        variable: "ASSOCIATED_REGISTRATION_KEY_FILE")
    static let requestTimeout = Command.Option(
        name: "--timeout", value: "SECONDS", help: "timeout for each request (default: 5, like the verifiers)")
}

struct CheckRun {
    static let appleCDN = DeliverySettings().appleURL
    static let google = DeliverySettings().googleURL
    private static let registration = DeliverySettings().registrationURL
    /// Hosts that are checked at the same time.
    private static let hostsMax = 8

    private let hosts: [CheckedHost]
    private let check: ServerCheck
    /// Whether all hosts of the configuration are checked; then the text omits those without findings.
    private let isAll: Bool
    private let isJSON: Bool
    private let watchSeconds: Int?

    init(_ arguments: ParsedArguments) throws {
        var hosts: [CheckedHost] = []
        let loaded = try CheckRun.configuration(arguments)
        isAll = arguments.has("--all")
        let all = isAll ? loaded?.hosts.filter { !$0.hasPrefix("*") } ?? [] : []
        for text in arguments.operands + all {
            guard let host = CheckedHost(typed: text) else {
                throw Refusal.usage("\"\(text)\" is not a host name; write it like shop.example.com")
            }
            if !hosts.contains(host) { hosts.append(host) }
        }
        if hosts.isEmpty {
            throw isAll
                ? Refusal.failure("the configuration has no hosts to check")
                : Refusal.usage("check needs one of HOST, --all")
        }
        self.hosts = hosts
        var settings = try CheckRun.settings(arguments, comparedWith: loaded)
        if let address = arguments["--connect"] {
            let overrides = Set(hosts.map(\.port)).compactMap { AddressOverride("*:\($0):\(address)") }
            guard !overrides.isEmpty else {
                throw Refusal.usage("--connect \(address) is not an address such as 192.0.2.1")
            }
            settings.overrides += overrides
        }
        watchSeconds = try CheckRun.seconds("--watch", arguments)
        isJSON = try arguments.wantsJSON()
        check = ServerCheck(Fetcher(try LiveFiles.context(arguments)), settings)
    }

    /// The settings from the options that `check` and `why` have in common.
    static func settings(
        _ arguments: ParsedArguments, comparedWith loaded: LoadedConfiguration?
    ) throws(Refusal) -> CheckSettings {
        var settings = CheckSettings()
        settings.overrides = try LiveFiles.overrides(arguments)
        settings.options = arguments.typed
        settings.limits.milliseconds = try seconds("--timeout", arguments).map { $0 * 1_000 } ?? 5_000
        settings.appleCDN = try location("--apple-cdn", appleCDN, arguments)
        settings.google = try location("--google", google, arguments)
        settings.registration = try registration(arguments)
        if let catalogue = loaded?.catalogue { settings.expected = { catalogue.files(of: $0) } }
        return settings
    }

    func run() -> ExitStatus {
        var before: [CheckedHost: [String]] = [:]
        while true {
            let reports = checkHosts()
            let changed = reports.filter { before[$0.host] != CheckOutput.lines($0) }
            for report in changed { before[report.host] = CheckOutput.lines(report) }
            let shown = changed.filter { !isAll || !$0.findings.isEmpty }
            let isTaken =
                isJSON
                ? Console.output(data: changed.isEmpty ? [] : CheckOutput.json(changed))
                : Console.output(shown.map { CheckOutput.text($0, isColored: Console.wantsColour) }.joined())
            if isAll || hosts.count > 1, !changed.isEmpty, !isJSON {
                let failing = reports.count(where: \.hasErrors)
                Console.error(line: "\(Count.of(hosts.count, "host")), \(failing) with errors")
            }
            guard isTaken, let watchSeconds else {
                return reports.contains(where: \.hasErrors) ? .failure : .success
            }
            sleep(UInt32(watchSeconds))
        }
    }

    private func checkHosts() -> [ServerCheckReport] {
        let count = hosts.count
        let reports = Concurrently.map(hosts, threadsMax: CheckRun.hostsMax) { done in
            if count > 1 { Console.progress("\(done) of \(count) hosts") }
        } _: { [check] host in
            check.check(host)
        }
        if count > 1 { Console.progress(nil) }
        return reports
    }

    private static func seconds(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> Int? {
        guard let text = arguments[name] else { return nil }
        guard let seconds = Int(text), (1...3_600).contains(seconds) else {
            throw .usage("\(name) \(text) is not a number of seconds from 1 to 3600")
        }
        return seconds
    }

    /// The URL of a service; nil unless its switch or its URL is given.
    private static func location(
        _ name: String, _ usual: String, _ arguments: ParsedArguments
    ) throws(Refusal) -> WebLocation? {
        guard let text = arguments["\(name)-url"] ?? (arguments.has(name) ? usual : nil) else { return nil }
        guard let location = WebLocation(text) else {
            throw .usage("\(name)-url \(text) is not a URL of the form https://host/path")
        }
        return location
    }

    /// Nil without a key.
    private static func registration(_ arguments: ParsedArguments) throws(Refusal) -> RegistrationAPI? {
        let file = arguments["--registration-key-file"]
        let text = try file.map { file throws(Refusal) in
            String(decoding: try InputFile.read(file, bytesMax: 4_096), as: UTF8.self)
        }
        guard let text = text ?? Environment.value(Environment.registrationKey) else { return nil }
        let key = text.split { $0.isWhitespace }.first.map(String.init) ?? ""
        if let api = RegistrationAPI(key: key, base: registration) { return api }
        throw .usage("\(file ?? Environment.registrationKey) has no API key; write only the key to it")
    }

    /// The configuration to compare with; nil without `--config` and `--all`.
    static func configuration(_ arguments: ParsedArguments) throws -> LoadedConfiguration? {
        guard arguments.has("--config") || arguments.has("--all") else { return nil }
        let loaded = try GivenConfiguration(answering: arguments).load()
        for finding in loaded.findings where finding.severity == .error { Console.error(finding) }
        return loaded
    }
}

/// The output for a report.
enum CheckOutput {
    /// Without times, so that the lines stay the same as long as the host does.
    static func lines(_ report: ServerCheckReport) -> [String] {
        var lines = ["\(report.host)"]
        if !report.addresses.isEmpty { lines.append("  at \(report.addresses.joined(separator: ", "))") }
        if let peer = report.peer, let own = peer.certificates.first {
            lines.append("  \(peer.version), certificate by \(own.issuer), expires on \(Clock.day(own.notAfter))")
        }
        for file in report.files {
            if let failure = file.failure {
                lines.append("  \(file.path)  \(failure)")
            } else if let status = file.status {
                let facts = [file.contentType, file.byteCount.map { Count.of($0, "byte") }].compactMap { $0 }
                lines.append("  \(file.path)  \(status)" + (status == 200 ? " \(facts.joined(separator: ", "))" : ""))
            }
        }
        for (finding, rules, isOfBoth) in distinct(FindingDigest.digest(report.findings)) {
            let place = finding.range.map { " \($0.start.line):\($0.start.column)" } ?? ""
            let path =
                isAboutOtherFile(finding)
                ? " \(finding.file.dropFirst("https://\(report.host)".count)):"
                : isOfBoth && !rules.contains(",") ? " both files:" : ""
            lines.append("  \(finding.severity.rawValue)[\(rules)]:\(path)\(place) \(finding.text)")
        }
        return lines
    }

    /// Whether the finding is about another well-known file; its rule does not say which.
    private static func isAboutOtherFile(_ finding: Finding) -> Bool {
        (RuleID.srv006 ... .srv013).contains(finding.rule)
    }

    /// A problem for both verifiers, or of both files, is reported once, with the rules of both.
    private static func distinct(_ findings: [Finding]) -> [(finding: Finding, rules: String, isOfBoth: Bool)] {
        var found: [(finding: Finding, rules: String, isOfBoth: Bool)] = []
        for finding in findings {
            let index = found.firstIndex { other in
                (!isAboutOtherFile(finding) || other.finding.file == finding.file)
                    && other.finding.severity == finding.severity && other.finding.message == finding.message
                    && other.finding.fix == finding.fix
                    && other.finding.range == finding.range
            }
            if let index {
                found[index].isOfBoth = found[index].isOfBoth || found[index].finding.file != finding.file
                if !found[index].rules.contains(finding.rule.description) { found[index].rules += ", \(finding.rule)" }
            } else {
                found.append((finding, finding.rule.description, false))
            }
        }
        return found
    }

    static func text(_ report: ServerCheckReport, isColored: Bool) -> String {
        // Names and values in it come from the host, so they are escaped.
        var lines = lines(report).map(Printable.line)
        if isColored { lines = lines.map(colored) }
        lines.append("  \(FindingDigest.summary(distinct(report.findings).map(\.finding), showsNotes: true))")
        return lines.joined(separator: "\n") + "\n"
    }

    static func json(_ reports: [ServerCheckReport]) -> [UInt8] {
        SourceWriter.canonical(.array(reports.map(value)))
    }

    private static func value(_ report: ServerCheckReport) -> SourceValue {
        let own = report.peer?.certificates.first
        return .object([
            ("host", .string("\(report.host)")),
            ("addresses", .array(report.addresses.map { .string($0) })),
            ("tlsVersion", optional(report.peer?.version)),
            ("certificateIssuer", optional(own?.issuer)),
            ("certificateNotAfter", optional(own.map { Clock.day($0.notAfter) })),
            ("files", .array(report.files.map(value))),
            ("findings", .array(report.findings.map(FindingFormat.value))),
        ])
    }

    private static func value(_ file: ServerCheckReport.File) -> SourceValue {
        .object([
            ("path", .string(file.path)), ("failure", optional(file.failure)),
            ("status", file.status.map { .integer($0) } ?? .null), ("contentType", optional(file.contentType)),
            ("bytes", file.byteCount.map { .integer($0) } ?? .null),
            ("milliseconds", file.milliseconds.map { .integer($0) } ?? .null),
        ])
    }

    private static func optional(_ text: String?) -> SourceValue { text.map { .string($0) } ?? .null }

    private static func colored(_ line: String) -> String {
        if line.hasPrefix("  error[") { return "\u{1B}[31m\(line)\u{1B}[0m" }
        if line.hasPrefix("  warning[") { return "\u{1B}[33m\(line)\u{1B}[0m" }
        return line.hasPrefix(" ") ? line : "\u{1B}[1m\(line)\u{1B}[0m"
    }
}
