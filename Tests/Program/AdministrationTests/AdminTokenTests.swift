// The accepted tokens, and their sources.

import TestSupport
import Testing

@testable import Administration

struct AdminTokenTests {
    @Test(arguments: ["", "short", "123456789012345", "0123456789 abcdef", "0123456789abcdéf", "0123456789abcdef,"])
    func `refuses tokens that can be guessed or cannot be sent`(text: String) {
        #expect(throws: AdminToken.Problem.self) { _ = try AdminToken(text.utf8) }
    }

    @Test func `ignores white space around the token`() throws {
        #expect(try AdminToken("  0123456789abcdef\r\n".utf8).authorization == "Bearer 0123456789abcdef")
    }

    @Test func `reads the token from a file, and never shows it in a message`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("token", "0123456789abcdef\n")
        #expect(try AdminToken(file: path).authorization == "Bearer 0123456789abcdef")
        try folder.write("token", "secret\n")
        let problem = #expect(throws: AdminToken.Problem.self) { _ = try AdminToken(file: path) }
        #expect(problem.map { "\($0)" }?.hasPrefix("it has 6 characters") == true)
        #expect(problem.map { "\($0)" }?.contains("secret") == false)
        #expect(throws: AdminToken.Problem.self) { _ = try AdminToken(file: path + ".missing") }
    }
}
