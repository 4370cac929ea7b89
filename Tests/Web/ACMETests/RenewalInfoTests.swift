// Renewal windows of authorities.

import Testing

@testable import ACME

struct RenewalInfoTests {
    private static func window(_ start: String, _ end: String, _ more: String = "") -> String {
        #"{"suggestedWindow": {"start": "\#(start)", "end": "\#(end)", "other": 1}\#(more)}"#
    }

    private static let usual = window("2027-01-15T08:00:00Z", "2027-01-17T08:00:00.5+00:00")

    private func read(_ response: AuthorityResponse) throws(AuthorityProblem) -> RenewalInfo {
        try RenewalInfo(reading: response)
    }

    @Test func `reads the window and the reason`() throws {
        let more = #", "explanationURL": "https://ca.example/why""#
        let info = try read(.json(200, Self.window("2027-01-15T08:00:00Z", "2027-01-15T10:00:00+01:00", more)))
        #expect(info.start == 1_800_000_000 && info.end == 1_800_003_600)
        #expect(info.explanation?.text == "https://ca.example/why")
        let other = #", "explanationURL": "javascript:alert(1)""#
        #expect(try read(.json(200, Self.usual.dropLast() + other + "}")).explanation == nil)
    }

    /// RFC 9773 §4.3.2.
    @Test(
        arguments: [(nil, 21_600), (0, 60), (59, 60), (61, 61), (86_400, 86_400), (86_401, 86_400)] as [(Int64?, Int64)]
    )
    func `asks again after a minute to a day`(said: Int64?, expected: Int64) throws {
        #expect(try read(.json(200, Self.usual, retryAfter: said)).nextCheckSeconds == expected)
    }

    @Test(
        arguments: [
            (AuthorityResponse.json(200, "{}"), .unusable),
            (.json(200, window("2027-01-15T08:00:00Z", "2027-01-15T08:00:00Z")), .unusable),
            (.json(200, window("2027-01-16T08:00:00Z", "2027-01-15T08:00:00Z")), .unusable),
            (.json(200, window("soon", "later")), .unusable),
            (.json(200, #"{"suggestedWindow": []}"#), .unusable), (.json(404, usual), .unknown),
            (.problem(404, "malformed"), .malformed),
        ] as [(AuthorityResponse, AuthorityProblem.Kind)])
    func `refuses responses without a window`(response: AuthorityResponse, kind: AuthorityProblem.Kind) {
        #expect(problem { () throws(AuthorityProblem) in try read(response) }?.kind == kind)
    }

    @Test(arguments: ["https://ca.example/renewal", "https://ca.example/renewal/"])
    func `requests renewal information by renewal ID`(base: String) throws {
        func directory(_ more: String) throws -> AuthorityDirectory {
            try AuthorityDirectory(
                reading: .json(
                    200,
                    #"{"newNonce": "https://a.example/n", "newAccount": "https://a.example/a", "newOrder": "https://a.example/o"\#(more)}"#
                ))
        }
        let request = RenewalInfo.request("aYhba4.AIdl", try directory(#", "renewalInfo": "\#(base)""#))
        #expect(request?.url.text == "https://ca.example/renewal/aYhba4.AIdl" && request?.method == .get)
        #expect(RenewalInfo.request("aYhba4.AIdl", try directory("")) == nil)
    }
}
