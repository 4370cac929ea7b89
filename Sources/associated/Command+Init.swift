// `associated init`: a first configuration, with a word on each line, from two answers or from options.

import Association
import Glibc
import Posix
import SourceJSON

extension Command {
    static let initialise = Command(
        name: "init", summary: "write a first configuration, with comments",
        details: """
            Writes server.json and an app file into DIR (config), over nothing that is there. On a terminal it asks for what
            it needs to know, the name of the app and its host; elsewhere they are given as options.
            """,
        operands: Operands(usage: "[DIR]", counts: 0...1),
        options: [
            Option(name: "--name", value: "NAME", help: "what the app is called"),
            Option(name: "--host", value: "HOST", help: "a host of the app; may be repeated", isRepeatable: true),
            Option(name: "--app-id", value: "ID", help: "the id of its iOS app, with the team id before it"),
            Option(name: "--package", value: "NAME", help: "the application id of its Android app"),
            Option(name: "--fingerprint", value: "SHA256", help: "the certificate that signs the Android app"),
        ]
    ) { arguments in
        guard let name = arguments["--name"] ?? answer("What is the app called? "),
            let hosts = arguments.all("--host") ?? answer("On which host? ").map({ [$0] })
        else { return .usage(saying: "init needs --name NAME and --host HOST where there is nobody to ask") }
        let text = appFile(name: name, hosts: hosts, arguments)
        let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
        let file = "\(letters.isEmpty ? "app" : letters).json"
        // What is still to be filled in is no mistake of the options, so it is checked with something that is none either.
        let filled = appFile(name: name, hosts: hosts, arguments, fillsIn: true)
        let errors = AppFile.read(Array(filled.utf8), file: file).findings.filter { $0.severity == .error }
        if let finding = errors.first { return .usage(saying: finding.message) }
        let folder = arguments.operands.first ?? "config"
        for (path, content) in [("\(folder)/apps/\(file)", text), ("\(folder)/server.json", server)] {
            do throws(SystemError) {
                if try OutputFile.create(path, Array(content.utf8)) {
                    Console.output(line: path)
                } else {
                    Console.complain("\(path) is there already, and stays")
                }
            } catch {
                return .failure(saying: "cannot write \(path): \(error.reason)")
            }
        }
        Console.error(
            line:
                "next: fill in what is missing, then `associated lint \(folder)` and `associated serve --config \(folder)`"
        )
        return .success
    }

    /// What a person types after a question; nil where nobody is there, or says nothing.
    private static func answer(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        Console.ask(question)
        return readLine().flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Parameter fillsIn: puts something possible in the place of what was not given, instead of a word that says so.
    private static func appFile(
        name: String, hosts: [String], _ arguments: ParsedArguments, fillsIn: Bool = false
    ) -> String {
        func quoted(_ text: String) -> String { SourceWriter.quoted(text) }
        let id = arguments["--app-id"] ?? (fillsIn ? "8KQ2V7M4XN.dev.associated.app" : "TEAMID.com.example.app")
        let package = arguments["--package"] ?? (fillsIn ? "dev.associated.app" : "com.example.app")
        let fingerprint = arguments["--fingerprint"] ?? (fillsIn ? possibleFingerprint : "FINGERPRINT")
        let first = hosts.first ?? "example.com"
        return """
            {
              name: \(quoted(name)),
              // Every name that links use. "*.example.com" covers all names below it, and needs "example.com" beside it.
              hosts: [\(hosts.map(quoted).joined(separator: ", "))],
              ios: {
                appIDs: [\(quoted(id))],               // the team id, a dot, and the bundle id
                services: ["applinks", "webcredentials"],      // links, and passwords with passkeys
              },
              android: {
                package: \(quoted(package)),
                // SHA-256, as `keytool -list -v` prints it; with Play App Signing the one in the Play Console.
                fingerprints: [\(quoted(fingerprint))],
                relations: ["handle_all_urls", "get_login_creds"],
                dynamicRules: true,                            // the links below, for Android 15 and later
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
                "https://\(first.hasPrefix("*.") ? "www" + first.dropFirst() : first)/private/1": "web",
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
