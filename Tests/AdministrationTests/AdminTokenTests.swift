// The accepted tokens, and their sources.

import Foundation
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
        let path = NSTemporaryDirectory() + "token\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("0123456789abcdef\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try AdminToken(file: path).authorization == "Bearer 0123456789abcdef")
        try Data("secret\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            _ = try AdminToken(file: path)
        } throws: {
            "\($0)".hasPrefix("it has 6 characters") && !"\($0)".contains("secret")
        }
        #expect(throws: AdminToken.Problem.self) { _ = try AdminToken(file: path + ".missing") }
    }
}
