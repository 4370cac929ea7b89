// What the JSON reader found, under the rules of the file that it was reading. The reader's own words stay: they name
// the mistake, its place and its repair; the rule adds who breaks.

import SourceJSON

extension FindingList {
    /// Takes over the text, for edits, and the problems as findings.
    mutating func takeProblems(of document: SourceDocument, as kind: DocumentKind) {
        text = document.text
        let isApple = kind == .appleAssociation
        let consequence =
            isApple
            ? "Apple's systems then read nothing of the file"
            : "Google, Android and Chromium then read nothing of the file"
        var isFirst = true
        for problem in document.problems {
            let rule = rule(for: problem, isApple: isApple)
            let message = problem.isError && isFirst ? "\(problem.message); \(consequence)" : problem.message
            if problem.isError { isFirst = false }
            report(
                rule, at: problem.range, message, fix: problem.fix, edit: problem.edit,
                severity: problem.isError ? .error : .warning, isFatal: problem.isError)
        }
    }

    private func rule(for problem: SourceProblem, isApple: Bool) -> RuleID {
        switch problem.kind {
        case .duplicateKey: isApple ? .aasa007 : .dal042
        case .byteOrderMark: isApple ? .aasa004 : .ghst014
        case .otherEncoding, .invalidEncoding: isApple ? .aasa003 : .dal001
        case .tooLarge: isApple ? .aasa005 : .ghst006
        default: isApple ? .aasa001 : .dal001
        }
    }
}

extension SourceDocument {
    /// Whether its value is what the author meant, or becomes it by repairs that leave no choice. Beyond a missing
    /// bracket the reader guesses, and findings about a guess would be noise.
    var isWorthLinting: Bool {
        value != nil && problems.allSatisfy { !$0.isError || $0.edit != nil || $0.kind == .otherEncoding }
    }
}
