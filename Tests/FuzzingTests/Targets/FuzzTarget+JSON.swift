// JSON and JSON5: any bytes give a document, and what it says of a text is true of it. What strict JSON takes, JSON5 takes
// too and reads as the same values; what is written is read again as what it was.

import SourceJSON

extension FuzzTarget {
    static let json = FuzzTarget(
        name: "json", summary: "JSON within JSON5, values that survive being written, and positions within the text"
    ) { bytes in
        let strict = SourceReader.read(bytes, as: .json)
        let tolerant = SourceReader.read(bytes, as: .json5)
        for document in [strict, tolerant] { try JSONPromises.check(document) }
        if strict.isAcceptable {
            try demand(tolerant.isAcceptable, "strict JSON is not JSON5: \(tolerant.problems)")
            try JSONPromises.compare(strict.value, tolerant.value, "read as JSON5")
        }
        for document in [strict, tolerant] where document.isAcceptable {
            guard let value = document.value else { continue }
            for text in [SourceWriter.canonical(value), SourceWriter.minified(value)] {
                let again = SourceReader.read(text, as: .json)
                try demand(again.isAcceptable, "what was written is no JSON: \(again.problems)")
                try JSONPromises.compare(value, again.value, "written and read again")
            }
        }
    }
}

/// What is true of every document.
enum JSONPromises {
    static func check(_ document: SourceDocument) throws(Complaint) {
        try demand(
            document.value != nil || document.problems.contains(where: \.isError), "no value, and nothing said about it"
        )
        if let value = document.value { try check(value, document) }
        for problem in document.problems {
            try check(problem.range, document, problem.kind.rawValue)
            if let related = problem.related { try check(related, document, "what \(problem.kind) refers to") }
            if let edit = problem.edit { try check(edit.range, document, "the edit for \(problem.kind)") }
            try demand(!problem.message.isEmpty, "a problem without words")
            let excerpt = document.excerpt(of: problem.range)
            let shown = excerpt.text.unicodeScalars.count
            try demand(excerpt.caretColumn <= shown && excerpt.caretLength >= 1, "a caret beyond its line: \(excerpt)")
        }
    }

    /// A range lies within the text, and its line and column are those of its offset.
    static func check(_ range: SourceRange, _ document: SourceDocument, _ what: String) throws(Complaint) {
        let (start, end) = (range.start, range.end)
        try demand(
            start.offset <= end.offset && end.offset <= document.text.count,
            "\(what) lies at \(start.offset)..<\(end.offset) of \(document.text.count)")
        try demand((start.line, start.column) <= (end.line, end.column), "\(what) ends before it starts")
        try demand(start.line >= 1 && start.column >= 1, "\(what) lies at \(start.line):\(start.column)")
    }

    private static func check(_ value: SourceValue, _ document: SourceDocument) throws(Complaint) {
        try check(value.range, document, "a value")
        switch value.kind {
        case .null, .bool, .string: break
        case .number(let number): _ = number.asInt
        case .array(let elements): for element in elements { try check(element, document) }
        case .object(let members):
            for member in members {
                try check(member.keyRange, document, "a key")
                try check(member.value, document)
            }
        }
    }

    static func compare(_ first: SourceValue?, _ second: SourceValue?, _ how: String) throws(Complaint) {
        guard let first, let second else { throw Complaint("a value is lost when it is \(how)") }
        try demand(areEqual(first, second), "a value is another one when it is \(how)")
    }

    static func areEqual(_ first: SourceValue, _ second: SourceValue) -> Bool {
        switch (first.kind, second.kind) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        // JSON has no word for what is no number.
        case (.number(let number), .null): number.canonicalText == "null"
        case (.number(let first), .number(let second)): first.canonicalText == second.canonicalText
        case (.string(let first), .string(let second)): first.unicodeScalars.elementsEqual(second.unicodeScalars)
        case (.array(let first), .array(let second)): first.elementsEqual(second, by: areEqual)
        case (.object(let first), .object(let second)):
            first.elementsEqual(second) {
                $0.key.unicodeScalars.elementsEqual($1.key.unicodeScalars) && areEqual($0.value, $1.value)
            }
        default: false
        }
    }
}
