// The mechanical fixes of one file, applied in thought: what it would be, and how that differs from what it is. Fixing
// goes on as long as linting has more to suggest, because mending the text uncovers what is wrong with the values.

import Association
import Glibc
import Posix
import SourceJSON

struct FixedFile {
    /// Why the file has to be mended by hand.
    private(set) var refusal: String?
    private(set) var editCount = 0
    private let path: String
    private let original: [UInt8]
    private var text: [UInt8]

    /// Each round mends what the one before has uncovered; more than a few and they undo each other.
    private static let roundsMax = 10

    init(_ bytes: [UInt8], path: String, kind: LintedKind) {
        self.path = path
        original = bytes
        let document = SourceReader.read(bytes, as: .json5)
        text = document.text
        guard !text.isEmpty, !document.problems.contains(where: { $0.kind == .invalidEncoding }) else {
            let isText = !text.isEmpty
            refusal = isText ? "it has bytes that are no UTF-8, and what they were is not known" : nil
            text = bytes
            return
        }
        // Without its mark and in UTF-8 the text is already better.
        if text != bytes { editCount = 1 }
        for _ in 0..<FixedFile.roundsMax {
            let edits = FixedFile.applicable(kind.lint(text, file: path).compactMap(\.edit))
            let mended = FixedFile.apply(edits, to: text)
            if mended == text { break }
            text = mended
            editCount += edits.count
        }
    }

    var isChanged: Bool { text != original }

    /// As `diff -u` has it.
    var difference: String {
        UnifiedDifference(
            from: String(decoding: original, as: UTF8.self), to: String(decoding: text, as: UTF8.self), path: path
        ).text
    }

    /// In one step, and through a link to what it stands for.
    func write() throws(SystemError) {
        let permissions = (try? File.status(path))?.permissions ?? 0o644
        var place = path
        if let resolved = realpath(path, nil) {
            place = String(cString: resolved)
            free(resolved)
        }
        let failure: SystemError? = text.withUnsafeBytes { bytes in
            do throws(SystemError) {
                try File.replace(place, bytes, permissions: permissions)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// In the order of the text, the first of those that touch each other.
    private static func applicable(_ edits: [SourceEdit]) -> [SourceEdit] {
        var end = -1
        return edits.sorted { $0.range.start.offset < $1.range.start.offset }.filter { edit in
            guard edit.range.start.offset > end else { return false }
            end = edit.range.end.offset
            return true
        }
    }

    private static func apply(_ edits: [SourceEdit], to text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        for edit in edits {
            let (start, end) = (edit.range.start.offset, edit.range.end.offset)
            guard start >= place, end >= start, end <= text.count else { continue }
            result += text[place..<start]
            result += edit.replacement.utf8
            place = end
        }
        return result + text[place...]
    }
}
