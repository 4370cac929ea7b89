// Rules that a project ignores, and its own severities.

import Association
import AssociationSamples
import SourceJSON
import Testing

struct LintPreferencesTests {
    private func finding(_ rule: RuleID, _ severity: Severity) -> Finding {
        Finding(rule: rule, severity: severity, file: "f", range: nil, message: "m")
    }

    @Test func `removes ignored findings, and changes severities`() {
        var preferences = LintPreferences()
        preferences.ignored = [.app001]
        preferences.severities = [.app002: .error, .app003: .note]
        let findings = [
            finding(.app001, .error), finding(.app002, .note), finding(.app003, .warning), finding(.app004, .warning),
        ]
        let reported = preferences.apply(to: findings, alsoIgnoring: [.app004], keepsErrors: false)
        #expect(reported == [finding(.app002, .error), finding(.app003, .note)])
    }

    @Test func `keeps an error that prevents publication`() {
        var preferences = LintPreferences()
        preferences.ignored = [.app001]
        preferences.severities = [.app002: .note]
        let errors = [finding(.app001, .error), finding(.app002, .error)]
        #expect(preferences.apply(to: errors, keepsErrors: true) == errors)
        #expect(preferences.apply(to: [finding(.app001, .warning)], keepsErrors: true).isEmpty)
        // A repository that is checked may have no certificates.
        preferences.ignored = [.cert025]
        #expect(preferences.apply(to: [finding(.cert025, .error)], keepsErrors: true).isEmpty)
    }

    @Test(arguments: [
        ("// associated-ignore APP-030", ["APP-030"]),
        ("  x, // associated-ignore: APP-030, APP-040\n", ["APP-030", "APP-040"]),
        ("/* associated-ignore AASA-081 */", ["AASA-081"]), ("// associated-ignore", []),
        ("associated-ignore APP-030", []),
        ("{}\n// associated-ignore APP-1\n// associated-ignore APP-2", ["APP-1", "APP-2"]),
    ])
    func `reads the ids in comments`(text: String, ids: [String]) {
        #expect(IgnoreComment.rules(in: Array(text.utf8)).map(\.text) == ids)
    }

    @Test func `reports the place of an id`() throws {
        let text = "{ // \u{E9}\n  a: 1, // associated-ignore APP-030\n}"
        let place = try #require(IgnoreComment.rules(in: Array(text.utf8)).first?.range)
        #expect(place.start.line == 2 && place.start.column == 30)
        #expect(Array(text.utf8)[place.start.offset..<place.end.offset] == Array("APP-030".utf8)[...])
    }
}
