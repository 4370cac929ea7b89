// Where the sources leave what the compiler can prove about memory, and why: docs/unsafe.md has a line for each file, with
// every construct of this kind, how often it stands there, and the reason. What is not in the table fails the tests, and so
// does what is in it and gone.

import Foundation

/// The table, as it stands and as it should.
enum UnsafeTable {
    static let path = "docs/unsafe.md"

    /// What takes something out of the compiler's hands: pointers, memory read as something, promises about threads.
    private static let constructs: [(name: String, pattern: String)] = [
        ("pointers", #"\b(Unsafe(Mutable)?(Raw)?(Buffer)?Pointer|OpaquePointer|Unmanaged)\b"#),
        ("accesses", #"\bwithUnsafe\w+|\b_withUnsafe\w+|\.pointee\b|\bbaseAddress\b|\butf8Start\b"#),
        ("readings", #"\b(assumingMemoryBound|bindMemory|loadUnaligned|storeBytes|unsafeBitCast|unsafelyUnwrapped)\b"#),
        ("promises", #"@unchecked\b|\bnonisolated\(unsafe\)|\bunowned\(unsafe\)"#),
    ]

    /// One line of the table.
    struct Row: Equatable {
        var path: String
        /// `pointers 3, accesses 2`
        var uses: String
        var reason: String

        var markdown: String { "| `\(path)` | \(uses) | \(reason) |" }
    }

    /// What of this kind stands in a file; empty when nothing does.
    static func uses(in file: SourceFile) -> String {
        let code = file.text.code.joined(separator: "\n")
        return constructs.compactMap { name, pattern in
            guard let expression = try? NSRegularExpression(pattern: pattern) else { return nil }
            let count = expression.numberOfMatches(in: code, range: NSRange(code.startIndex..., in: code))
            return count > 0 ? "\(name) \(count)" : nil
        }.joined(separator: ", ")
    }

    static func rows(in text: String) -> [Row] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 5, cells[1].hasPrefix("`Sources/") else { return nil }
            return Row(path: cells[1].replacingOccurrences(of: "`", with: ""), uses: cells[2], reason: cells[3])
        }
    }

    /// What the table has to say of these files; a reason that is not written yet is empty.
    static func wanted(of files: [SourceFile], known rows: [Row]) -> [Row] {
        let reasons = Dictionary(rows.map { ($0.path, $0.reason) }, uniquingKeysWith: { first, _ in first })
        return files.filter { $0.path.hasPrefix("Sources/") }.compactMap { file in
            let uses = uses(in: file)
            return uses.isEmpty ? nil : Row(path: file.path, uses: uses, reason: reasons[file.path] ?? "")
        }
    }
}
