import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct EnvironmentOverlayTests {
    typealias Sample = AppFileSample

    @Test(
        arguments: [
            (
                "{ x: { name: null } }", RuleID.app006,
                "in the environment `x`, `name` is missing, so pages cannot name the app"
            ),
            (
                "{ x: { ios: null, android: null } }", .app016,
                "in the environment `x`, the file has neither `ios` nor `android`, so nothing is served for it"
            ),
            (
                "{ x: { ios: { appIDs: null } } }", .app006,
                "in the environment `x`, `ios.appIDs` is missing, so no app is associated with the hosts"
            ),
            (
                "{ x: { hosts: [] } }", .app006,
                "in the environment `x`, `hosts` is empty, so nothing of the app is served"
            ),
        ])
    func `names the environment, and points at the overlay`(overlays: String, rule: RuleID, message: String) throws {
        let text = Sample.text(more: "\nenvironments: \(overlays)")
        for findings in [
            AppFile.lint(Array(text.utf8), file: "shop.json"), Sample.read(text, environment: "x").findings,
        ] {
            #expect(findings.rules == [rule], "\(findings)")
            #expect(findings.first?.message == message)
            #expect(findings.first?.range?.start.line == 2)
        }
    }

    @Test func `names the environment for a line outside the overlay`() {
        let text = Sample.text(
            more: "examples: { \"https://shop.acme.test/products/1\": \"app\" },\n"
                + "environments: { x: { ios: { services: [\"webcredentials\"] } } }")
        let findings = AppFile.lint(Array(text.utf8), file: "shop.json").filter { $0.rule == .app026 }
        #expect(findings.count == 1)
        #expect(findings.first?.message.hasPrefix("in the environment `x`, `https://") == true)
        #expect(findings.first?.range?.start.line == 1)
    }

    @Test func `does not name the environment if the mistake is in every environment`() {
        let text = Sample.text(name: nil, more: "environments: { x: {} }")
        let plain = Sample.read(text).findings
        #expect(plain.rules == [.app006])
        #expect(Sample.read(text, environment: "x").findings == plain)
        #expect(AppFile.lint(Array(text.utf8), file: "shop.json") == plain)
    }
}
