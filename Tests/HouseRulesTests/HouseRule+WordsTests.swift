// The forbidden words, plane by plane.

import Testing

struct HouseRuleWordsTests {
    @Test(arguments: [
        ("HTTP", "let x: any Sequence = y"),
        ("Posix", "let x = Data(y)"),
        ("Engine", "Task { work() }"),
        ("Engine", "Task.detached { work() }"),
        ("Catalogue", "await x()"),
        ("TLS", "let x = try! y()"),
        ("HTTP", "fatalError(\"no\")"),
        ("HTTP", "let x = Foundation.Date()"),
        ("Association", "let x: any Sequence = y"),
        ("Association", "if text.hasPrefix(other) {}"),
        ("Verifier", "try! x()"),
        ("associated", "fatalError(\"no\")"),
    ])
    func `refuses a word and names what to use instead`(module: String, line: String) {
        let violations = HouseRule.words.check(SourceFile(path: "Sources/\(module)/A.swift", line))
        #expect(violations.count == 1)
        #expect(violations.first?.message.contains("; ") == true)
    }

    @Test(arguments: [
        ("Hosting", "let x: any Sequence = Data(y)"), ("HTTP", "// print(x), try! and await are words"),
        ("HTTP", "let company = userData(y)"),
    ])
    func `lets the plane use its own`(module: String, line: String) {
        #expect(HouseRule.words.check(SourceFile(path: "Sources/\(module)/A.swift", line)).isEmpty)
    }

    @Test(arguments: [
        ("TLS", "print(x)"), ("associated", "print(x)"), ("Hosting", "fputs(x, stderr)"),
        ("associated", "write(STDOUT_FILENO, x, 1)"), ("Engine", "write(STDERR_FILENO, x, 1)"),
    ])
    func `only one file writes to standard output and standard error`(module: String, line: String) {
        #expect(!HouseRule.output.check(SourceFile(path: "Sources/\(module)/A.swift", line)).isEmpty)
        #expect(HouseRule.output.check(SourceFile(path: "Tests/\(module)Tests/A.swift", line)).isEmpty)
    }

    @Test func `leaves tests alone`() {
        #expect(HouseRule.words.check(SourceFile(path: "Tests/Formats/HTTPTests/A.swift", "print(x)")).isEmpty)
    }
}
