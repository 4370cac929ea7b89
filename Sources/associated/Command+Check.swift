// `associated check`: the look from outside. What is asked and how it is judged is the Verifier's; this is the command
// around it.

import Association
import Glibc
import Hosting
import Posix
import TLS
import Verifier

extension Command {
    static let check = Command(
        name: "check", summary: "look at hosts from outside, as Apple, Google and phones do",
        details: """
            Fetches both association files of each HOST (or HOST:PORT) as their verifiers do, and others that tell whether
            they could: other clients, HEAD, gzip, a trailing dot, unknown names, the other kind of address. Says what
            stands in the way, lints what is served, and exits 1 when anything is an error.
            """,
        operands: Operands(usage: "HOST…", counts: 1...10_000),
        options: [
            Option(
                name: "--config", value: "DIR", help: "compare with what this configuration would serve",
                variable: nil),
            Option(name: "--public", value: "DIR", help: "its pages (public)"),
            Option(name: "--environment", value: "NAME", help: "which environment of its app files"),
            Option(name: "--apple-cdn", value: nil, help: "ask Apple's copies too"),
            Option(
                name: "--apple-cdn-url", value: "URL", help: "where they are, up to the host (\(CheckRun.appleCDN))"),
            Option(name: "--google", value: nil, help: "ask Google's Digital Asset Links service too"),
            Option(name: "--google-url", value: "URL", help: "where it is, up to the query (\(CheckRun.google))"),
            .resolve, .authority,
            Option(name: "--timeout", value: "SECONDS", help: "for each answer, as verifiers give it (5)"),
            Option(name: "--format", value: "FORMAT", help: "text or json (text)"),
            Option(name: "--watch", value: "SECONDS", help: "look again every so often, and say what has changed"),
        ]
    ) { arguments in
        switch CheckRun.prepare(arguments) {
        case .failure(let status): return status.status
        case .success(let run): return run.run()
        }
    }
}

/// One run of the command.
struct CheckRun {
    static let appleCDN = "https://app-site-association.cdn-apple.com/a/v1/"
    static let google = "https://digitalassetlinks.googleapis.com/v1/statements:list"
    /// Hosts looked at at the same time.
    private static let hostsMax = 8

    private let hosts: [CheckedHost]
    private let check: HostCheck
    private let isJSON: Bool
    private let watchSeconds: Int?

    /// An exit status, as something to throw.
    struct Refusal: Error {
        let status: ExitStatus
    }

    static func prepare(_ arguments: ParsedArguments) -> Result<CheckRun, Refusal> {
        do throws(Refusal) { return .success(try CheckRun(arguments)) } catch { return .failure(error) }
    }

    private init(_ arguments: ParsedArguments) throws(Refusal) {
        var hosts: [CheckedHost] = []
        for text in arguments.operands {
            guard let host = CheckedHost(text) else {
                throw Refusal(status: .usage(saying: "\(text) is no host; write it like shop.example.com"))
            }
            if !hosts.contains(host) { hosts.append(host) }
        }
        self.hosts = hosts
        var settings = CheckSettings()
        do throws(UsageError) {
            settings.overrides = try LiveFiles.overrides(arguments)
        } catch {
            throw Refusal(status: .usage(saying: error.description))
        }
        settings.limits.milliseconds = try CheckRun.seconds("--timeout", arguments).map { $0 * 1_000 } ?? 5_000
        watchSeconds = try CheckRun.seconds("--watch", arguments)
        settings.appleCDN = try CheckRun.location("--apple-cdn", CheckRun.appleCDN, arguments)
        settings.google = try CheckRun.location("--google", CheckRun.google, arguments)
        switch arguments["--format"] ?? "text" {
        case "text": isJSON = false
        case "json": isJSON = true
        case let format:
            throw Refusal(status: .usage(saying: "--format \(format) is neither text nor json"))
        }
        if let expected = try CheckRun.expected(arguments) { settings.expected = { expected.files(of: $0) } }
        do throws(TLSError) {
            check = HostCheck(Fetcher(try ClientContext(authorityFile: arguments["--ca"])), settings)
        } catch {
            throw Refusal(status: .failure(saying: error.description))
        }
    }

    func run() -> ExitStatus {
        var before: [CheckedHost: [String]] = [:]
        while true {
            let reports = look()
            if isJSON {
                Console.output(CheckOutput.json(reports))
            } else {
                for report in reports where before[report.host] != CheckOutput.lines(report) {
                    Console.output(CheckOutput.text(report, isColored: Terminal.wantsColour))
                    before[report.host] = CheckOutput.lines(report)
                }
            }
            guard let watchSeconds else { return reports.contains(where: \.hasErrors) ? .failure : .success }
            sleep(UInt32(watchSeconds))
        }
    }

    private func look() -> [HostReport] {
        let count = hosts.count
        let showsProgress = count > 1 && isatty(STDERR_FILENO) == 1
        let reports = Concurrently.map(hosts, threadsMax: CheckRun.hostsMax) { done in
            if showsProgress { Console.error("\r\(done) of \(count) hosts") }
        } _: { [check] host in
            check.look(at: host)
        }
        if showsProgress { Console.error("\r\u{1B}[K") }
        return reports
    }

    private static func seconds(_ name: String, _ arguments: ParsedArguments) throws(Refusal) -> Int? {
        guard let text = arguments[name] else { return nil }
        guard let seconds = Int(text), (1...3_600).contains(seconds) else {
            throw Refusal(status: .usage(saying: "\(name) \(text) is not a number of seconds from 1 to 3600"))
        }
        return seconds
    }

    /// An address that is asked when the switch or the address is given.
    private static func location(
        _ name: String, _ usual: String, _ arguments: ParsedArguments
    ) throws(Refusal) -> WebLocation? {
        guard let text = arguments["\(name)-url"] ?? (arguments.has(name) ? usual : nil) else { return nil }
        guard let location = WebLocation(text) else {
            throw Refusal(status: .usage(saying: "\(name)-url \(text) is no address of the form https://host/path"))
        }
        return location
    }

    private static func expected(_ arguments: ParsedArguments) throws(Refusal) -> ServedFiles? {
        guard let config = arguments["--config"] else { return nil }
        do throws(ConfigurationError) {
            let loader = ConfigurationLoader(
                configPath: config, publicPath: arguments["--public"] ?? "public",
                environment: arguments["--environment"])
            let loaded = try loader.load()
            for finding in loaded.findings where finding.severity == .error { Console.error(finding) }
            return ServedFiles(loaded)
        } catch {
            throw Refusal(status: .failure(saying: error.description))
        }
    }
}
