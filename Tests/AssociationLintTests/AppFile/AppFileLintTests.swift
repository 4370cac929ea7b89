// The note about a landing page without a link to the iOS app.

import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

struct AppFileLintTests {
    @Test(arguments: [
        ("", true), (#"scheme: "shop","#, false), ("pages: { landing: false },", false),
        ("pages: { spa: true },", false),
        ("pages: { spa: true, landing: true },", true),
    ])
    func `reports a landing page without a link to the iOS app`(more: String, isNoted: Bool) throws {
        let finding = try AppFileSample.app(AppFileSample.text(more: more)).pageFinding
        #expect(finding?.rule == (isNoted ? .app048 : nil))
        #expect(finding.map { $0.severity == .note } ?? true)
    }

    @Test(arguments: [
        (AppFileSample.ios.replacing("] }", with: "], storeID: \"7\" }"), false), (nil, false),
        (AppFileSample.ios.replacing("] }", with: "], services: [\"webcredentials\"] }"), false),
        (AppFileSample.ios, true),
    ])
    func `reports no app that has an App Store id or no links`(ios: String?, isNoted: Bool) throws {
        #expect(try (AppFileSample.app(AppFileSample.text(ios: ios)).pageFinding != nil) == isNoted)
    }
}
