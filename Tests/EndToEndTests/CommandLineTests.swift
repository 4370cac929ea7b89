// The command line itself: help, version and usage errors.

import Glibc
import Testing

struct CommandLineTests {
    @Test func `help accepts a command before or after it`() throws {
        #expect(try Subject.run("help", "lint").output == Subject.run("lint", "--help").output)
        #expect(try Subject.run("help", "xyzzy").output == Subject.run("--help").output)
    }

    @Test(arguments: ["version", "--version", "-V", "-v"])
    func `prints its version`(word: String) throws {
        let run = try Subject.run(word)
        #expect(run.status == 0)
        #expect(run.output.wholeMatch(of: /associated \d+\.\d+\.\d+ \(OpenSSL 3\.[^)]*\)\n/) != nil)
    }

    @Test(arguments: [
        (["sreve"], "unknown command \"sreve\"; did you mean serve?"),
        (["xyzzy"], "unknown command \"xyzzy\"; associated --help lists all commands"),
        (["serve", "--confg", "x"], "serve has no option --confg; did you mean --config?"),
        (["serve", "--xyzzy"], "serve has no option --xyzzy; associated serve --help lists its options"),
        (["serve", "config"], "serve takes no arguments, but got \"config\""),
        (["sign"], "sign needs FILE"),
        (["sign", "a", "b"], "too many arguments; usage: associated sign [OPTION…] FILE"),
        (["sign", "a", "--key", "b"], "sign needs --certificate FILE and --key FILE"),
        (["sign", "--", "--key", "b"], "too many arguments; usage: associated sign [OPTION…] FILE"),
        (["certificate", "a.example"], "certificate needs --output DIR to write the files of a.example"),
        (["serve", "--config"], "--config needs a value: --config DIR"),
        (["serve", "--config", "a", "--config=b"], "--config was given twice; it takes one value"),
        (["serve", "--strict=1"], "--strict takes no value"),
        (
            ["serve", "--http", "localhost"],
            "--http localhost is not an address with a port from 1 to 65535; write 127.0.0.1:8080, [::1]:8080 or unix:/path"
        ),
        (["check"], "check needs one of HOST, --all"), (["match"], "match needs one of URL…, -, --debug-link"),
        (["render"], "render needs one of HOST, --all"), (["render", "a", "--all"], "give HOST or --all, not both"),
        (["import"], "import needs one of FILE, DIR, URL"),
        (
            ["snippet", "shop"],
            "snippet needs APP and one of ios, android, capacitor, flutter, expo, html, react-native"
        ), (["acme", "account"], "`acme account` needs the word new"),
        (
            ["match", "not a url"],
            "\"not a url\" cannot be matched: it does not begin with https://; write https://, a host and a path, such as "
                + "https://shop.example.com/not%20a%20url"
        ),
        (
            ["match", "/a/1"],
            "\"/a/1\" cannot be matched: it does not begin with https://; write https://, a host and a path, such as "
                + "https://shop.example.com/a/1"
        ),
        (
            ["match", "https://a.test:70000/"],
            "\"https://a.test:70000/\" cannot be matched: `70000` is not a port; write a port from 1 to 65535, or none"
        ),
        (
            ["match", "--", "--help"],
            "\"--help\" cannot be matched: it does not begin with https://; write https://, a host and a path, such as "
                + "https://shop.example.com/--help"
        ),
        (
            ["match", "a.test", "--app", "x", "--live"],
            "give one of --live, --app, and files with --apple and --android"
        ),
        (["check", "a.example", "--connect", "x"], "--connect x is not an address such as 192.0.2.1"),
        (
            ["serve", "--admin", "94640"],
            "--admin 94640 is not an address with a port from 1 to 65535; write 127.0.0.1:9464, [::1]:9464 or unix:/path"
        ),
        (["status", "--format", "xml"], "--format must be text or json, not xml"),
        (["status", "--expiring", "0d"], "--expiring 0d is not a duration; write 14d or 36h"),
        (["status", "a b", "--admin", "127.0.0.1:1"], "\"a b\" is not a host"),
        (["check", "ftp://a.example/"], "\"ftp://a.example/\" is not a host name; write it like shop.example.com"),
        (["check", "a.example", "--timeout", "0"], "--timeout 0 is not a number of seconds from 1 to 3600"),
        (["check", "a.example", "--format", "xml"], "--format must be text or json, not xml"),
        (
            ["check", "a.example", "--resolve", "a.example:1.2.3.4"],
            "--resolve a.example:1.2.3.4 is not HOST:PORT:ADDR, such as shop.example.com:443:192.0.2.1"
        ),
        (["check", "a.example", "--google-url", "x"], "--google-url x is not a URL of the form https://host/path"),
        (["lint", "--config", ""], "--config needs a value: --config DIR"),
        (["serve", "--state="], "--state needs a value: --state DIR"), (["lint", ""], "an argument of lint is empty"),
        (["lint", "--format", "xml"], "--format must be text, json, sarif or github, not xml"),
        (["lint", "--as", "web"], "--as must be apple, ios, android, app, entitlements or manifest, not web"),
        (["lint", "--dry-run"], "--dry-run needs --fix"),
        (["lint", "--fail-on", "never"], "--fail-on must be error, warning or note, not never"),
        (["verify", "x"], "verify needs one of --app-id ID, --package NAME with --fingerprint SHA256"),
        (
            ["verify", "x", "--app-id", "a", "--package", "b"],
            "--app-id is for iOS and --package for Android; give one of them"
        ),
        (
            ["verify", "x", "--package", "b", "--fingerprint", "AA"],
            "--fingerprint AA: fingerprint has 1 bytes; SHA-256 has 32"
        ), (["verify", "x", "--service", "applinks"], "--service needs --app-id"),
        (
            ["verify", "x", "--app-id", "a", "--service", "y"],
            "--service must be applinks, webcredentials, appclips or activitycontinuation, not y"
        ),
        (["verify", "x", "--app-id", "a", "--format", "y"], "--format must be text or json, not y"),
        (["why"], "why needs URL"),
        (["why", "a.test", "b.test"], "too many arguments; usage: associated why [OPTION…] URL"),
        (
            ["why", "ftp://a.test/"],
            "\"ftp://a.test/\" is not a link: the scheme is `ftp`, not http or https; write https://, a host "
                + "and a path, such as https://a.test/"
        ),
        (["qr"], "qr needs URL"),
        (
            ["qr", "a\tb"],
            "\"a\\tb\" is not a link: there is a control character or white space at byte 1; write https://host/path"
        ),
        (
            ["qr", "a.test/" + String(repeating: "a", count: 2939)],
            "the URL has 2954 bytes, and the largest QR code holds 2953"
        ),
        (["why", "a.test", "--platform", "web"], "--platform must be apple, ios or android, not web"),
        (["why", "a.test", "--timeout", "0"], "--timeout 0 is not a number of seconds from 1 to 3600"),
        (["init"], "init needs --name and --host when it is not run in a terminal"),
        (["init", "--name", "Shop", "--host", "ftp://x"], "`ftp://x` is not a host: it has a scheme"),
        (
            ["init", "--name", "Shop", "--host", "a.example", "--app-id", "shop"],
            "app id `shop` is not PREFIX.bundle.id, so it matches no app"
        ), (["completion", "tcsh"], "no completions for tcsh; name bash, zsh or fish"),
        (["import", "http://x"], "http://x is not a https URL; phones fetch these files by https only"),
        (
            ["serve", "--access-log", "sdtout"],
            "--access-log sdtout is not off, stdout or a path; write `off`, `stdout`, or a path such as `access.log`"
        ),
        (["serve", "--access-log-format", "xml"], "--access-log-format xml is not a format; write json or combined"),
        (["serve", "--log-format", "xml"], "--log-format xml is not a format; write text or json"),
        (["serve", "--sandbox", "maybe"], "--sandbox maybe is not a mode; write on, required or off"),
        (["serve", "--workers", "0"], "--workers 0 is not a number from 1 to 256"),
    ])
    func `reports a usage error in one line with status 2`(arguments: [String], message: String) throws {
        let run = try Subject.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(message)\n")
        #expect(run.output.isEmpty)
    }

    @Test func `reports an invalid CA file before any request`() throws {
        let folder = try Folder()
        try folder.write("empty.pem", "")
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        for (name, message) in [
            ("pipe", "cannot read %: it is not a regular file"),
            ("missing", "cannot read %: no such file or directory"),
            (".", "cannot read %: it is not a regular file"), ("empty.pem", "% contains no certificate"),
        ] {
            let path = "\(folder.path)/\(name)"
            let run = try Subject.run("check", "a.invalid", "--ca", path)
            #expect(run.status == 1)
            #expect(run.errors == "associated: \(message.replacing("%", with: path))\n")
        }
    }

    @Test(arguments: [
        ("ASSOCIATED_STRICT", "maybe", "ASSOCIATED_STRICT=maybe is not a switch; write 1 or 0"),
        ("ASSOCIATED_DEV", "2", "ASSOCIATED_DEV=2 is not a switch; write 1 or 0"),
        ("ASSOCIATED_ADMN", "x", "unknown environment variable ASSOCIATED_ADMN; did you mean ASSOCIATED_ADMIN?"),
        ("ASSOCIATED_STRCT", "1", "unknown environment variable ASSOCIATED_STRCT; did you mean ASSOCIATED_STRICT?"),
        (
            "ASSOCIATED_SOMETHING_ELSE", "",
            "unknown environment variable ASSOCIATED_SOMETHING_ELSE; unset it; associated COMMAND --help lists all"
        ),
    ])
    func `rejects an invalid or unknown environment variable`(name: String, value: String, message: String) throws {
        let run = try Subject.run("serve", "--http", "127.0.0.1:0", environment: [name: value])
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(message)\n")
    }

    /// A configuration with an error, with which a strict server does not start.
    @Test(arguments: [
        ("1", true), ("true", true), ("True", true), ("TRUE", true), ("yes", true), ("on", true), ("On", true),
        ("0", false), ("false", false), ("No", false), ("OFF", false), ("", false),
    ])
    func `reads a switch in the environment in any spelling`(value: String, isStrict: Bool) throws {
        let folder = try Folder()
        try folder.write("config/apps/broken.json", "{")
        let run = try Subject.run(
            "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0",
            environment: ["ASSOCIATED_STRICT": value])
        #expect(run.status == 1)
        #expect(run.errors.contains("--strict is set") == isStrict, "\(run.errors)")
    }

    @Test(arguments: [
        "ASSOCIATED_SERVICE_HOST", "ASSOCIATED_SERVICE_PORT", "ASSOCIATED_SERVICE_PORT_HTTP", "ASSOCIATED_PORT",
        "ASSOCIATED_PORT_80_TCP", "ASSOCIATED_PORT_80_TCP_ADDR", "ASSOCIATED_ADMIN_SERVICE_HOST",
    ])
    func `ignores the variables that Kubernetes sets for a service of this name`(name: String) throws {
        #expect(try Subject.run("lint", "/nonexistent", environment: [name: "10.0.0.1"]).status == 1)
    }
}
