// Rules that a project ignores, and severities of its own.

import Association
import SourceJSON
import Testing

struct LintPreferencesTests {
    private func finding(_ rule: String, _ severity: Severity) -> Finding {
        Finding(rule: rule, severity: severity, file: "f", range: nil, message: "m")
    }

    @Test func `drops what is ignored, and changes severities`() {
        var preferences = LintPreferences()
        preferences.ignored = ["A"]
        preferences.severities = ["B": .error, "C": .note]
        let findings = [finding("A", .error), finding("B", .note), finding("C", .warning), finding("D", .warning)]
        let reported = preferences.apply(to: findings, alsoIgnoring: ["D"], keepsErrors: false)
        #expect(reported == [finding("B", .error), finding("C", .note)])
    }

    @Test func `an error stays where the server would not publish the file`() {
        var preferences = LintPreferences()
        preferences.ignored = ["A"]
        preferences.severities = ["B": .note]
        let errors = [finding("A", .error), finding("B", .error)]
        #expect(preferences.apply(to: errors, keepsErrors: true) == errors)
        #expect(preferences.apply(to: [finding("A", .warning)], keepsErrors: true).isEmpty)
        // Where a repository is checked there may be no certificates.
        preferences.ignored = ["CERT-025"]
        #expect(preferences.apply(to: [finding("CERT-025", .error)], keepsErrors: true).isEmpty)
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

    @Test func `an id has its place`() throws {
        let text = "{ // \u{E9}\n  a: 1, // associated-ignore APP-030\n}"
        let place = try #require(IgnoreComment.rules(in: Array(text.utf8)).first?.range)
        #expect(place.start.line == 2 && place.start.column == 30)
        #expect(Array(text.utf8)[place.start.offset..<place.end.offset] == Array("APP-030".utf8)[...])
    }
}
