// The threat model is a promise: each row names tests that are there, and bounds that the sources have.

import Testing

struct ThreatModelTests {
    private static let path = "docs/threat-model.md"

    /// The rows of all tables with a column for tests, as their cells.
    private static let rows: [[String]] = {
        let text = SourceTree.otherFiles.first { $0.path == path }?.text.lines ?? []
        var (rows, hasTests): ([[String]], Bool) = ([], false)
        for line in text {
            if !line.hasPrefix("|") || line.contains("| tests |") {
                hasTests = line.hasPrefix("|")
            } else if hasTests, line.hasPrefix("| ") {
                rows.append(line.split(separator: "|").map { cell in String(cell.drop { $0 == " " }.trimmedEnd) })
            }
        }
        return rows
    }()

    /// What stands between backticks.
    private static func names(in cell: String?) -> [String] {
        let parts = (cell ?? "").split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
    }

    @Test(arguments: rows) func `a row names a test that exists`(row: [String]) {
        let tests = ThreatModelTests.names(in: row.last)
        #expect(row.count == 4 && !tests.isEmpty, "no test holds: \(row.first ?? "")")
        let known = Set(SourceTree.swiftFiles.filter(\.isTest).map(\.name))
        for test in tests { #expect(known.contains(test), "there is no \(test)") }
    }

    @Test(arguments: rows) func `a bound is declared in the sources`(row: [String]) {
        let code = SourceTree.swiftFiles.filter { !$0.isTest }
        for name in ThreatModelTests.names(in: row.dropLast().last) {
            let isDeclared = code.contains { file in
                file.text.code.contains { $0.contains("let \(name)") || $0.contains("var \(name)") }
            }
            #expect(isDeclared, "no limit is called \(name)")
        }
    }

    @Test func `the tables are read`() { #expect(ThreatModelTests.rows.count > 30) }
}

extension Substring {
    fileprivate var trimmedEnd: Substring {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
