// `associated match`: shows which app opens a URL on each platform, and why. `LinkMatching` decides; this file reads the URLs and
// prints the answers.

import Association
import Posix
import SourceJSON
import Supervision

extension Command {
    static let match = Command(
        name: "match", summary: "show which app opens a URL on each platform, and why",
        details: """
            Shows which app opens each URL on iOS, on Android 15 and later, and on Android 14 and earlier, and which rule
            decides. The output says "not settled" where platform behaviour is not documented.

            By default, the rules are those of your app files. With --app, they come from one app file, whether it is in a
            configuration or not; with --apple and --android, from the given files, as if the URL's host served them; with
            --live, from the files that the host serves now. Each FILE may be - for standard input. The output names the rules of
            an app file as `links[0]`, and those of a published file by their number, from 0.

            Android 14 and earlier do not read rules: the app's manifest decides. The command uses the manifest that `snippet`
            generates from the app file, or your own (--manifest).

            With --debug-link, the command reads what `adb shell am start --debug-link` prints on Android 17 and later, and says
            whether the phone decides about that URL as the rules here do, and what is different.

            A URL without a scheme is treated as https. With - instead of URLs, the command reads one URL per line from
            standard input and prints one line of JSON for each.
            """,
        operands: Operands(usage: "[URL…|-]", counts: 0...10_000),
        options: [
            .config,
            .state.with(help: "state directory of the server, whose published app files count too (default: state)"),
            .platform,
            Option(name: "--app", value: "FILE", help: "match against this app file instead of the configuration"),
            Option(
                name: "--apple", value: "FILE",
                help: "match against this apple-app-site-association file instead of the configuration"),
            Option(
                name: "--android", value: "FILE",
                help: "match against this statement list (assetlinks.json) instead of the configuration"),
            Option(
                name: "--manifest", value: "FILE",
                help: "manifest of the app (AndroidManifest.xml), which decides on Android 14 and earlier"),
            Option(name: "--live", value: nil, help: "match against the files that the URL's host serves now"),
            Option(
                name: "--expect", value: "app|web",
                help:
                    "fail unless every URL opens an app (app) or stays in the browser (web), on each platform, or on that "
                    + "of --platform; Android 14 and earlier count only with --manifest"),
            Option(name: "--all", value: nil, help: "list every rule that was tried"),
            Option(
                name: "--debug-link", value: "FILE|-",
                help: "compare with the output of `am start --debug-link` on a phone, which names the URL"),
            .format, .environment, .resolve, .authority,
        ],
        failure:
            "no app handles the host of a URL, a host could not be reached, --expect is not met, or a phone decides otherwise"
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let expected: LinkMatching.Outcome? = try arguments.choice("--expect")
        if let path = arguments["--debug-link"] { return try comparePhone(path, arguments, isJSON) }
        if arguments.operands.isEmpty { return .usage(saying: "match needs one of URL…, -, --debug-link") }
        let isStream = arguments.operands == ["-"]
        var urls: [(LinkURL, String)] = []
        for operand in isStream ? [] : arguments.operands {
            switch LinkURL.link(operand) {
            case .failure(let problem):
                return .usage(saying: "\(operand.debugDescription) cannot be matched: \(problem.advice(on: operand))")
            case .success(let url): urls.append((url, operand))
            }
        }
        var source = try MatchSource(arguments, platform: try arguments.choice("--platform"))
        if isStream { return MatchStream.run(&source, expecting: expected) }
        var status = ExitStatus.success
        for (index, (url, operand)) in urls.enumerated() {
            let matching = source.matching(for: url)
            let detail: LinkMatching.Detail = arguments.has("--all") ? .all : .nearest
            if isJSON {
                var line: [UInt8] = []
                matching.appendJSON(of: url, written: operand, explaining: detail, to: &line)
                Console.output(data: line)
            } else {
                let text = matching.text(of: url, detail: detail)
                Console.output((index > 0 ? "\n" : "") + text)
            }
            if !matching.isFine(url, expecting: expected) {
                status = .failure
                if let expected, matching.isKnown { Console.complain("\(operand): \(expected.complaint)") }
            }
        }
        return status
    }
}

/// Compares with what a phone prints about a link.
private func comparePhone(_ path: String, _ arguments: ParsedArguments, _ isJSON: Bool) throws(Refusal) -> ExitStatus {
    guard arguments.operands.isEmpty, arguments["--expect"] == nil else {
        throw .usage("--debug-link compares the URL of a phone's output; give neither a URL nor --expect with it")
    }
    let bytes = try InputFile.read(path)
    guard let phone = DebugLink(String(decoding: bytes, as: UTF8.self)) else {
        throw .failure(
            "\(path == "-" ? "standard input" : path) is no output of `am start --debug-link`: it has no line with URI:"
        )
    }
    let url = try LinkURL.required(phone.url)
    var source = try MatchSource(arguments, platform: .android)
    let matching = source.matching(for: url)
    if let problem = matching.androidProblem { throw .failure(problem) }
    let apps = matching.compare(url, with: phone)
    if isJSON {
        let values = apps.map { app in
            SourceValue.object([
                ("package", .string(app.package)), ("opens", app.opens.map { .bool($0) } ?? .null),
                ("differences", .array(app.differences.map { .string($0) })),
            ])
        }
        let line = SourceValue.object([("url", .string(url.text)), ("android", .array(values))])
        Console.output(data: SourceWriter.minified(line) + Array("\n".utf8))
    } else {
        Console.output(matching.text(of: apps, url))
    }
    return !apps.isEmpty && apps.allSatisfy(\.differences.isEmpty) ? .success : .failure
}

extension LinkMatching {
    /// The value of `--expect`.
    enum Outcome: String, CaseIterable {
        case app, web

        var complaint: String {
            switch self {
            case .app: "expected to open an app on each platform that was asked about"
            case .web: "expected to stay in the browser"
            }
        }
    }

    /// Whether the answer is known and as expected; without an expectation, whether any app handles the host. Apps whose manifest
    /// decides and is not known do not count.
    func isFine(_ url: LinkURL, expecting expected: Outcome?) -> Bool {
        guard isKnown else { return false }
        guard let expected else { return !apple.isEmpty || !android.isEmpty }
        let iOS = apple.map { $0.opens(url) }
        let android = android.compactMap { $0.opens(url) }
        let older = hasOwnManifest ? self.android.compactMap(\.manifest).map { $0.decide(url).outcome == .opens } : []
        switch expected {
        case .web: return !(iOS + android + older).contains(true)
        case .app:
            let isMissing =
                platforms.contains(.apple) && iOS.isEmpty || platforms.contains(.android) && self.android.isEmpty
            let answers = [iOS, android, older].filter { !$0.isEmpty }
            return !isMissing && !answers.isEmpty && answers.allSatisfy { $0.contains(true) }
        }
    }
}

extension LinkURL {
    /// A URL as a user types it; without a scheme it is https.
    static func typed(_ text: String) -> Result<LinkURL, LinkURLProblem> {
        let reading = parse(text)
        guard case .failure = reading, !text.contains("://") else { return reading }
        // Only text with a dot looks like a host. Before a port, it would be read as a scheme.
        let host = text.prefix { !"/?#".contains($0) }
        return host.contains(".") && !host.contains("@") ? parse("https://\(text)") : reading
    }

    /// The same, for a command that works on one.
    static func required(_ text: String) throws(Refusal) -> LinkURL {
        switch typed(text) {
        case .failure(let problem): throw .usage("\(text.debugDescription) is not a link: \(problem.advice(on: text))")
        case .success(let url): return url
        }
    }

    /// The same with a host that a phone can verify: a name, and no address.
    static func link(_ text: String) -> Result<LinkURL, LinkURLProblem> {
        typed(text).flatMap { url in
            // Hosts with underscores exist, although app files may not name them.
            guard case .failure(let fault) = HostPattern.parse(url.host.replacing("_", with: "a")) else {
                return .success(url)
            }
            return .failure(.notAHost(url.host, fault))
        }
    }
}

extension LinkURLProblem {
    /// What is wrong with a typed text, and the URL that was probably meant.
    func advice(on text: String) -> String {
        switch self {
        case .missingScheme, .otherScheme: break
        default: return "\(message); \(fix)"
        }
        let scheme = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let rest = text[scheme...].drop { $0 == "/" }
        // A host has a dot or a port, and what begins with a slash is a path.
        let host = rest.prefix { $0 != "/" }
        let port = host.lastIndex(of: ":").map { UInt16(host[host.index(after: $0)...]) != nil }
        let isHost = !text.hasPrefix("/") && !host.contains("@") && (port ?? host.contains("."))
        if !isHost, port != nil { return "\(message); write https://, a host and a path" }
        let meant = (isHost ? LinkURL("https://\(rest)") : nil) ?? LinkURL("https://shop.example.com/\(rest)")
        return "\(message); write https://, a host and a path" + (meant.map { ", such as \($0.text)" } ?? "")
    }
}

/// Reads one URL per line, and prints one line of JSON for each.
enum MatchStream {
    /// A hundred times the length of any URL in use.
    private static let lineMax = 1 << 20

    static func run(_ source: inout MatchSource, expecting expected: LinkMatching.Outcome?) -> ExitStatus {
        var status = ExitStatus.success
        var rest: [UInt8] = []
        var output: [UInt8] = []
        while true {
            let more: [UInt8]
            do throws(SystemError) { more = try StandardDescriptors.readInput() } catch {
                return .failure(saying: "cannot read standard input: \(error.reason)")
            }
            rest += more
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                if !answer(rest[start..<end], source: &source, expected, into: &output) { status = .failure }
                start = end + 1
            }
            rest.removeSubrange(..<start)
            if more.isEmpty, !rest.isEmpty, !answer(rest[...], source: &source, expected, into: &output) {
                status = .failure
            }
            // Answers are not held back: the caller may wait for one before it writes the next URL.
            guard Console.output(data: output) else { return status }
            output.removeAll(keepingCapacity: true)
            if more.isEmpty { return status }
            guard rest.count <= lineMax else {
                return .failure(saying: "a line of standard input has more than \(lineMax) bytes")
            }
        }
    }

    /// False for a line that is not a URL, and for an answer that is unknown or not the expected one. An empty line is skipped.
    private static func answer(
        _ line: ArraySlice<UInt8>, source: inout MatchSource, _ expected: LinkMatching.Outcome?,
        into output: inout [UInt8]
    ) -> Bool {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if line.isEmpty { return true }
        let text = String(decoding: line, as: UTF8.self)
        switch LinkURL.link(text) {
        case .success(let url):
            let matching = source.matching(for: url)
            matching.appendJSON(of: url, written: text, to: &output)
            return matching.isFine(url, expecting: expected)
        case .failure(let problem):
            output += SourceWriter.minified(.object([("url", .string(text)), ("error", .string(problem.message))]))
            output.append(UInt8(ascii: "\n"))
            return false
        }
    }
}
