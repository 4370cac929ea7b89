// Findings from answers as values: cases that would take seconds over a connection, and both sides of limits.

import Association
import Testing

@testable import Client
@testable import TLS
@testable import Verifier

struct HostRulesTests {
    private static let body = Array(#"{"webcredentials":{"apps":["7QK4Z2M9XA.dev.associated.shop"]}}"#.utf8)

    private static let peer = PeerFacts(
        version: "TLSv1.3", isOutdated: false, cipher: "", certificates: [], problem: nil)

    private static func response(
        length: String? = "\(body.count)", firstByteMilliseconds: Int = 10, handshakeMilliseconds: Int = 10
    ) -> FetchedResponse {
        var fields = [FetchedResponse.Field(name: "content-type", value: "application/json")]
        if let length { fields.append(FetchedResponse.Field(name: "content-length", value: length)) }
        return FetchedResponse(
            status: 200, statusLine: "HTTP/1.1 200 OK", fields: fields, body: body, isTruncated: false,
            firstByteMilliseconds: firstByteMilliseconds,
            totalMilliseconds: firstByteMilliseconds, peer: peer, handshakeMilliseconds: handshakeMilliseconds)
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

    @Test(arguments: [(2_000, 10, false), (2_001, 10, true), (2_400, 599, true), (2_400, 600, false)])
    func `a slow first handshake and a fast second one are reported`(first: Int, second: Int, isSlow: Bool) throws {
        let responses = [
            Probe.file(.apple): Self.response(handshakeMilliseconds: first),
            .head(.apple): Self.response(handshakeMilliseconds: second),
        ]
        #expect(try rules(responses).contains(.srv005) == isSlow)
    }

    @Test(arguments: [("\(body.count)", false), (nil, false), ("\(body.count + 1)", true)] as [(String?, Bool)])
    func `HEAD must have the length of GET, or none`(length: String?, differs: Bool) throws {
        let responses = [Probe.file(.apple): Self.response(), .head(.apple): Self.response(length: length)]
        #expect(try rules(responses).contains(.ahst019) == differs)
    }

    /// A copy of Apple's, and the severity of what is said of it.
    private static let copies: [(copy: String, severity: Severity?, words: String)] = [
        (String(decoding: body, as: UTF8.self), nil, ""),
        (#"{"webcredentials": {"apps": ["7QK4Z2M9XA.dev.associated.shop"]}}"#, nil, ""),
        ("{}", .note, "differs from"),
        (#"{"applinks":{"details":[]}}"#, .note, "differs from"),
        (#"{"webcredentials":{"apps":["7QK4Z2M9XA.dev.associated.shop","A1B2C3D4E5.other"]}}"#, .note, "differs from"),
        (#"{"webcredentials":{"apps":["A1B2C3D4E5.other"]}}"#, .error, "names other apps"),
        (
            #"{"applinks":{"details":[{"appIDs":["A1B2C3D4E5.other"],"components":[{"/":"*"}]}]}}"#, .error,
            "names other apps"
        ),
        ("", .error, "it is empty"),
        (#"{"webcredentials":{"apps":["7QK4Z2"#, .error, "no file that phones can read"),
        ("<!doctype html><title>login</title>", .error, "no file that phones can read"),
    ]

    @Test(arguments: copies)
    func `a copy of Apple's that no app of the host can open is an error`(
        copy: String, severity: Severity?, words: String
    ) throws {
        var answers = HostAnswers(try #require(CheckedHost("shop.example")))
        answers.answers = [.file(.apple): .success(Self.response())]
        var answer = Self.response()
        answer.body = Array(copy.utf8)
        answers.appleCopy = .success(answer)
        var rules = HostRules(answers, CheckSettings())
        rules.judge()
        let found = rules.findings.filter { $0.rule == .ahst015 }
        #expect(found.map(\.severity) == [severity].compactMap(\.self))
        #expect(found.allSatisfy { $0.message.contains(words) }, "\(found)")
    }
}
