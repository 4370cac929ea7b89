// Google documents one output of `am start --debug-link`: which of two dynamic rules match a URL. The matcher must agree with it.

import AssociationSamples
import Testing

@testable import Association

struct DebugLinkTests {
    private static let package = "com.example.shop"

    /// The output for the rules `/foo*`, which excludes, and `*`, in the form of Google's documentation.
    private func output(
        _ path: String = "/foo", state: String? = "STATE_SUCCESS",
        rules: [String] = ["0: UriRelativeFilterGroup { allow = 1,", "1: UriRelativeFilterGroup { allow = 0,"]
    ) -> String {
        let filters = " uri_filters = {UriRelativeFilter { uriPart = PATH, patternType = PREFIX, filter = /foo }},  }"
        let lines = rules.map { "    -> Matched Rule \($0)\(filters)" }
        let verification = state.map { ["App Link Verification:", "  Verification status: \($0)"] } ?? []
        return
            ([
                "--- App Link Resolution Debug ---", "", "URI: https://shop.example\(path)",
                "Resolution: Ambiguous (Multiple apps or Browser fallback)", "", "All Matching Candidates:", "",
                "Target:", "  Package: \(Self.package)", "  Activity: com.example.shop.MainActivity", "",
                "  Intent Filter Match (AndroidManifest.xml)",
                "    Host: 'shop.example' matched android:host=\"shop.example\"", "",
            ] + verification + (lines.isEmpty ? [] : ["  Dynamic App Links:"]) + lines + [
                "", "Target:", "  Package: org.example.browser", "---", "", "Starting: Intent { act=VIEW }", "",
            ]).joined(separator: "\r\n")
    }

    private func compare(
        _ text: String, rules: String? = #"[{"/": "/foo*", "exclude": true}, {"/": "*"}]"#, manifest: [String]? = nil
    ) throws -> LinkMatching.PhoneComparison {
        let phone = try #require(DebugLink(text))
        let url = try #require(LinkURL(phone.url))
        let fingerprint = AppFileSample.fingerprint
        let relation = AndroidApp.handleAllURLs
        let extensions =
            rules.map { #", "relation_extensions": {"\#(relation)": {"dynamic_app_link_components": \#($0)}}"# } ?? ""
        let list = """
            [{"relation": ["\(relation)"], "target": {"namespace": "android_app", "package_name": "\(Self.package)",
              "sha256_cert_fingerprints": ["\(fingerprint)"]}\(extensions)}]
            """
        var matching = LinkMatching(origin: "f")
        let isRead = matching.take(StatementList.read(Array(list.utf8), file: "f"), file: "f")
        #expect(isRead)
        matching = matching.with(
            manifest.map { hosts in
                AndroidManifest(
                    name: "m", file: nil,
                    filters: [.init(schemes: ["https"], hosts: hosts, paths: [], isVerified: true)])
            })
        return try #require(matching.compare(url, with: phone).first)
    }

    @Test func `agrees with the documented output`() throws {
        let app = try compare(output())
        #expect(app.differences == [])
        #expect(app.opens == false)
        #expect(app.matched == "0 (excludes), 1")
        #expect(try compare(output("/bar", rules: ["1: UriRelativeFilterGroup { allow = 0,"])).differences == [])
        #expect(try compare(output("/bar", rules: ["1: UriRelativeFilterGroup { allow = 0,"])).opens == true)
    }

    @Test func `says what a phone does otherwise`() throws {
        let older = "; the phone may have an older copy of the file, or lack Google services"
        #expect(
            try compare(output("/bar")).differences
                == ["dynamic rules that match: on the phone 0 (excludes), 1, here 1" + older])
        #expect(
            try compare(output(), rules: #"[{"/": "/foo*"}, {"/": "*"}]"#).differences
                == ["dynamic rules that match: on the phone 0 (excludes), 1, here 0, 1" + older])
        #expect(
            try compare(output(rules: [])).differences
                == ["dynamic rules that match: on the phone none, here 0 (excludes), 1" + older])
        #expect(
            try compare(output(), rules: nil).differences
                == ["dynamic rules that match: on the phone 0 (excludes), 1, here there are no rules" + older])
        #expect(try compare(output(rules: []), rules: nil).differences == [])
        #expect(try compare(output(rules: []), rules: #"[{"/": "/x"}]"#).differences == [])
    }

    @Test(
        arguments: [
            ("STATE_APPROVED", nil), ("STATE_LEGACY_FAILURE", "STATE_LEGACY_FAILURE"), (nil, "it shows no state"),
        ] as [(String?, String?)])
    func `links open only a verified app`(state: String?, problem: String?) throws {
        let expected = problem.map { ["the phone has not verified the host for the app: \($0)"] } ?? []
        #expect(try compare(output(state: state)).differences == expected)
    }

    @Test func `compares the manifest`() throws {
        #expect(try compare(output(), manifest: ["shop.example"]).differences == [])
        let covered = "the phone's intent filters cover the URL, but m does not"
        #expect(try compare(output(), manifest: ["other.example"]).differences == [covered])
        let absent = output().replacing("Package: com.example.shop", with: "Package: com.example.other")
        #expect(try compare(absent, manifest: ["other.example"]).differences == [])
        #expect(try compare(absent).differences.first?.hasPrefix("the phone does not list the app: ") == true)
    }

    @Test func `does not guess`() throws {
        #expect(DebugLink("Starting: Intent { act=VIEW }") == nil)
        for line in ["0: UriRelativeFilterGroup { action = 1,", "x: UriRelativeFilterGroup { allow = 1,"] {
            let differences = try compare(output(rules: [line])).differences
            #expect(differences.count == 1)
            #expect(differences.first?.hasPrefix("a line about its rules is not understood: -> Matched Rule ") == true)
        }
    }
}
