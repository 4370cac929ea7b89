// The client behind a trusted proxy, and forged fields that are ignored.

import Testing

@testable import HTTP

struct ForwardedFactsTests {
    private func read(
        _ fields: TrustedProxies.Fields, _ lines: [String], readsForwardedHost: Bool = false
    ) -> ForwardedFacts? {
        var settings = TrustedProxies()
        settings.fields = fields
        settings.readsForwardedHost = readsForwardedHost
        settings.networks = networks(["10.0.0.0/8", "fd00::/8"])
        let text = (["GET / HTTP/1.1", "Host: shop.example"] + lines + ["", ""]).joined(separator: "\r\n")
        let bytes = Array(text.utf8)
        var parser = RequestParser()
        guard case .complete(let head, _) = parser.parse(bytes.span, limits: HeadLimits()) else {
            Issue.record("\(lines) is no head")
            return nil
        }
        return ForwardedFacts(head, bytes.span, settings)
    }

    private static func address(_ text: String?) -> ClientAddress? {
        text.flatMap { ForwardedFacts.node(Array($0.utf8).span, isBracketed: false) }
    }

    private static let separate: [([String], String?, Bool?)] = [
        ([], nil, nil), (["X-Forwarded-For: 203.0.113.7"], "203.0.113.7", nil),
        (["x-forwarded-for: 203.0.113.7:4711"], "203.0.113.7:4711", nil),
        (["X-Forwarded-For: 2001:db8::7"], "2001:db8::7", nil),
        (["X-Forwarded-For: [2001:db8::7]:4711"], "[2001:db8::7]:4711", nil),
        // The client wrote everything to the left of its address.
        (["X-Forwarded-For: 1.1.1.1, 203.0.113.7"], "203.0.113.7", nil),
        (["X-Forwarded-For: 1.1.1.1, 203.0.113.7, 10.0.0.1, 10.0.0.2"], "203.0.113.7", nil),
        (["X-Forwarded-For: 10.9.9.9, 203.0.113.7, 10.0.0.2"], "203.0.113.7", nil),
        (
            ["X-Forwarded-For: 1.1.1.1", "Accept: */*", "X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: fd00::1"],
            "203.0.113.7", nil
        ),
        // Only trusted proxies: the first of them is the client.
        (["X-Forwarded-For: 10.0.0.9, 10.0.0.1"], "10.0.0.9", nil),
        // An unreadable entry hides everything to its left.
        (["X-Forwarded-For: 203.0.113.7, unknown"], nil, nil),
        (["X-Forwarded-For: 203.0.113.7, nonsense, 10.0.0.1"], "10.0.0.1", nil),
        (["X-Forwarded-For: nonsense"], nil, nil), (["X-Forwarded-For:"], nil, nil),
        (["X-Forwarded-For: , ,"], nil, nil), (["X-Forwarded-For: 203.0.113.7:"], nil, nil),
        (["X-Forwarded-For: 203.0.113.7:65536"], nil, nil), (["X-Forwarded-For: \"203.0.113.7\""], nil, nil),
        (["X-Forwarded-Proto: https"], nil, true), (["X-Forwarded-Proto: HTTPS"], nil, true),
        (["X-Forwarded-Proto: http"], nil, false), (["X-Forwarded-Proto: https, http"], nil, false),
        (["X-Forwarded-Proto: http", "X-Forwarded-Proto: https"], nil, true),
        (["X-Forwarded-Proto: wss"], nil, nil), (["X-Forwarded-Proto:"], nil, nil),
        // The other kind of field is ignored.
        (["Forwarded: for=203.0.113.7;proto=https"], nil, nil),
    ]

    @Test(arguments: separate)
    func `reads the X-Forwarded fields`(lines: [String], client: String?, isSecure: Bool?) throws {
        let found = read(.xForwarded, lines)
        let facts = try #require(found)
        #expect(facts.client == ForwardedFactsTests.address(client))
        #expect(facts.isSecure == isSecure && !facts.host.isPresent)
    }

    private static let joint: [([String], String?, Bool?)] = [
        (["Forwarded: for=203.0.113.7"], "203.0.113.7", nil),
        (["Forwarded: For=\"203.0.113.7:4711\";Proto=https;by=10.0.0.1"], "203.0.113.7:4711", true),
        (["Forwarded: proto=http; for=\"[2001:db8::7]\""], "[2001:db8::7]", false),
        (["Forwarded: for=\"[2001:db8::7]:4711\" , for=10.0.0.1;proto=https"], "[2001:db8::7]:4711", nil),
        (["Forwarded: for=1.1.1.1;proto=https, for=203.0.113.7;proto=http"], "203.0.113.7", false),
        (
            ["Forwarded: for=1.1.1.1", "Forwarded: for=203.0.113.7;proto=https", "Forwarded: for=10.0.0.1;proto=http"],
            "203.0.113.7", true
        ),
        (["Forwarded: for=unknown;proto=https"], nil, true), (["Forwarded: for=_hidden"], nil, nil),
        (["Forwarded: for=1.1.1.1, for=_hidden;proto=https, for=10.0.0.1;proto=http"], "10.0.0.1", false),
        (["Forwarded: secret=\"a,b;for=1.1.1.1\";for=203.0.113.7"], "203.0.113.7", nil),
        // An IPv6 address has to be in brackets.
        (["Forwarded: for=\"2001:db8::7\""], nil, nil),
        // Malformed, so all of it is ignored.
        (["Forwarded: for=203.0.113.7;for=203.0.113.8"], nil, nil),
        (["Forwarded: for=203.0.113.7;proto=http;proto=https"], nil, nil),
        (["Forwarded: for=203.0.113.7;host=a.example;Host=b.example"], nil, nil), (["Forwarded: for"], nil, nil),
        (["Forwarded: for="], nil, nil), (["Forwarded: for=\"203.0.113.7"], nil, nil),
        (["Forwarded: for=203.0.113.7, for=\"203.0.113.8\\"], nil, nil), (["Forwarded: =203.0.113.7"], nil, nil),
        (["Forwarded: for=203.0.113.7 proto=https"], nil, nil),
        (["Forwarded: for=203.0.113.7, ,", "Forwarded:"], "203.0.113.7", nil),
        (["Forwarded: for=\"1.1.1.1", "Forwarded: for=203.0.113.7;proto=https"], "203.0.113.7", true),
        (["Forwarded: for=203.0.113.7", "Forwarded: for=\"1.1.1.1"], nil, nil),
        (["X-Forwarded-For: 203.0.113.7", "X-Forwarded-Proto: https"], nil, nil),
    ]

    @Test(arguments: joint)
    func `reads the Forwarded field`(lines: [String], client: String?, isSecure: Bool?) throws {
        let found = read(.forwarded, lines)
        let facts = try #require(found)
        #expect(facts.client == ForwardedFactsTests.address(client))
        #expect(facts.isSecure == isSecure && !facts.host.isPresent)
    }

    private static let hosts: [(TrustedProxies.Fields, String, Int?)] = [
        (.xForwarded, "X-Forwarded-Host: news.example", 12),
        (.xForwarded, "X-Forwarded-Host: a, news.example:8443", 12),
        (.forwarded, "Forwarded: host=\"news.example:443\";for=203.0.113.7", 12), (.xForwarded, "Accept: */*", 0),
        (.xForwarded, "X-Forwarded-Host: a b", nil), (.xForwarded, "X-Forwarded-Host: news.example/path", nil),
        (.forwarded, "Forwarded: host=\"\"", nil),
        // Each element has its own host, and a second one in the same element makes the line malformed.
        (.forwarded, "Forwarded: for=203.0.113.7;host=a.example, for=10.0.0.1;host=b.example", 9),
        (.forwarded, "Forwarded: for=203.0.113.7;host=news.example;host=news.example", 0),
    ]

    @Test(arguments: hosts)
    func `reads a forwarded host only when configured, and refuses an invalid one`(
        fields: TrustedProxies.Fields, line: String, count: Int?
    ) {
        #expect(read(fields, [line])?.host == .absent)
        #expect(read(fields, [line], readsForwardedHost: true)?.host.count == count)
    }
}
