// The mechanical fixes of one file, applied in memory. Fixing is repeated as long as there are new edits, because a fixed text reveals
// problems of its values. What would change which links open is advice, and a person has to write it.

package import Association
import SourceJSON

package struct FixedFile {
    /// Why the file has to be fixed by hand.
    package private(set) var refusal: String?
    package private(set) var editCount = 0
    /// The rules whose findings are fixed, in the order of their fixes.
    package private(set) var rules: [RuleID] = []
    private let original: LintedFile
    package private(set) var file: LintedFile

    /// Each pass fixes what the previous one revealed; after more than a few, fixes undo each other.
    private static let passesMax = 10

    /// - Parameter isMeant: the rules whose advice is taken too.
    package init(_ file: LintedFile, isMeant: (RuleID) -> Bool = { _ in false }) {
        original = file
        self.file = file
        let isIntact = !file.document.problems.contains { $0.kind == .invalidEncoding }
        guard isIntact, let editable = SourceEdit.editable(file.document) else {
            if !isIntact {
                refusal = "it contains bytes that are not UTF-8; save it in UTF-8"
            } else if !file.document.text.isEmpty {
                refusal = "it contains zero bytes, so it is not a text file"
            }
            return
        }
        // UTF-8 without a byte order mark is already a fix.
        replace(editable, count: editable == file.bytes ? 0 : 1)
        for _ in 0..<FixedFile.passesMax {
            let fixable = self.file.fixableFindings(isMeant: isMeant)
            let fixed = SourceEdit.apply(fixable.compactMap(\.edit), to: self.file.bytes)
            if fixed.text == self.file.bytes { break }
            for finding in fixable where !rules.contains(finding.rule) { rules.append(finding.rule) }
            replace(fixed.text, count: fixed.count)
        }
    }

    private mutating func replace(_ text: [UInt8], count: Int) {
        if count > 0 { file = LintedFile(text, path: file.path, kind: file.kind) }
        editCount += count
    }

    package var isChanged: Bool { file.bytes != original.bytes }

    /// `2 fixes (AASA-001, AASA-035)`.
    package var summary: String {
        let count = Count.of(editCount, "fix", "fixes")
        return rules.isEmpty ? count : "\(count) (\(rules.map(\.description).joined(separator: ", ")))"
    }

    /// In the format of `diff -u`.
    package var difference: String {
        UnifiedDifference(
            from: String(decoding: original.bytes, as: UTF8.self), to: String(decoding: file.bytes, as: UTF8.self),
            path: file.path
        ).text
    }
}
