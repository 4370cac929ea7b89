// `associated manual`: the manual page, from the same descriptions of the commands that make the help.

extension Command {
    static let manual = Command(
        name: "manual", summary: "print the manual page",
        details: "Prints a page for man: `associated manual > associated.1`.", options: []
    ) { _ in
        Console.output(data: Array(page.utf8))
        return .success
    }

    /// A text as roff: nothing in it is a request, a hyphen is one, and what is not in ASCII has a name of its own.
    private static func roff(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let escaped = line.unicodeScalars.reduce(into: "") { result, scalar in
                switch scalar {
                case "\\": result += "\\e"
                case "-": result += "\\-"
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
        ("config/apps/*.json", "App files: one app on both platforms and its hosts."),
        (
            "config/hosts/HOST/",
            "Certificates of a host (fullchain.pem, privkey.pem) and its files below /.well-known/."
        ),
        ("config/retired/", "App files whose hosts and apps are gone on purpose."),
        ("public/HOST/", "Pages of a host."),
        ("state/", "Last good versions, the ledger of fetches, and keys of the development authority."),
    ]

    private static let examples = [
        ("associated init --name Shop --host shop.example.com", "Write a first configuration."),
        ("associated lint --fail-on warning", "Check the configuration, for example in CI."),
        ("associated serve --http 127.0.0.1:8080", "Serve it."),
        ("associated match https://shop.example.com/products/1", "Show which app opens a link, and why."),
        ("associated check shop.example.com", "Look at a live host as Apple, Google and phones do."),
        ("associated snippet shop ios --output app", "Write the native files of an app."),
    ]

    /// Each variable once, with its option.
    private static var variables: [(String, String)] {
        var variables: [(String, String)] = []
        for option in Program.commands.flatMap(\.options) {
            guard let name = option.variable, !variables.contains(where: { $0.0 == name }) else { continue }
            variables.append((name, "Used if \(option.name) is not given."))
        }
        return variables + [
            (Environment.passphrase, "The passphrase of the private keys, if there is no passphrase file."),
            (Environment.adminToken, "The bearer token of the admin listener, if there is no token file."),
            ("NO_COLOR", "Set to anything: no colours."),
        ]
    }

    private static var commandSections: String {
        var text = ""
        for command in Program.commands {
            text += ".SS \(roff(command.name + (command.operands.map { " \($0.usage)" } ?? "")))\n"
            text += roff(command.details).replacing("\n\n", with: "\n.PP\n") + "\n"
            text += definitions(
                command.options.map { option in
                    let value = option.value.map { " \($0)" } ?? ""
                    let variable = option.variable.map { " (environment: \($0))" } ?? ""
                    return (option.name + value, option.help + variable)
                })
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
        COMMAND [OPTION\\[u2026]]
        .SH DESCRIPTION
        An HTTP/1.1 and TLS server for Apple's apple\\-app\\-site\\-association and Android's assetlinks.json, the files by which a
        domain and an app name each other. They are rendered from app files, one for each app. A file with an error is
        reported and not published; its hosts keep their last good version. The other commands check, explain and
        import such files.
        .SH COMMANDS
        \(commandSections).SH FILES
        \(definitions(files)).SH ENVIRONMENT
        An option on the command line wins over its variable, and a variable over server.json. Several values are
        separated by commas. An unknown variable that begins with ASSOCIATED_ is an error.
        \(definitions(variables)).SH EXIT STATUS
        0 success, 1 a check failed or something could not be done, 2 usage error, 70 internal error, 71 out of memory.
        .SH EXAMPLES
        \(definitions(examples)).SH SEE ALSO
        .BR openssl (1),
        .BR curl (1),
        .BR systemd.service (5)

        """
    }
}
