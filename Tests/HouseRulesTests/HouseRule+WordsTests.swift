// The forbidden words, plane by plane.

import Testing

struct HouseRuleWordsTests {
    @Test(arguments: [
        ("HTTP", "let x: any Sequence = y"),
        ("Posix", "let x = Data(y)"),
        ("Engine", "Task { work() }"),
        ("Engine", "Task.detached { work() }"),
        ("Catalogue", "await x()"),
        ("TLS", "print(x)"),
        ("TLS", "let x = try! y()"),
        ("HTTP", "fatalError(\"no\")"),
        ("HTTP", "let x = Foundation.Date()"),
        ("Association", "let x: any Sequence = y"),
        ("Association", "print(x)"),
        ("Association", "if text.hasPrefix(other) {}"),
        ("Hosting", "print(x)"),
        ("Verifier", "try! x()"),
        ("associated", "fatalError(\"no\")"),
    ])
    func `refuses a word and names what to use instead`(module: String, line: String) {
        let violations = HouseRule.words.check(SourceFile(path: "Sources/\(module)/A.swift", line))
        #expect(violations.count == 1)
        #expect(violations.first?.message.contains("; ") == true)
    }

    @Test(arguments: [
        ("Hosting", "let x: any Sequence = Data(y)"),
        ("associated", "print(x)"),
        ("HTTP", "// print(x), try! and await are words"),
        ("HTTP", "let company = userData(y)"),
    ])
    func `lets the plane use its own`(module: String, line: String) {
        #expect(HouseRule.words.check(SourceFile(path: "Sources/\(module)/A.swift", line)).isEmpty)
    }

    @Test func `leaves tests alone`() {
        #expect(HouseRule.words.check(SourceFile(path: "Tests/HTTPTests/A.swift", "print(x)")).isEmpty)
    }
}
