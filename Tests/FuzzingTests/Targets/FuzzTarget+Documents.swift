// Association files, as they are served: linting says true things about any bytes, and its edits can be applied without
// making a file worse.

import Association
import AssociationLint
import SourceJSON

extension FuzzTarget {
    static let apple = FuzzTarget(
        name: "apple", summary: "apple-app-site-association: a reading or an error, and edits that only fix"
    ) { bytes in
        let reading = AppleAssociation.read(bytes, file: "f")
        let hasErrors = reading.findings.contains { $0.severity == .error }
        try demand(reading.association != nil || reading.isSigned || hasErrors, "neither a reading nor an error")
        if let links = reading.association?.applinks {
            for detail in links.details {
                let matcher = detail.matcher(in: links)
                for text in ["https://a.example/", "https://a.example/a/b?c=d&c=#e", "https://a.example/%41%2Fé"] {
                    guard let url = LinkURL(text) else { continue }
                    _ = (matcher.decide(url), matcher.explain(url), matcher.unsettled(url))
                }
            }
        }
        try LintPromises(bytes, dialect: .json) { Linter.lint(apple: $0, file: "f") }.check()
    }

    static let statements = FuzzTarget(
        name: "statements", summary: "assetlinks.json: a reading or an error, and edits that only fix"
    ) { bytes in
        let reading = StatementList.read(bytes, file: "f", host: "a.example")
        try demand(
            reading.list != nil || reading.findings.contains { $0.severity == .error },
            "neither a reading nor an error")
        for consumer in StatementConsumer.allCases { _ = reading.list?.statements(for: consumer) }
        try LintPromises(bytes, dialect: .json) { Linter.lint(statements: $0, file: "f", host: "a.example") }.check()
    }
}

/// What is true of the findings about a file.
struct LintPromises {
    private let bytes: [UInt8]
    /// What can be edited of them; nil where nothing can.
    private let editable: [UInt8]?
    /// Positions are those of the decoded text.
    private let positionsMax: Int
    private let dialect: SourceDialect
    private let lint: ([UInt8]) -> [Finding]

    init(_ bytes: [UInt8], dialect: SourceDialect, lint: @escaping ([UInt8]) -> [Finding]) {
        let document = SourceReader.read(bytes, as: dialect)
        editable = SourceEdit.editable(document)
        positionsMax = editable?.count ?? max(bytes.count, document.text.count)
        self.bytes = bytes
        self.dialect = dialect
        self.lint = lint
    }

    func check() throws(Complaint) {
        let findings = lint(editable ?? bytes)
        for finding in findings { try check(finding) }
        guard let editable else { return }
        var (fixed, latest) = (editable, findings)
        for round in 0... {
            let edits = latest.compactMap(\.edit)
            let before = fixed
            fixed = SourceEdit.apply(edits, to: before).text
            if fixed == before { return }
            try demand(round < LintPromises.roundsMax, "fixing never ends; the last edits are \(edits)")
            try demand(String(validating: fixed, as: UTF8.self) != nil, "edits that leave no UTF-8: \(edits)")
            if SourceReader.read(before, as: dialect).isAcceptable {
                let problems = SourceReader.read(fixed, as: dialect).problems
                try demand(!problems.contains(where: \.isError), "edits that break the text: \(edits), \(problems)")
            }
            // What is wrong within a member shows when its key is spelt right; any other file without errors stays without.
            let mayShowMore = latest.contains { $0.severity == .error || LintPromises.renames.contains($0.rule) }
            latest = lint(fixed)
            let errors = latest.filter { $0.severity == .error }
            try demand(mayShowMore || errors.isEmpty, "edits that make it worse: \(edits), \(errors.map(\.message))")
        }
    }

    /// The rules about unknown keys.
    private static let renames: Set<RuleID> = [.aasa008, .aasa035, .dal041, .app003]

    /// Far more than a file takes whose edits uncover others.
    private static let roundsMax = 200

    private func check(_ finding: Finding) throws(Complaint) {
        try demand(!finding.message.isEmpty, "a finding without words")
        for range in [finding.range, finding.edit?.range].compactMap({ $0 }) {
            try demand(
                range.start.offset <= range.end.offset && range.end.offset <= positionsMax,
                "\(finding.rule) lies at \(range.start.offset)..<\(range.end.offset) of \(positionsMax)")
        }
    }
}
