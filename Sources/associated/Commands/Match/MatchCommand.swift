// `associated match`: which app opens a URL, on Apple's systems and on Android, and why. What decides is in
// `LinkMatching`; this file reads the URLs and prints the answers.

import Association
import Glibc
import Posix
import SourceJSON

extension Command {
    static let match = Command(
        name: "match", summary: "tell which app opens a URL on each platform, and why",
        details: """
            Decides about URL as iOS, Android 15 and later, and Android 14 and earlier do, by the rules of the app files in a
            configuration, or by published files with --apple and --android, which are taken to be those of the URL's host;
            or with --live by what it serves, on the URL's port. It tells which rule decides, counted from 0 in its list, and
            which came nearest; and where the platform is not known well enough. Android 14 and earlier go by the app's
            manifest: that of --manifest, or for an app file the one that `snippet` writes. A URL without a scheme is one of
            https. Exits with status 1 if a host could not be reached, no app handles a URL's host, or --expect does not hold.
            With - it reads URLs from standard input, one a line, and prints one line of JSON for each.
            """,
        operands: Operands(usage: "URL…|-", counts: 1...10_000),
        options: [
            .config,
            Option(name: "--apple", value: "FILE", help: "an apple-app-site-association file to decide by"),
            Option(name: "--android", value: "FILE", help: "a statement list (assetlinks.json) to decide by"),
            Option(name: "--manifest", value: "FILE", help: "the AndroidManifest.xml of the app to decide by"),
            Option(name: "--live", value: nil, help: "decide by what the URL's host serves at this moment"),
            Option(
                name: "--expect", value: "app|web",
                help:
                    "exit with status 1 unless every URL opens an app on each platform, or none; Android 14 counts with "
                    + "--manifest"),
            Option(name: "--all", value: nil, help: "list every rule that was tried"),
            .format, .environment, .resolve, .authority,
        ]
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON("none of text, json")
        let expected: LinkMatching.Outcome? = try arguments.choice("--expect")
        var source = try MatchSource(arguments)
        if arguments.operands == ["-"] { return MatchStream.run(&source, expecting: expected) }
        var urls: [(LinkURL, String)] = []
        for operand in arguments.operands {
            switch LinkURL.typed(operand) {
            case .failure(let problem):
                return .usage(
                    saying: "\(operand.debugDescription) cannot be matched: \(problem.message); \(problem.fix)")
            case .success(let url): urls.append((url, operand))
            }
        }
        var status = ExitStatus.success
        for (index, (url, operand)) in urls.enumerated() {
            let matching = source.matching(for: url)
            if isJSON {
                var line: [UInt8] = []
                matching.appendJSON(of: url, written: operand, to: &line)
                Console.output(data: line)
            } else {
                Console.output((index > 0 ? "\n" : "") + matching.text(of: url, listsAll: arguments.has("--all")))
            }
            if !matching.isFine(url, expecting: expected) {
                status = .failure
                if let expected, matching.isKnown { Console.complain("\(operand): \(expected.complaint)") }
            }
        }
        return status
    }
}

extension LinkMatching {
    /// What --expect asks for.
    enum Outcome: String, CaseIterable {
        case app, web

        var complaint: String {
            switch self {
            case .app: "expected to open an app on each platform"
            case .web: "expected to stay in the browser"
            }
        }
    }

    /// Whether all is as it should be: the answer is known, and some app has the host, or what is expected holds. What
    /// nobody knows without the app's manifest is left out of that.
    func isFine(_ url: LinkURL, expecting expected: Outcome?) -> Bool {
        guard isKnown else { return false }
        let iOS = apple.map { $0.opens(url) }
        let android = android.compactMap { $0.opens(url) }
        let older = hasOwnManifest ? self.android.compactMap(\.manifest).map { $0.decide(url).outcome == .opens } : []
        switch expected {
        case nil: return !apple.isEmpty || !self.android.isEmpty
        case .web: return !(iOS + android + older).contains(true)
        case .app:
            let platforms = [iOS, android, older].filter { !$0.isEmpty }
            return !platforms.isEmpty && platforms.allSatisfy { $0.contains(true) }
        }
    }
}

extension LinkURL {
    /// A URL as a person types it: without a scheme it is one of https.
    static func typed(_ text: String) -> Result<LinkURL, LinkURLProblem> {
        let reading = parse(text)
        // A host has a dot in it, and nothing else looks like one. With a port it is taken for a scheme.
        let host = text.prefix { !"/?#".contains($0) }
        guard case .failure = reading, !text.contains("://"), host.contains("."), !host.contains("@") else {
            return reading
        }
        return parse("https://\(text)")
    }
}

/// One URL a line in, one line of JSON out.
enum MatchStream {
    private static let chunk = 1 << 16
    /// No URL that anybody opens is a hundredth of this.
    private static let lineMax = 1 << 20

    static func run(_ source: inout MatchSource, expecting expected: LinkMatching.Outcome?) -> ExitStatus {
        var status = ExitStatus.success
        var buffer = [UInt8](repeating: 0, count: chunk)
        var rest: [UInt8] = []
        var output: [UInt8] = []
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError(call: "read", number: errno)
                return .failure(saying: "cannot read standard input: \(error.reason)")
            }
            rest += buffer[..<count]
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                if !answer(rest[start..<end], source: &source, expected, into: &output) { status = .failure }
                start = end + 1
            }
            rest.removeSubrange(..<start)
            if count == 0, !rest.isEmpty, !answer(rest[...], source: &source, expected, into: &output) {
                status = .failure
            }
            // A program that waits for an answer gets it before its next question.
            guard Console.output(data: output) else { return status }
            output.removeAll(keepingCapacity: true)
            if count == 0 { return status }
            guard rest.count <= lineMax else {
                return .failure(saying: "a line of standard input has more than \(lineMax) bytes")
            }
        }
    }

    /// False for a line that is no URL, or whose answer is not known or not the expected one; an empty one is passed over.
    private static func answer(
        _ line: ArraySlice<UInt8>, source: inout MatchSource, _ expected: LinkMatching.Outcome?,
        into output: inout [UInt8]
    ) -> Bool {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if line.isEmpty { return true }
        let text = String(decoding: line, as: UTF8.self)
        switch LinkURL.typed(text) {
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
