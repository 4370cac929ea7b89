// The mechanical fixes of one file, applied in memory: its text with them, and the difference. Fixing continues as long as lint has
// more to suggest, because a fixed text shows what is wrong with its values.

import Association
import Glibc
import Posix
import SourceJSON

struct FixedFile {
    /// Why the file has to be fixed by hand.
    private(set) var refusal: String?
    private(set) var editCount = 0
    /// The rules whose findings are fixed, in the order of their fixes.
    private(set) var rules: [RuleID] = []
    private let path: String
    private let original: [UInt8]
    private(set) var text: [UInt8]

    /// Each round fixes what the one before has uncovered; after more than a few, they undo each other.
    private static let roundsMax = 10

    init(_ bytes: [UInt8], path: String, kind: LintedKind) {
        self.path = path
        original = bytes
        let document = SourceReader.read(bytes, as: .json5)
        let isIntact = !document.problems.contains { $0.kind == .invalidEncoding }
        guard isIntact, let editable = SourceEdit.editable(document) else {
            text = bytes
            if !isIntact {
                refusal = "it contains bytes that are not UTF-8; save it in UTF-8"
            } else if !document.text.isEmpty {
                refusal = "it contains zero bytes, so it is not a text file"
            }
            return
        }
        text = editable
        // Without its mark and in UTF-8 the text is already better.
        if text != bytes { editCount = 1 }
        for _ in 0..<FixedFile.roundsMax {
            let fixable = kind.lint(text, file: path).filter { $0.edit != nil }
            let mended = SourceEdit.apply(fixable.compactMap(\.edit), to: text)
            if mended.text == text { break }
            for finding in fixable where !rules.contains(finding.rule) { rules.append(finding.rule) }
            text = mended.text
            editCount += mended.count
        }
    }

    var isChanged: Bool { text != original }

    /// `2 fixes (AASA-001, AASA-035)`.
    var summary: String {
        let count = Count.of(editCount, "fix", "fixes")
        return rules.isEmpty ? count : "\(count) (\(rules.map(\.description).joined(separator: ", ")))"
    }

    /// As `diff -u` has it.
    var difference: String {
        UnifiedDifference(
            from: String(decoding: original, as: UTF8.self), to: String(decoding: text, as: UTF8.self), path: path
        ).text
    }

    /// In one step; a link is followed to its file.
    func write() throws(SystemError) {
        let permissions = (try? File.status(path))?.permissions ?? 0o644
        var place = path
        if let resolved = unsafe realpath(path, nil) {
            place = unsafe String(cString: resolved)
            unsafe free(resolved)
        }
        try OutputFile.replace(place, text, permissions: permissions)
    }
}
