// One command line and all that it printed, as a text that can be kept beside the tests: on pipes, and on a terminal, where
// there is colour and where results and remarks meet.

import Foundation
import Testing

struct GoldenCommand: Sendable {
    /// The name of the file in Tests/Golden.
    let name: String
    /// As a shell reads it, in the folder of `GoldenFolder`.
    let command: String

    init(_ name: String, _ command: String) {
        self.name = name
        self.command = command
    }

    /// What it prints, with everything that differs from run to run put in words.
    func transcript(in folder: GoldenFolder) throws -> String {
        let plain = try run(["/bin/sh", "-c", command], folder)
        let shown = try run(["script", "--quiet", "--return", "--command", command, "/dev/null"], folder)
        var text = "$ \(command)\nstatus \(plain.status)\n"
        for (title, part) in [("output", plain.output), ("errors", plain.errors), ("on a terminal", shown.output)] {
            if !part.isEmpty { text += "=== \(title)\n\(GoldenCommand.visible(folder.plain(part)))" }
        }
        #expect(shown.status == plain.status, "\(name): on a terminal the status is another")
        return text
    }

    private func run(_ arguments: [String], _ folder: GoldenFolder) throws -> Run {
        let path = "\(Subject.executable.deletingLastPathComponent().path):/usr/bin:/bin"
        let script = "cd '\(folder.path)' && exec \"$0\" \"$@\" < /dev/null"
        return try Subject.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script] + arguments, ["PATH": path, "TERM": "xterm"])
    }

    /// Without what a file should not have: escapes in words, and the one form of line ends.
    private static func visible(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\u{1B}", with: "<ESC>").replacing("\r", with: "<CR>")
        // Several hosts are looked at at once, and the last word of each may come before another's.
        let progress = lines.replacing(/(<CR>\d of \d hosts)+/, with: "<CR>N of N hosts")
        return progress.hasSuffix("\n") ? progress : "\(progress)<no line end>\n"
    }
}
