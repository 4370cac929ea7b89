// Helpers of the tests of this module: read a text, and write the result as text.

import SourceJSON
import Testing

/// Reads a text.
func read(_ text: String, as dialect: SourceDialect = .json, limits: SourceLimits = .standard) -> SourceDocument {
    SourceReader.read(Array(text.utf8), as: dialect, limits: limits)
}

/// The problems of a text, as `kind@line:column`.
func problems(_ text: String, as dialect: SourceDialect = .json) -> [String] { problems(read(text, as: dialect)) }

func problems(_ document: SourceDocument) -> [String] {
    document.problems.map { "\($0.kind.rawValue)@\($0.range.start.line):\($0.range.start.column)" }
}

/// The value of a text in the shortest form, or `none`.
func value(_ text: String, as dialect: SourceDialect = .json) -> String {
    read(text, as: dialect).value.map(minified) ?? "none"
}

func minified(_ value: SourceValue) -> String { String(decoding: SourceWriter.minified(value), as: UTF8.self) }

/// The text that a problem is about.
func stretch(_ problem: SourceProblem, of document: SourceDocument) -> String {
    String(decoding: document.text[problem.range.start.offset..<problem.range.end.offset], as: UTF8.self)
}

/// The text with the edit of each problem applied, from the last to the first.
func fixed(_ document: SourceDocument) -> String {
    var text = document.text
    for edit in document.problems.compactMap(\.edit).sorted(by: { $0.range.start.offset > $1.range.start.offset }) {
        text.replaceSubrange(edit.range.start.offset..<edit.range.end.offset, with: Array(edit.replacement.utf8))
    }
    return String(decoding: text, as: UTF8.self)
}
