// The project as it lies on disk, held to the house rules. Each rule is shown to fail in the tests beside this one.

import Testing

struct HouseRulesTests {
    @Test(arguments: HouseRule.forSwift)
    func `Swift files keep the house rules`(rule: HouseRule) {
        report(rule.violations(in: SourceTree.swiftFiles))
    }

    @Test(arguments: HouseRule.forText)
    func `texts keep the house rules`(rule: HouseRule) {
        report(rule.violations(in: SourceTree.swiftFiles + SourceTree.otherFiles))
    }

    @Test func `the tree is really there`() {
        #expect(SourceTree.swiftFiles.contains { $0.path == "Sources/Formats/HTTP/\($0.name).swift" })
        #expect(SourceTree.swiftFiles.contains { $0.path == "Tests/HouseRulesTests/HouseRulesTests.swift" })
        #expect(SourceTree.otherFiles.contains { $0.path == "README.md" })
    }

    @Test func `every exception has a reason and is still needed`() {
        for exception in Exception.all {
            let rule = (HouseRule.forSwift + HouseRule.forText).first { $0.name == exception.rule }
            let files = (SourceTree.swiftFiles + SourceTree.otherFiles).filter { exception.subject.hasPrefix($0.path) }
            let subjects = files.flatMap { rule?.check($0) ?? [] }.map(\.subject)
            #expect(subjects.contains(exception.subject), "\(exception.subject) keeps `\(exception.rule)` by itself")
            #expect(exception.reason.count >= 20, "\(exception.subject) needs a reason a reader can judge")
        }
    }

    private func report(_ violations: [Violation]) { for violation in violations { Issue.record("\(violation)") } }
}
