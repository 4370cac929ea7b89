// `associated why`: follows a link from DNS to the deciding rule, and shows the first cause that keeps it in the browser. The check
// of the host is that of `check`, and the decisions of the rules are those of `match`; `LinkDiagnosis` puts them in order.

import Association
import Client
import Supervision
import Verifier

extension Command {
    static let why = Command(
        name: "why", summary: "show why a link opens the browser and not the app",
        details: """
            Follows a link on its way to the app: the URL, DNS, TLS, the association files, the copies of Apple and Google, and
            the rule that decides. It shows what is wrong, in the order in which to fix it, and at the end the first cause. If
            nothing is wrong, the cause is on the phone, and the command shows what to check there.

            The requests are those of `associated check`. Apple's CDN and Google's service are asked too, but not if the
            address of the host is given with --resolve or its name is below localhost, because they would look at another
            server. --apple-cdn-url and --google-url ask them in any case.

            For a host with apps on one platform only, name the platform. A URL without a scheme is treated as https.
            """,
        operands: Operands(usage: "URL", counts: 1...1),
        options: [
            .platform,
            Option(name: "-v", value: nil, help: "also show the steps in which nothing is wrong"),
            .comparedConfig, .publicFolder, .environment, .appleCDNURL, .googleURL,
            .registrationKeyFile, .resolve, .authority, .requestTimeout, .format,
        ],
        failure: "the link does not open the app on each platform, or on that of --platform"
    ) { arguments in try WhyRun(arguments).run() }
}

struct WhyRun {
    private let url: LinkURL
    /// Nil if the files of the URL cannot be fetched.
    private let host: CheckedHost?
    private let platforms: ExpectedFiles.Platforms
    private let check: ServerCheck
    /// The rules of the configuration that the host is compared with; nil without one.
    private let sources: LinkMatching?
    /// For its options in messages.
    private let arguments: ParsedArguments
    private let isJSON: Bool
    private let showsAll: Bool

    init(_ arguments: ParsedArguments) throws {
        self.arguments = arguments
        url = try .required(arguments.operands[0])
        let platform: LinkMatching.Platform? = try arguments.choice("--platform")
        platforms =
            switch platform {
            case .apple: .apple
            case .android: .android
            case nil: [.apple, .android]
            }
        isJSON = try arguments.wantsJSON()
        showsAll = arguments.has("-v")
        host = LiveFiles.host(of: url)
        let loaded = try CheckRun.configuration(arguments)
        var matches = try loaded.map { _ in try MatchSource(arguments) }
        sources = matches?.matching(for: url)
        var settings = try CheckRun.settings(arguments, comparedWith: loaded)
        let addresses = HostAddresses(overrides: settings.overrides)
        let isGiven = host.map { addresses.given($0.name, $0.port).isEmpty == false } ?? false
        if !isGiven {
            settings.appleCDN = settings.appleCDN ?? WebLocation(CheckRun.appleCDN)
            settings.google = settings.google ?? WebLocation(CheckRun.google)
        }
        if !platforms.contains(.apple) { settings.appleCDN = nil }
        if !platforms.contains(.android) { (settings.google, settings.registration) = (nil, nil) }
        check = ServerCheck(Fetcher(try LiveFiles.context(arguments)), settings)
    }

    func run() -> ExitStatus {
        let report = host.map { check.check($0) }
        let files = report.map { LinkFiles($0) }
        let verdicts = files?.verdicts(on: url, from: sources) ?? LinkVerdicts()
        let diagnosis = LinkDiagnosis(of: url, report, verdicts, platforms: platforms)
        let checks = PhoneChecks(host: url.host, package: files?.android?.first?.package, platforms)
        let options = ["--config", "--public", "--environment", "--resolve", "--ca", "--apple-cdn-url", "--google-url"]
        let command = "associated check \(host.map { "\($0)" } ?? url.host)\(arguments.typed(options))"
        let output = DiagnosisOutput(
            url: url, diagnosis: diagnosis, command: command, phone: diagnosis.cause == nil ? checks.lines : [])
        if isJSON {
            Console.output(data: output.json)
        } else {
            Console.output(output.text(showsAll: showsAll, isColored: Console.wantsColour))
        }
        return diagnosis.cause == nil ? .success : .failure
    }
}
