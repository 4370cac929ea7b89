// The process log: one event per line with its time and level, whatever file names contain.

import Foundation
import Glibc
import Testing

@Suite struct ProcessLogTests {
    private let folder: Folder

    init() throws { folder = try Folder(serving: "a.example") }

    /// A time in milliseconds, a level and a text.
    private static var event: Regex<(Substring, Substring)> {
        /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning|error) \S[^\n]*/
    }

    @Test func `each line is one event with its time and level`() throws {
        try folder.write("config/apps/b.json", "{")
        let run = try Subject.run("serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0", "--strict")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count >= 2)
        for line in lines { #expect(line.wholeMatch(of: ProcessLogTests.event) != nil, "\(line)") }
        #expect(lines.first { $0.contains("error[APP-001]") }?.contains("Z error ") == true)
        let last = try #require(run.messages.last)
        #expect(last == "not started: 1 error above, and --strict is set")
    }

    @Test func `in JSON each line is one object, with the parts of a finding as fields`() throws {
        try folder.write("config/apps/b.json", "{")
        let run = try Subject.run(
            "serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0", "--strict", "--log-format", "json")
        let events = try run.errors.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        for event in events { #expect(event["time"] is String && event["level"] is String && event["msg"] is String) }
        let finding = try #require(events.first { $0["rule"] as? String == "APP-001" })
        #expect(finding["level"] as? String == "error")
        #expect(finding["file"] as? String == "\(folder.path)/config/apps/b.json")
        #expect(finding["line"] as? Int == 1)
        #expect(events.last?["msg"] as? String == "not started: 1 error above, and --strict is set")
    }

    @Test func `a level omits less urgent events`() throws {
        try folder.write("config/apps/b.json", "{")
        try folder.write("config/server.json", "{ log: { level: 'error', process: 'json' } }")
        for more in [["--log-level", "error", "--log-format", "text"], []] {
            let run = try Subject.run(
                ["serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0", "--strict", "--user", "root"]
                    + more)
            let level = more.isEmpty ? "\"level\":\"error\"" : " error "
            #expect(run.status == 1 && !run.errors.isEmpty)
            for line in run.errors.split(separator: "\n") { #expect(line.contains(level), "\(line)") }
        }
    }

    @Test(arguments: ["text", "json"])
    func `the journal gets a priority and no time`(format: String) throws {
        try folder.write("log", "")
        let run = try Subject.run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c", "exec 2>>\"$LOG\"; JOURNAL_STREAM=$(stat -c %d:%i \"$LOG\") exec \"$@\"", "sh",
                Subject.executable.path, "serve", "--config", "\(folder.path)/nowhere", "--http", "127.0.0.1:0",
                "--log-format", format,
            ], ["LOG": "\(folder.path)/log"])
        #expect(run.status == 1)
        let log = try folder.read("log")
        let lines = log.split(separator: "\n")
        let start = format == "text" ? "<3>error cannot read " : "<3>{\"level\":\"error\",\"msg\":\"cannot read "
        #expect(lines.last?.hasPrefix(start) == true, "\(log)")
        // Standard error is not the journal.
        let other = try Subject.run(
            "serve", "--config", "\(folder.path)/nowhere", environment: ["JOURNAL_STREAM": "1:1"])
        #expect(!other.errors.contains("<3>") && other.errors.contains("Z error "))
    }

    @Test func `file names can neither end a line nor control a terminal`() throws {
        let name = "x\nassociated: exiting because of a bug\u{1B}[31m\u{202E}\u{2028}y"
        let server = try folder.serve()
        try folder.write("config/apps/\(name).json", "{")
        try folder.write("public/a.example/\(name).html", "page")
        try folder.write("config/hosts/a.example/well-known/\(name)", "text")
        var lines: [String] = []
        func read(until parts: String...) {
            while lines.count < 60, !parts.allSatisfy({ part in lines.contains { $0.contains(part) } }) {
                guard let line = server.nextRawLine() else { return }
                lines.append(line)
            }
        }
        read(until: "error[APP-001]", " a.example: ")
        // A fixed file is named once more.
        try folder.write("config/apps/\(name).json", Folder.app("c.example"))
        read(until: "all problems resolved")
        #expect(lines.contains { $0.contains("exiting because of a bug") })
        #expect(lines.last?.contains("all problems resolved") == true)
        for line in lines {
            #expect(line.wholeMatch(of: ProcessLogTests.event) != nil, "\(line.debugDescription)")
            #expect(!line.unicodeScalars.contains { ["\u{1B}", "\u{202E}", "\u{2028}"].contains($0) })
        }
    }
}
