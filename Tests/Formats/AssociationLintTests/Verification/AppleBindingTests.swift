// Whether a file verifies an iOS app, for each service.

import AssociationLint
import Testing

struct AppleBindingTests {
    private static let text = """
        {"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "*"}]}]},
         "webcredentials": {"apps": []}}
        """

    private func verdict(
        _ id: String, _ service: AppleBinding.Service, _ text: String = AppleBindingTests.text
    ) -> BindingVerdict {
        AppleBinding(appID: id, service: service).verdict(on: Array(text.utf8), file: "")
    }

    @Test(arguments: [
        ("9JA89QQLNQ.org.acme.shop", AppleBinding.Service.applinks, "verified: line 1 lists it for applinks"),
        (
            "9JA89QQLNQ.org.acme.SHOP", .applinks,
            "not-verified: line 1 lists 9JA89QQLNQ.org.acme.shop, but case must match"
        ),
        ("A.b", .webcredentials, "not-verified: webcredentials lists no app"),
        (
            "org.acme.shop", .applinks,
            "not-verified: applinks lists 9JA89QQLNQ.org.acme.shop, but not org.acme.shop; app id `org.acme.shop` is a bundle id "
                + "without a team id, so it matches no app"
        ),
        ("A.b", .appclips, "not-verified: the file has no service appclips"),
    ])
    func `ids are compared exactly`(id: String, service: AppleBinding.Service, answer: String) {
        let verdict = verdict(id, service)
        #expect("\(verdict.kind.rawValue): \(verdict.reason)" == answer)
    }

    @Test(arguments: ["", "{", "<html></html>"])
    func `rejects a file that is not JSON with its first mistake`(text: String) {
        let verdict = verdict("A.b", .applinks, text)
        #expect(verdict.kind == .fileRejected)
        #expect(verdict.reason.hasPrefix("line 1: "))
    }

    @Test func `rejects a file that cannot be read for that reason, not for other mistakes`() {
        let text = "{\"applinks\": {\"details\": [{\"appIDs\": [\"TEAMID1234.org.acme\"], \"components\": [{}],}]}}"
        #expect(verdict("A.b", .applinks, text).reason.contains("comma"))
    }

    @Test func `a key that is there twice makes the answer uncertain`() {
        let text = #"{"webcredentials": {"apps": ["A.b"], "apps": []}}"#
        #expect(verdict("A.b", .webcredentials, text).reason.contains("; not certain: line 1: duplicate key \"apps\""))
    }

    @Test func `does not verify a signed file`() {
        let verdict = AppleBinding(appID: "A.b", service: .applinks).verdict(on: [0x30, 0x80, 0x06, 0x09], file: "")
        #expect(verdict.kind != .verified)
    }
}
