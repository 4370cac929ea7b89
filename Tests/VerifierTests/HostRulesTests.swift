// Findings from answers as values: cases that would take seconds over a connection, and both sides of limits.

import Association
import Testing

@testable import Client
@testable import Verifier

struct HostRulesTests {
    private static let body = Array(#"{"webcredentials":{"apps":["7QK4Z2M9XA.dev.associated.shop"]}}"#.utf8)

    private static func response(length: String? = "\(body.count)", firstByteMilliseconds: Int = 10) -> FetchedResponse
    {
        var fields = [FetchedResponse.Field(name: "content-type", value: "application/json")]
        if let length { fields.append(FetchedResponse.Field(name: "content-length", value: length)) }
        return FetchedResponse(
            status: 200, statusLine: "HTTP/1.1 200 OK", fields: fields, body: body, isTruncated: false,
            firstByteMilliseconds: firstByteMilliseconds,
            totalMilliseconds: firstByteMilliseconds, peer: nil, handshakeMilliseconds: 10)
    }

    private func rules(_ responses: [Probe: FetchedResponse]) throws -> Set<RuleID> {
        var answers = HostAnswers(try #require(CheckedHost("shop.example")))
        answers.answers = responses.mapValues { .success($0) }
        var rules = HostRules(answers, CheckSettings())
        rules.judge()
        return Set(rules.findings.map(\.rule))
    }

    @Test(arguments: [(3_000, false), (3_001, true)])
    func `reports a first byte after more than three seconds as slow`(milliseconds: Int, isSlow: Bool) throws {
        let file = Self.response(firstByteMilliseconds: milliseconds)
        #expect(try rules([.file(.apple): file]).contains(.ahst013) == isSlow)
    }

    @Test(arguments: [("\(body.count)", false), (nil, false), ("\(body.count + 1)", true)] as [(String?, Bool)])
    func `HEAD must have the length of GET, or none`(length: String?, differs: Bool) throws {
        let responses = [Probe.file(.apple): Self.response(), .head(.apple): Self.response(length: length)]
        #expect(try rules(responses).contains(.ahst019) == differs)
    }
}
