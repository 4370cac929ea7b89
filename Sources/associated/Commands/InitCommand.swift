// `associated init`: a first configuration, with a word on each line, from two answers or from options.

import Association
import Glibc
import Posix
import SourceJSON

extension Command {
    static let initialise = Command(
        name: "init", summary: "write a first configuration, with comments",
        details: """
            Writes server.json and an app file into DIR (default: config); files that exist are kept. On a terminal it asks
            for the name of the app, its host and its ids, unless they are given as options.
            """,
        operands: Operands(usage: "[DIR]", counts: 0...1),
        options: [
            Option(name: "--name", value: "NAME", help: "what the app is called"),
            Option(name: "--host", value: "HOST", help: "a host of the app; may be repeated", isRepeatable: true),
            Option(name: "--app-id", value: "ID", help: "the id of its iOS app, with the team id before it"),
            Option(name: "--store-id", value: "NUMBER", help: "its number in the App Store"),
            Option(name: "--package", value: "NAME", help: "the application id of its Android app"),
            Option(name: "--fingerprint", value: "SHA256", help: "the certificate that signs the Android app"),
        ]
    ) { arguments in
        guard let name = arguments["--name"] ?? answer("What is the app called? "),
            let hosts =
                (arguments.all("--host") ?? answer("Which domain do its links use? ", problem: host).map { [$0] })
                .map({ $0.map { HostPattern.alone($0) } })
        else { return .usage(saying: "init needs --name and --host when it is not run in a terminal") }
        let known =
            (arguments.has("--name") && arguments.has("--host")) ? Identities(arguments) : Identities(asking: arguments)
        let text = appFile(name: name, hosts: hosts, known)
        let letters = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let file = "\(letters.isEmpty ? "app" : letters).json"
        // What is still to be filled in is no mistake of the options, so it is checked with something that is none either.
        let filled = appFile(name: name, hosts: hosts, known, fillsIn: true)
        let errors = AppFile.read(Array(filled.utf8), file: file).findings.filter { $0.severity == .error }
        if let finding = errors.first { return .usage(saying: finding.message) }
        let folder = arguments.operands.first ?? "config"
        for (path, content) in [("\(folder)/apps/\(file)", text), ("\(folder)/server.json", server)] {
            do throws(SystemError) {
                if try OutputFile.create(path, Array(content.utf8)) {
                    Console.output(line: path)
                } else {
                    Console.complain("\(path) already exists; left unchanged")
                }
            } catch {
                return .failure(saying: "cannot write \(path): \(error.reason)")
            }
        }
        let step = known.isComplete ? "run" : "replace the placeholders, then run"
        Console.error(line: "next: \(step) `associated lint \(folder)` and `associated serve --config \(folder)`")
        return .success
    }

    /// What a person types after a question, which is asked again as long as there is a problem with the answer; nil
    /// without a terminal or an answer.
    private static func answer(_ question: String, problem: (String) -> String? = { _ in nil }) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        while true {
            Console.ask(question)
            guard let text = readLine(), !text.isEmpty else { return nil }
            guard let problem = problem(text) else { return text }
            Console.complain(problem)
        }
    }

    private static func host(_ text: String) -> String? {
        guard case .failure(let fault) = HostPattern.parse(HostPattern.alone(text)) else { return nil }
        return "\(text) is no host: \(fault.explained.reason); \(fault.explained.fix)"
    }

    private static func first(_ problems: [TextProblem]) -> String? {
        problems.first { $0.severity == .error }.map { [$0.message, $0.fix].compactMap { $0 }.joined(separator: "; ") }
    }

    /// What identifies the app on both platforms, as far as it is known.
    private struct Identities {
        var appID: String?
        var storeID: String?
        var package: String?
        var fingerprint: String?

        init(_ arguments: ParsedArguments) {
            (appID, storeID) = (arguments["--app-id"], arguments["--store-id"])
            (package, fingerprint) = (arguments["--package"], arguments["--fingerprint"])
        }

        /// Asks for what was not given. An empty answer leaves a placeholder.
        init(asking arguments: ParsedArguments) {
            self.init(arguments)
            appID =
                appID
                ?? answer("iOS app id, such as 8KQ2V7M4XN.com.acme.shop (empty: later)? ") {
                    first(AppID.problems(in: $0))
                }
            storeID =
                storeID
                ?? answer("Number in the App Store (empty: none)? ") {
                    $0.allSatisfy(\.isNumber)
                        ? nil : "\($0) is no number; write the digits after /id in its App Store address"
                }
            package =
                package ?? answer("Android application id (empty: later)? ") { first(PackageName.problems(in: $0)) }
            fingerprint =
                fingerprint
                ?? answer("SHA-256 fingerprint of its signing certificate (empty: later)? ") {
                    Fingerprint(normalising: $0) == nil ? first(Fingerprint.problems(in: $0)) : nil
                }
        }

        /// Whether no placeholder is left.
        var isComplete: Bool { appID != nil && package != nil && fingerprint != nil }
    }

    /// - Parameter fillsIn: puts something possible in the place of what was not given, instead of a word that says so.
    private static func appFile(name: String, hosts: [String], _ known: Identities, fillsIn: Bool = false) -> String {
        func quoted(_ text: String) -> String { SourceWriter.quoted(text) }
        let id = known.appID ?? (fillsIn ? "8KQ2V7M4XN.dev.associated.app" : "TEAMID.com.example.app")
        let package = known.package ?? (fillsIn ? "dev.associated.app" : "com.example.app")
        let fingerprint = known.fingerprint ?? (fillsIn ? possibleFingerprint : "FINGERPRINT")
        let store = known.storeID.map { "\n    storeID: \(quoted($0))," } ?? ""
        let first = hosts.first ?? "example.com"
        return """
            {
              name: \(quoted(name)),
              // Every name that links use. "*.example.com" covers all names below it, and needs "example.com" beside it.
              hosts: [\(hosts.map(quoted).joined(separator: ", "))],
              ios: {
                // The team id, a dot, and the bundle id.
                appIDs: [\(quoted(id))],\(store)
                // Links, and passwords with passkeys.
                services: ["applinks", "webcredentials"],
              },
              android: {
                package: \(quoted(package)),
                // SHA-256, as `keytool -list -v` prints it; with Play App Signing the one in the Play Console.
                fingerprints: [\(quoted(fingerprint))],
                relations: ["handle_all_urls", "get_login_creds"],
                // The links below, for Android 15 and later.
                dynamicRules: true,
              },
              // The first rule that matches decides, as on the phone. `*` is any text, `?` one character.
              links: [
                { "/": "/.well-known/*", exclude: true },
                { "/": "/private/*", exclude: true },
                { "/": "/*" },
              ],
              // What must hold; checked by `associated lint` and before anything is served.
              examples: {
                "https://\(first.hasPrefix("*.") ? "www" + first.dropFirst() : first)/": "app",
                "https://\(first.hasPrefix("*.") ? "www" + first.dropFirst() : first)/private/1": {
                  ios: "web",
                  android: "web",
                  // A manifest cannot exclude, and Android 14 and earlier have nothing else.
                  android14: "app",
                },
              },
            }

            """
    }

    /// Of no certificate: 32 bytes that are all different.
    private static let possibleFingerprint =
        (0x60..<0x80).map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    private static let server = """
        {
          // Every key is optional; options and environment variables win over this file.
          http: ["127.0.0.1:8080"],
          // https: ["0.0.0.0:8443"],     // with certificates in hosts/<host>/fullchain.pem and privkey.pem
        }

        """
}
