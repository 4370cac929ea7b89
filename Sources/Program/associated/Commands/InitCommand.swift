// `associated init`: writes a first configuration with a comment on each part, from options or from answers on a terminal.

import Association
import Libc
import Posix
import SourceJSON
import Supervision

extension Command {
    static let initialise = Command(
        name: "init", summary: "write a first configuration, with comments",
        details: """
            Writes a first configuration to DIR (default: config): server.json and an app file, with comments. Existing files
            are kept.

            On a terminal, the command asks for the app's name, host and ids if they are not given as options. Otherwise
            --name and --host are required, and missing ids become placeholders. An app id or package of - means that there is
            no such app.
            """,
        operands: Operands(usage: "[DIR]", counts: 0...1),
        options: [
            Option(name: "--name", value: "NAME", help: "name of the app"),
            Option(name: "--host", value: "HOST", help: "host of the app's links (repeatable)", isRepeatable: true),
            Option(
                name: "--app-id", value: "ID",
                help: "app id of the iOS app: team id and bundle id, such as 8KQ2V7M4XN.com.acme.shop"),
            Option(name: "--store-id", value: "NUMBER", help: "number of the app in the App Store"),
            Option(name: "--package", value: "NAME", help: "package name of the Android app"),
            Option(
                name: "--fingerprint", value: "SHA256",
                help: "SHA-256 fingerprint of the certificate that signs the Android app"),
        ],
        failure: "a file could not be written"
    ) { arguments in
        guard let name = arguments["--name"] ?? answer("What is the name of the app? ", isNeeded: true),
            let hosts =
                (arguments.all("--host")
                ?? answer("Which domain do its links use? ", isNeeded: true, problem: host).map { [$0] })
                .map({ $0.map { HostPattern.alone($0) } })
        else { return .usage(saying: "init needs --name and --host when it is not run in a terminal") }
        let known = Identities(arguments)
        guard known.hasIOS || known.hasAndroid else {
            return .usage(saying: "without an iOS and an Android app, there is nothing to configure")
        }
        let text = appFile(name: name, hosts: hosts, known)
        let file = "\(name.fileStem).json"
        // A placeholder is not a mistake in the options, so the check uses valid values instead.
        let filled = appFile(name: name, hosts: hosts, known, fillsIn: true)
        let errors = AppFile.read(Array(filled.utf8), file: file).findings.filter { $0.severity == .error }
        if let finding = errors.first { return .usage(saying: finding.message) }
        let folder = arguments.operands.first ?? "config"
        let (app, settings) = ("\(folder)/apps/\(file)", "\(folder)/server.json")
        guard try OutputFile.create(app, Array(text.utf8)) else {
            return .failure(saying: "\(app) already exists; remove it, or give this app another --name")
        }
        Console.output(line: app)
        if try OutputFile.create(settings, Array(server.utf8)) {
            Console.output(line: settings)
        } else {
            Console.complain("\(settings) already exists; left unchanged")
        }
        let step =
            known.isComplete
            ? "run"
            : "in \(app), replace the placeholders, or remove `ios` or `android` if there is no such app; then run"
        let serve = " and `associated serve --dev --https 127.0.0.1:8443 --config \(folder)`"
        Console.error(line: "next: \(step) `associated lint \(folder)`\(Program.serving.isEmpty ? "" : serve)")
        return .success
    }

    /// Asks a question until the answer has no problem; nil without a terminal or an answer.
    private static func answer(
        _ question: String, isNeeded: Bool = false, problem: (String) -> String? = { _ in nil }
    ) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        while true {
            Console.ask(question)
            guard let text = readLine(), isNeeded || !text.isEmpty else { return nil }
            guard let problem = text.isEmpty ? "an answer is needed" : problem(text) else { return text }
            Console.complain(problem)
        }
    }

    private static func host(_ text: String) -> String? {
        guard case .failure(let fault) = HostPattern.parse(HostPattern.alone(text)) else { return nil }
        return "\(text) is not a host: \(fault.explained.reason); \(fault.explained.fix)"
    }

    private static func first(_ problems: [TextProblem]) -> String? {
        problems.first { $0.severity == .error }.map { [$0.message, $0.fix].compactMap { $0 }.joined(separator: "; ") }
    }

    /// The app's ids on both platforms; nil if not known yet.
    private struct Identities {
        let appID: String?
        let storeID: String?
        let package: String?
        let fingerprint: String?

        /// Asks for the ids that were not given, unless all that is required was. An empty answer leaves a placeholder.
        init(_ arguments: ParsedArguments) {
            let asks = !arguments.has("--name") || !arguments.has("--host")
            func id(_ option: String, _ question: String, if isAsked: Bool = true, problem: (String) -> String?)
                -> String?
            {
                arguments[option] ?? (asks && isAsked ? answer(question, problem: problem) : nil)
            }
            appID = id(
                "--app-id", "iOS app id, such as 8KQ2V7M4XN.com.acme.shop (empty: a placeholder, -: no iOS app)? "
            ) {
                $0 == Identities.none ? nil : first(AppID.problems(in: $0))
            }
            storeID = id("--store-id", "Number in the App Store (empty: none)? ", if: appID != Identities.none) {
                $0.allSatisfy(\.isNumber)
                    ? nil : "\($0) is not a number; write the digits after /id in its App Store address"
            }
            package = id(
                "--package", "Android package name, such as com.acme.shop (empty: a placeholder, -: no Android app)? "
            ) {
                $0 == Identities.none ? nil : first(PackageName.problems(in: $0))
            }
            fingerprint = id(
                "--fingerprint", "SHA-256 fingerprint of its signing certificate (empty: a placeholder)? ",
                if: package != Identities.none
            ) {
                Fingerprint(normalising: $0) == nil ? first(Fingerprint.problems(in: $0)) : nil
            }
        }

        /// Whether no placeholder is left.
        var isComplete: Bool { appID != nil && package != nil && (fingerprint != nil || !hasAndroid) }

        /// The answer that there is no such app.
        private static let none = "-"
        var hasIOS: Bool { appID != Identities.none }
        var hasAndroid: Bool { package != Identities.none }
    }

    /// - Parameter fillsIn: whether unknown ids become valid examples instead of placeholders.
    private static func appFile(name: String, hosts: [String], _ known: Identities, fillsIn: Bool = false) -> String {
        func quoted(_ text: String) -> String { SourceWriter.quoted(text) }
        let id = known.appID ?? (fillsIn ? "8KQ2V7M4XN.dev.associated.app" : "TEAMID.com.example.app")
        let package = known.package ?? (fillsIn ? "dev.associated.app" : "com.example.app")
        let fingerprint = known.fingerprint ?? (fillsIn ? possibleFingerprint : "FINGERPRINT")
        let store = known.storeID.map { "\n    storeID: \(quoted($0))," } ?? ""
        let example = HostPattern.example(of: hosts.first ?? "example.com")
        let ios = """
              ios: {
                // Team id, dot, bundle id.
                appIDs: [\(quoted(id))],\(store)
                // applinks: universal links; webcredentials: passwords and passkeys.
                services: ["applinks", "webcredentials"],
              },

            """
        let android = """
              android: {
                package: \(quoted(package)),
                // SHA-256, as `keytool -list -v` prints it; with Play App Signing, the one in the Play Console.
                fingerprints: [\(quoted(fingerprint))],
                // handle_all_urls: App Links; get_login_creds: passwords and passkeys.
                relations: ["handle_all_urls", "get_login_creds"],
                // Publishes the links below for Android 15 and later.
                dynamicRules: true,
              },

            """
        let excluded = """
            {
            \(known.hasIOS ? "      ios: \"web\",\n" : "")      android: "web",
                  // Android 14 and earlier read only the app's manifest, which cannot exclude paths.
                  android14: "app",
                }
            """
        return """
            {
              name: \(quoted(name)),
              // All hosts of the links. "*.example.com" covers every host below it; phones get its files from "example.com", so
              // that has to be here too.
              hosts: [\(hosts.map(quoted).joined(separator: ", "))],
            \(known.hasIOS ? ios : "")\(known.hasAndroid ? android : "")  // The first rule that matches a URL decides, as on the phone. `*` is any text, `?` one character.
              links: [
                { "/": "/.well-known/*", exclude: true },
                { "/": "/private/*", exclude: true },
                { "/": "/*" },
              ],
              // URLs and their expected results, checked by `associated lint` and before this file is served.
              examples: {
                "https://\(example)/": "app",
                "https://\(example)/private/1": \(known.hasAndroid ? excluded : "\"web\""),
              },
            }

            """
    }

    /// 32 different bytes; no certificate has this fingerprint.
    private static let possibleFingerprint =
        (0x60..<0x80).map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    private static let server = """
        {
          // Every key is optional; options and environment variables override this file.
          http: ["127.0.0.1:8080"],
          // https: ["0.0.0.0:8443"],     // needs hosts/<host>/fullchain.pem and hosts/<host>/privkey.pem
          // acme: { contact: ["you@example.com"], termsAgreed: true },     // or orders a certificate for each host
        }

        """
}
