// Swift source, told apart into code, comments and literals, so that a rule about code does not stumble over the same
// word in a comment, a message or a test's name. A small lexer: enough of the language for that, and no parser.

import Glibc

/// One source text in views of equal length and equal lines: what does not belong to a view is blank in it.
struct SourceText {
    let lines: [String]
    /// Without comments, string literals and the names in backticks.
    let code: [String]
    /// Only the comments.
    let comments: [String]
    /// - Parameter isSwift: false for a document, which has no code.
    init(_ text: String, isSwift: Bool = true) {
        lines = text.linesByLineFeed
        guard isSwift else {
            (code, comments) = ([], [])
            return
        }
        var lexer = Lexer(text)
        lexer.run()
        code = lexer.lines { $0 == .code }
        comments = lexer.lines { $0 == .comment }
    }

    /// The numbers, from 1, of the lines of `view` in which `word` stands by itself.
    static func lines(of view: [String], containing word: String) -> [Int] {
        // Most lines have no such bytes, and a search by characters is slow.
        view.indices.filter { strstr(view[$0], word) != nil && contains(view[$0], word: word) }.map { $0 + 1 }
    }

    /// `Data(` is found in `x = Data(y)`, and neither in `userData(y)` nor in `.Data(y)`; `any ` only before a type.
    private static func contains(_ line: String, word: String) -> Bool {
        line.ranges(of: word).contains { found in
            let before = line[..<found.lowerBound].last
            let after = line[found.upperBound...].first
            if word.hasSuffix(" "), after?.isUppercase != true, after != "(" { return false }
            return !joins(before, word.first, orDot: true) && !joins(word.last, after)
        }
    }

    private static func joins(_ left: Character?, _ right: Character?, orDot: Bool = false) -> Bool {
        guard let left, let right, right.isIdentifierPart else { return false }
        return left.isIdentifierPart || (orDot && left == ".")
    }
}

extension String {
    /// Split by scalars: as a `Character`, a carriage return with its line feed is one and no line feed.
    var linesByLineFeed: [String] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

extension Character { var isIdentifierPart: Bool { isLetter || isNumber || self == "_" } }
