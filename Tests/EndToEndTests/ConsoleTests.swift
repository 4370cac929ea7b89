// Output: lost results are a failure, a reader may close the pipe early, and a name cannot look like a line of the program.

import Foundation
import Testing

@Suite struct ConsoleTests {
    private static let url = "https://shop.localhost/products/1"

    /// Runs a shell line in which `$A` is the program.
    private func shell(_ line: String) throws -> Run {
        try Subject.shell(line, ["A": Subject.executable.path, "CONFIG": "\(ServeTests.demo[1])"])
    }

    @Test(arguments: [
        "version >/dev/full", "render shop.localhost apple --config \"$CONFIG\" >/dev/full", "--help >/dev/full",
        "match \(url) --config \"$CONFIG\" >/dev/full",
    ])
    func `fails if the results do not fit on the disk`(line: String) throws {
        let run = try shell("\"$A\" \(line)")
        #expect(run.status == 1)
        #expect(run.errors == "associated: cannot write to standard output: no space left on device\n")
    }

    @Test func `fails if the output is closed`() throws {
        let run = try shell("\"$A\" version >&-")
        #expect(run.status == 1)
        #expect(run.errors == "associated: cannot write to standard output: bad file descriptor\n")
    }

    @Test func `stops a stream when the reader is gone, and keeps its status`() throws {
        // The input never ends; the words after the pipe are from the first part of the output.
        let run = try shell(
            "{ yes \(ConsoleTests.url) | timeout 60 \"$A\" match - --config \"$CONFIG\"; echo \"status $?\" >&2; } | head -1"
        )
        #expect(run.output.hasPrefix("{\"url\":\"\(ConsoleTests.url)\","))
        #expect(run.errors.hasSuffix("status 0\n"))
        #expect(!run.errors.contains("associated:"))
    }

    @Test func `escapes line ends and control characters in names`() throws {
        let folder = try Folder()
        let name = "a\nerror: forged\u{1B}[31m\u{202E}.json"
        try folder.write(name, "{\"applinks\":{\"details\":[],}}")
        let lint = try Subject.run(["lint", "\(folder.path)/\(name)"])
        #expect(lint.status == 1)
        let shown = "\(folder.path)/a\u{FFFD}error: forged\u{FFFD}[31m\u{FFFD}.json:1:"
        #expect(lint.output.hasPrefix(shown))
        #expect(!lint.output.contains("\u{1B}"))
        let missing = try Subject.run(["lint", "b\nassociated: forged\u{1B}[2J"])
        let line = "associated: cannot read b\u{FFFD}associated: forged\u{FFFD}[2J: no such file or directory\n"
        #expect(missing.errors == line)
    }
}
