// `associated manual`: the manual page, generated from the same descriptions of the commands as the help.

import Supervision

extension Command {
    static let manual = Command(
        name: "manual", summary: "print the manual page",
        details:
            "Prints the manual page. Save it with `associated manual > associated.1`; `man -l associated.1` shows it.",
        options: []
    ) { _ in
        Console.output(data: Array(page.utf8))
        return .success
    }

    /// Escapes a text for roff: no line is a request, hyphens and backquotes stay as they are, and characters beyond ASCII
    /// are written by number.
    private static func roff(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let escaped = line.unicodeScalars.reduce(into: "") { result, scalar in
                switch scalar {
                case "\\": result += "\\e"
                case "-": result += "\\-"
                case "`": result += "\\(ga"
                case _ where !scalar.isASCII: result += "\\[u" + hexadecimal(scalar) + "]"
                default: result.unicodeScalars.append(scalar)
                }
            }
            return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
        }
        return lines.joined(separator: "\n")
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func definitions(_ items: [(String, String)]) -> String {
        items.map { ".TP\n.B \(roff($0.0))\n\(roff($0.1))\n" }.joined()
    }

    private static let files = [
        ("config/server.json", "Settings of the server; every key is optional."),
        ("config/apps/*.json", "App files. Each describes one app on both platforms and names its hosts."),
        (
            "config/hosts/HOST/",
            "Certificate of a host (fullchain.pem, privkey.pem), and well-known/ with its files for /.well-known/."
        ),
        ("config/retired/", "App files that were taken out of service on purpose."),
        ("public/HOST/", "Pages of a host."),
        ("state/", "State directory: last good versions, change journal, ledger of verifier fetches, development CA."),
    ]

    private static let examples = [
        ("associated init --name Shop --host shop.example.com", "Write a first configuration."),
        ("associated lint --fail-on warning", "Check the configuration, for example in CI."),
        ("associated serve --http 127.0.0.1:8080", "Serve it."),
        ("associated match https://shop.example.com/products/1", "Show which app opens a link, and why."),
        ("associated check shop.example.com", "Check a live host as Apple, Google and phones do."),
        ("associated snippet shop ios --output app", "Generate the native files of the iOS app."),
    ]

    private static let options = [
        ("--help", "show the help of the program, or after COMMAND that of the command, and exit"),
        ("--version", "print the version and exit"),
        ("--", "treat all further arguments as operands, not as options"),
    ]

    private static let statuses = [
        ("0", "Success."), ("1", "A check failed, or the command could not do its work."), ("2", "Usage error."),
        ("70", "Internal error."), ("71", "Out of memory."),
    ]

    /// Each variable once, with its option.
    private static var variables: [(String, String)] {
        var variables: [(String, String)] = []
        for option in Program.commands.flatMap(\.options) {
            guard let name = option.variable, !variables.contains(where: { $0.0 == name }) else { continue }
            variables.append((name, "Same as \(option.name)."))
        }
        return variables + [
            (Environment.adminToken, "Bearer token of the admin listener. It overrides --admin-token-file."),
            ("NO_COLOR", "Any value turns colours off."),
        ]
    }

    private static var commandSections: String {
        var text = ""
        for command in Program.commands {
            text += ".SS \(roff(command.name))\n.B \(roff(command.synopsis))\n.PP\n"
            text += roff(command.details).replacing("\n\n", with: "\n.PP\n") + "\n"
            text += definitions(command.options.map { ($0.head, $0.fullHelp) })
            text += ".PP\nExit status: \(roff(command.exitStatus))\n"
        }
        return text
    }

    private static var page: String {
        """
        .TH ASSOCIATED 1 "" "associated \(Product.version)"
        .\\" Names of options and variables are not to be hyphenated.
        .nh
        .SH NAME
        associated \\- host the files that bind domains to mobile apps
        .SH SYNOPSIS
        .B associated
        COMMAND [OPTION\\[u2026]] [ARGUMENT\\[u2026]]
        .SH DESCRIPTION
        .B associated serve
        is an HTTP/1.1 server, with TLS, for the files that bind a domain to an app: Apple's apple\\-app\\-site\\-association and
        Android's assetlinks.json. It generates both from app files, one for each app. A file with an error is reported and not
        published; its hosts keep their last good version. The other commands check, explain, convert and generate these files.
        .SH COMMANDS
        \(commandSections).SH OPTIONS
        The options of each command are listed above. A name in brackets is the environment variable with the same effect.
        \(definitions(options)).SH FILES
        \(definitions(files)).SH ENVIRONMENT
        An option overrides its variable, and a variable overrides server.json. Commas separate several values. A switch is on as 1,
        true, yes or on. An unknown variable that begins with ASSOCIATED_ is an error.
        \(definitions(variables)).SH EXIT STATUS
        \(definitions(statuses)).SH EXAMPLES
        \(definitions(examples)).SH SEE ALSO
        .BR openssl (1),
        .BR curl (1),
        .BR systemd.service (5)

        """
    }
}
