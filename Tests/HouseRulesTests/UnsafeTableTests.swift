// docs/unsafe.md against the sources. `ASSOCIATED_UPDATE_DOCS=1 swift test --filter UnsafeTableTests` writes what is to be
// counted and leaves the reasons to a person.

import Foundation
import Testing

@Suite struct UnsafeTableTests {
    @Test func `every unsafe construct is in the table, with a reason`() throws {
        let text = try SourceTree.content(of: UnsafeTable.path)
        let rows = UnsafeTable.rows(in: text)
        let wanted = UnsafeTable.wanted(of: SourceTree.swiftFiles, known: rows)
        if ProcessInfo.processInfo.environment["ASSOCIATED_UPDATE_DOCS"] == "1" {
            let others = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.hasPrefix("| `Sources/")
            }
            let head = others.firstIndex { $0.hasPrefix("|---") } ?? others.count - 1
            let lines =
                others[...head].map(String.init) + wanted.map(\.markdown) + others[(head + 1)...].map(String.init)
            let url = SourceTree.root.appendingPathComponent(UnsafeTable.path)
            try lines.joined(separator: "\n").write(to: url, atomically: true, encoding: .utf8)
        }
        for row in wanted {
            let found = rows.first { $0.path == row.path }
            #expect(
                found?.uses == row.uses,
                "\(row.path) has \(row.uses), and docs/unsafe.md says \(found?.uses ?? "nothing"); is it needed?")
            #expect(row.reason.count >= 20, "\(row.path) needs a reason that a reader can judge")
        }
        let gone = rows.filter { row in !wanted.contains { $0.path == row.path } }.map(\.path)
        #expect(gone.isEmpty, "these have nothing unsafe any more")
    }

    @Test func `counts constructs in code, not in comments and texts`() {
        func uses(_ code: String) -> String { UnsafeTable.uses(in: SourceFile(path: "Sources/HTTP/X.swift", code)) }
        #expect(uses("let a = 1") == "")
        #expect(uses("// UnsafeRawPointer\nlet a = \"OpaquePointer\"") == "")
        #expect(uses("let a: UnsafeRawPointer, b: OpaquePointer") == "pointers 2")
        #expect(uses("a.withUnsafeBytes { $0.baseAddress }") == "accesses 2")
        #expect(uses("a.loadUnaligned(as: Int.self)") == "readings 1")
        #expect(uses("struct A: @unchecked Sendable {}\nnonisolated(unsafe) let b = 1") == "promises 2")
    }

    @Test func `a file without a row has no reason, and one with a row keeps it`() {
        let file = SourceFile(path: "Sources/HTTP/X.swift", "let a: OpaquePointer")
        let row = UnsafeTable.Row(path: file.path, uses: "pointers 9", reason: "because")
        #expect(UnsafeTable.wanted(of: [file], known: []).map(\.reason) == [""])
        let wanted = UnsafeTable.wanted(of: [file], known: UnsafeTable.rows(in: row.markdown))
        #expect(wanted == [UnsafeTable.Row(path: file.path, uses: "pointers 1", reason: "because")])
    }
}
