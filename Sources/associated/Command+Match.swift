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
            Decides about URL as iOS and as Android 15 do, by the rules of the app files in a configuration, or by published
            files with --apple and --android, which are taken to be those of the URL's host; or with --live by what it
            serves, on the URL's port. It tells which rule decides, counted from 0 in its list, and why the earlier ones did
            not; and where the platform is not known well enough. Status 1 where a host could not be asked.
            With - it reads URLs from standard input, one a line, and prints one line of JSON for each.
            """,
        operands: Operands(usage: "URL|-", counts: 1...1),
        options: [
            .config,
            Option(name: "--apple", value: "FILE", help: "an apple-app-site-association file to decide by"),
            Option(name: "--android", value: "FILE", help: "a statement list (assetlinks.json) to decide by"),
            Option(name: "--live", value: nil, help: "decide by what the URL's host serves at this moment"),
            Option(name: "--format", value: "FORMAT", help: "text or json (text)"), .environment, .resolve, .authority,
        ]
    ) { arguments in
        let format = arguments["--format"] ?? "text"
        guard ["text", "json"].contains(format) else { return .unknown("--format", format, ["text", "json"]) }
        let operand = arguments.operands[0]
        var source: MatchSource
        do throws(Refusal) { source = try MatchSource(arguments) } catch { return error.status }
        if operand == "-" { return MatchStream.run(&source) }
        switch LinkURL.parse(operand) {
        case .failure(let problem):
            return .usage(saying: "\(operand.debugDescription) cannot be matched: \(problem.message)")
        case .success(let url):
            let matching = source.matching(for: url)
            if format == "json" {
                var line: [UInt8] = []
                matching.appendJSON(of: url, written: operand, to: &line)
                Console.output(data: line)
            } else {
                Console.output(matching.text(of: url))
            }
            return matching.isKnown ? .success : .failure
        }
    }
}

/// One URL a line in, one line of JSON out.
enum MatchStream {
    private static let chunk = 1 << 16
    /// No URL that anybody opens is a hundredth of this.
    private static let lineMax = 1 << 20

    static func run(_ source: inout MatchSource) -> ExitStatus {
        var status = ExitStatus.success
        var buffer = [UInt8](repeating: 0, count: chunk)
        var rest: [UInt8] = []
        var output: [UInt8] = []
        while true {
            let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = SystemError(call: "read", number: errno)
                return .failure(saying: "cannot read standard input: \(error.reason)")
            }
            rest += buffer[..<count]
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                if !answer(rest[start..<end], source: &source, into: &output) { status = .failure }
                start = end + 1
            }
            rest.removeSubrange(..<start)
            if count == 0, !rest.isEmpty, !answer(rest[...], source: &source, into: &output) { status = .failure }
            // Whoever waits for an answer gets it before the next question.
            guard Console.output(data: output) else { return status }
            output.removeAll(keepingCapacity: true)
            if count == 0 { return status }
            guard rest.count <= lineMax else {
                return .failure(saying: "a line of standard input has more than \(lineMax) bytes")
            }
        }
    }

    /// False for a line that is no URL, or whose answer is not known; an empty one is passed over.
    private static func answer(
        _ line: ArraySlice<UInt8>, source: inout MatchSource, into output: inout [UInt8]
    ) -> Bool {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if line.isEmpty { return true }
        let text = String(decoding: line, as: UTF8.self)
        switch LinkURL.parse(text) {
        case .success(let url):
            let matching = source.matching(for: url)
            matching.appendJSON(of: url, written: text, to: &output)
            return matching.isKnown
        case .failure(let problem):
            output += Array(
                #"{"url":\#(SourceWriter.quoted(text)),"error":\#(SourceWriter.quoted(problem.message))}"#.utf8)
            output.append(UInt8(ascii: "\n"))
            return false
        }
    }
}
