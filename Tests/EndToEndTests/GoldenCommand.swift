// A command line and its output as one text, to compare with a golden file: on pipes, and on a terminal, which has colour and
// shows output and errors together.

import Foundation
import Testing

struct GoldenCommand: Sendable {
    /// The name of the file in Tests/Golden.
    let name: String
    /// The command for a shell in the folder of `GoldenFolder`.
    let command: String

    init(_ name: String, _ command: String) {
        self.name = name
        self.command = command
    }

    /// Its output, with placeholders for everything that differs from run to run.
    func transcript(in folder: GoldenFolder) throws -> String {
        let plain = try run(["/bin/sh", "-c", command], folder)
        let shown = try run(["script", "--quiet", "--return", "--command", command, "/dev/null"], folder)
        var text = "$ \(command)\nstatus \(plain.status)\n"
        for (title, part) in [("output", plain.output), ("errors", plain.errors), ("on a terminal", shown.output)] {
            if !part.isEmpty { text += "=== \(title)\n\(GoldenCommand.visible(folder.plain(part)))" }
        }
        #expect(shown.status == plain.status, "\(name): the status is different on a terminal")
        return text
    }

    private func run(_ arguments: [String], _ folder: GoldenFolder) throws -> Run {
        let path = "\(Subject.executable.deletingLastPathComponent().path):/usr/bin:/bin"
        let script = "cd '\(folder.path)' && exec \"$0\" \"$@\" < /dev/null"
        return try Subject.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", script] + arguments, ["PATH": path, "TERM": "xterm"])
    }

    /// Shows control characters as text, with one form of line ends.
    private static func visible(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\u{1B}", with: "<ESC>").replacing("\r", with: "<CR>")
        // Hosts are checked at the same time, so the numbers vary.
        let progress = lines.replacing(/(<CR>\d of \d hosts)+/, with: "<CR>N of N hosts")
        return progress.hasSuffix("\n") ? progress : "\(progress)<no line end>\n"
    }
}
