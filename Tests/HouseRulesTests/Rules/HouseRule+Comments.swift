// What a newcomer reads first, and comments that must not be there.

extension HouseRule {
    /// A test file may do without: its name is that of the file it tests.
    static let openingComment = HouseRule(name: "files open by saying what they do") { file in
        let opening = file.text.lines.prefix { $0.hasPrefix("//") && !$0.hasPrefix("///") }
        guard !file.isTest, opening.joined().count < 20 else { return [] }
        return [
            Violation(
                path: file.path, line: 1,
                message: "no opening comment; begin with two to six lines: "
                    + "what this part does, the idea behind it, what it does not do")
        ]
    }

    static let marks = HouseRule(name: "no promises in comments") { file in
        ["TODO", "FIXME", "XXX", "HACK"].flatMap { mark in
            SourceText.lines(of: file.text.comments, containing: mark).map {
                Violation(
                    path: file.path, line: $0,
                    message: "\(mark) in a comment; do it now, or write an issue and say here what holds today")
            }
        }
    }

    static let banners = HouseRule(name: "no banners") { file in
        file.text.comments.enumerated().compactMap { number, line in
            let marks = line.filter { $0 != " " }
            let isRuler = marks.count >= 6 && Set(marks).count <= 2 && !marks.contains { $0.isLetter || $0.isNumber }
            guard isRuler || marks.hasPrefix("//MARK:") else { return nil }
            return Violation(
                path: file.path, line: number + 1,
                message: "a banner; an extension, or a file Type+Aspect.swift, divides better")
        }
    }
}
