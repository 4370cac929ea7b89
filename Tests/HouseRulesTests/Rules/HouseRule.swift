// What a rule is: it looks at one file and says what stands where it should not, and what to write instead.

import Testing

/// One place where a rule is broken, printed as a compiler would.
struct Violation: Hashable, CustomStringConvertible {
    var path: String
    var line: Int
    var message: String
    /// What an exception would have to name: the file, or the file and the function.
    var subject: String

    init(path: String, line: Int, message: String, subject: String? = nil) {
        self.path = path
        self.line = line
        self.message = message
        self.subject = subject ?? path
    }

    var description: String { "\(path):\(line): \(message)" }
}

/// A rule over single files.
struct HouseRule: Sendable, CustomTestStringConvertible {
    var name: String
    /// Every place where the file breaks the rule, whatever the exceptions.
    var check: @Sendable (SourceFile) -> [Violation]

    var testDescription: String { name }

    /// The rules that every Swift file is held to.
    static let forSwift = [
        imports, words, output, fileLength, functionLength, openingComment, marks, banners, testCompanion, hashes,
    ]

    /// The rules that every text is held to.
    static let forText = [whiteSpace, machinePaths]

    /// What is wrong in these files, the exceptions left out.
    func violations(in files: [SourceFile]) -> [Violation] {
        files.flatMap(check).filter { violation in
            !Exception.all.contains { $0.rule == name && $0.subject == violation.subject }
        }
    }
}
