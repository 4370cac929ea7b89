// docs/unsafe.md against the sources: each type that is declared safe, or shared, without the compiler's proof has a reason.

import Testing

struct UnsafeTypesTests {
    private static let marks = ["@safe ", "@unchecked Sendable", "nonisolated(unsafe)"]
    private static let keywords: Set<Substring> = ["struct", "class", "enum", "extension", "let", "var"]

    /// What a line of code declares, if it has one of the marks.
    private static func declaredName(_ line: String) -> String? {
        guard marks.contains(where: line.contains) else { return nil }
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return words.firstIndex(where: keywords.contains).map { String(words[$0 + 1]) }
    }

    @Test func `the table names exactly the types that are marked`() throws {
        let files = SourceTree.swiftFiles.filter { !$0.isTest }
        let marked = Set(files.flatMap { $0.text.code.compactMap(UnsafeTypesTests.declaredName) })
        let rows = try SourceTree.content(of: "docs/unsafe.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        let named = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: ",").map { String($0.filter { $0 != "`" && $0 != " " }) }
        }
        #expect(Set(named) == marked && named.count == marked.count)
        #expect(rows.allSatisfy { $0.split(separator: "|").count == 2 })
    }

    @Test(arguments: [
        ("@safe public struct Memory: ~Copyable {", "Memory"), ("final class A_1<T>: @unchecked Sendable {", "A_1"),
        ("nonisolated(unsafe) private let a = 1", "a"), ("struct Plain: Sendable {", nil),
    ])
    func `finds what a line declares`(line: String, name: String?) {
        #expect(UnsafeTypesTests.declaredName(line) == name)
    }
}
