// The text of an app file as a person writes it, in plain JSON: one line for each rule and for each short list, and a comment after
// the line of an invalid value.

import Association
import SourceJSON

struct AppFileText {
    private(set) var text = ""
    /// By the value.
    private let comments: [ExactText: String]

    /// About what fits beside another version in a review.
    private static let columnsMax = 130

    init(comments: [String: String]) {
        self.comments = Dictionary(uniqueKeysWithValues: comments.map { (ExactText($0.key), $0.value) })
    }

    mutating func add(_ line: String, indent: Int = 0) {
        text += String(repeating: " ", count: indent) + line + "\n"
    }

    /// Adds a value between two texts, in one line or several.
    mutating func add(_ value: SourceValue, _ before: String = "", _ after: String = "", indent: Int = 0) {
        let (brackets, parts): (String, [(key: String, value: SourceValue)])
        switch value.kind {
        case .array(let elements): (brackets, parts) = ("[]", elements.map { ("", $0) })
        case .object(let members):
            (brackets, parts) = ("{}", members.map { (SourceWriter.quoted($0.key) + ": ", $0.value) })
        default:
            let comment = value.asString.flatMap { comments[ExactText($0)] }.map { "  // \(Printable.line($0))" }
            return add(before + SourceWriter.line(value) + after + (comment ?? ""), indent: indent)
        }
        if isOneLine(value, isElement: before.isEmpty && indent > 0), !hasComment(value) {
            let line = before + SourceWriter.line(value) + after
            // A rule stays in its line, however long it is.
            if value.asObject != nil || indent + line.utf8.count <= Self.columnsMax { return add(line, indent: indent) }
        }
        add(before + brackets.prefix(1), indent: indent)
        for (index, part) in parts.enumerated() {
            add(part.value, part.key, index == parts.count - 1 ? "" : ",", indent: indent + 2)
        }
        add(brackets.suffix(1) + after, indent: indent)
    }

    /// Whether it is a list of texts, or a rule in a list. Other objects in lists contain lists.
    private func isOneLine(_ value: SourceValue, isElement: Bool) -> Bool {
        switch value.kind {
        case .array(let elements): elements.allSatisfy { $0.asString != nil }
        case .object(let members): isElement && members.allSatisfy { $0.value.asArray == nil }
        default: true
        }
    }

    private func hasComment(_ value: SourceValue) -> Bool {
        if comments.isEmpty { return false }
        return switch value.kind {
        case .string(let text): comments[ExactText(text)] != nil
        case .array(let elements): elements.contains(where: hasComment)
        case .object(let members): members.contains { hasComment($0.value) }
        default: false
        }
    }
}
