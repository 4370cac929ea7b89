import Glibc
import Testing

@testable import Posix

struct ProgramOutputTests {
    private func shell(_ line: String, input: String = "") throws -> ProgramOutput {
        try ProgramOutput(of: "sh", ["-c", line], variables: [("WORD", "one two")], input: Array(input.utf8))
    }

    @Test func `takes everything that a program prints, and how it ended`() throws {
        let result = try shell("cat; echo \"$WORD\"; echo bad >&2; exit 3", input: "in\n")
        #expect(String(decoding: result.output, as: UTF8.self) == "in\none two\n")
        #expect(String(decoding: result.errors, as: UTF8.self) == "bad\n")
        #expect(result.end == .status(3))
        #expect(try shell("kill -9 $$").end == .signal(9))
        #expect(try shell("true").output.isEmpty)
    }

    @Test func `input and output may be larger than any pipe`() throws {
        let text = String(repeating: "0123456789abcdef", count: 100_000)
        #expect(try shell("cat", input: text).output == Array(text.utf8))
    }

    @Test func `passes arguments as they are`() throws {
        let words = ["a b", "$(x)", "", "*", "'\""]
        let result = try ProgramOutput(of: "printf", ["%s\\n"] + words)
        #expect(String(decoding: result.output, as: UTF8.self) == words.map { "\($0)\n" }.joined())
    }

    @Test func `a program that does not exist is an error`() {
        #expect(throws: SystemError.self) { try ProgramOutput(of: "associated-no-such-program", []) }
    }

    @Test func `a program that runs has a descriptor that is readable at its end`() throws {
        let program = try RunningProgram("cat", [], input: Array("in".utf8))
        #expect(Descriptor.readable(among: [program.descriptor], milliseconds: -1) == [true])
        #expect(try program.finish().output == Array("in".utf8))
        let slow = try RunningProgram("sleep", ["1000"])
        #expect(Descriptor.readable(among: [slow.descriptor], milliseconds: 0) == [false])
    }

    @Test func `a program that is not wanted any more is killed`() throws {
        let file = try MemoryFile([])
        var program: RunningProgram? = try RunningProgram(
            "sh", ["-c", "echo $$ >/proc/\(getpid())/fd/\(file.number); exec sleep 1000"])
        #expect(program != nil)
        while try file.bytes().last != UInt8(ascii: "\n") { _ = sched_yield() }
        let process = try #require(pid_t(String(decoding: try file.bytes().dropLast(), as: UTF8.self)))
        #expect(kill(process, 0) == 0)
        program = nil
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }
}
