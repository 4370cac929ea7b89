// The checks before an order, over made-up DNS and web servers.

import Posix
import Testing

@testable import DNS
@testable import Issuance

struct PreflightTests {
    private static func address(_ text: String) -> RemoteAddress {
        RemoteAddress(SocketAddress(text.contains(":") ? "[\(text)]:80" : "\(text):80")!)
    }

    private static func found(_ addresses: [String], through aliases: [String] = []) -> DNSOutcome {
        let records = addresses.map { text -> DNSRecord in
            let remote = PreflightTests.address(text)
            return .address(RemoteAddress(family: remote.family, high: remote.high, low: remote.low, port: 0))
        }
        return .found(records, aliases: aliases.map { DomainName($0)! })
    }

    private static func issue(_ values: [String]) -> DNSOutcome {
        .found(values.map { .authorization(CAARecord(tag: "issue", value: Array($0.utf8))) }, aliases: [])
    }

    private static func failure(_ type: DNSRecordType, _ name: String) -> DNSFailure {
        DNSFailure(.serverFailure(server: "192.0.2.53"), DNSQuestion(type: type, name: DomainName(name)!))
    }

    private static let rules: PreflightRules = {
        var rules = PreflightRules()
        rules.expectedAddresses = [PreflightTests.address("192.0.2.1"), PreflightTests.address("2001:db8::1")]
        rules.expectedNames = [DomainName("lb.example.net")!]
        rules.caaIdentities = ["ca.example"]
        return rules
    }()

    private struct Outcome {
        var report: PreflightReport
        var asked: [String] = []
        var probed: [String] = []
    }

    /// - Parameter records: the DNS by type and name; other names do not exist.
    /// - Parameter silent: the addresses that do not answer a challenge, with reasons.
    private func check(
        _ records: [String: DNSOutcome], silent: [String: String] = [:], host: String = "shop.example.com",
        _ rules: PreflightRules = PreflightTests.rules
    ) -> Outcome {
        var (asked, probed): ([String], [String]) = ([], [])
        let report = Preflight.check(DomainName(host)!, rules) { type, name in
            asked.append("\(type) \(name)")
            return records["\(type) \(name)"] ?? .noSuchName(aliases: [])
        } probe: { address in
            probed.append("\(host) \(address)")
            return silent["\(address)"]
        }
        return Outcome(report: report, asked: asked, probed: probed)
    }

    struct Scene: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var records: [String: DNSOutcome]
        var silent: [String: String] = [:]
        var found: [String]
        var problem: PreflightProblem?
    }

    private static let here = found(["192.0.2.1"])
    private static let lineOfHere = "shop.example.com. A 192.0.2.1"
    private static let others = (1...6).map { "198.51.101.\($0)" }
    private static let linesOfOthers = others.map { "shop.example.com. A \($0)" }
    private static let create = "create shop.example.com. CNAME lb.example.net."

    private static let scenes: [Scene] = [
        Scene(
            testDescription: "both addresses lead here",
            records: ["A shop.example.com": here, "AAAA shop.example.com": found(["2001:db8::1"])],
            found: [lineOfHere, "shop.example.com. AAAA 2001:db8::1"]),
        Scene(
            testDescription: "IPv4 only",
            records: ["A shop.example.com": here, "AAAA shop.example.com": .noData(aliases: [])], found: [lineOfHere]),
        Scene(
            testDescription: "an alias of this server's name, with another address each time",
            records: [
                "A shop.example.com": found(["198.51.101.9"], through: ["a.example.org", "lb.example.net"]),
                "AAAA shop.example.com": .noData(
                    aliases: [DomainName("a.example.org")!, DomainName("lb.example.net")!]),
                "A lb.example.net": found(["198.51.101.8"]),
            ],
            found: [
                "shop.example.com. CNAME a.example.org.", "a.example.org. CNAME lb.example.net.",
                "lb.example.net. A 198.51.101.9",
            ]),
        Scene(
            testDescription: "an address of this server's name",
            records: ["A shop.example.com": found(["198.51.101.8"]), "A lb.example.net": found(["198.51.101.8"])],
            found: ["shop.example.com. A 198.51.101.8"]),
        Scene(
            testDescription: "this server's name cannot be looked up and is not needed",
            records: ["A shop.example.com": here, "A lb.example.net": .failed(failure(.a, "lb.example.net"))],
            found: [lineOfHere]),
        Scene(
            testDescription: "NXDOMAIN", records: [:], found: [],
            problem: .dns("shop.example.com has no A or AAAA record yet; \(create)")),
        Scene(
            testDescription: "no data",
            records: ["A shop.example.com": .noData(aliases: []), "AAAA shop.example.com": .noData(aliases: [])],
            found: [], problem: .dns("shop.example.com has no A or AAAA record yet; \(create)")),
        Scene(
            testDescription: "an alias of nothing",
            records: [
                "A shop.example.com": .noSuchName(aliases: [DomainName("gone.example.org")!]),
                "AAAA shop.example.com": .noSuchName(aliases: [DomainName("gone.example.org")!]),
            ],
            found: ["shop.example.com. CNAME gone.example.org."],
            problem: .dns(
                "shop.example.com is an alias of gone.example.org, which has no A or AAAA record yet; \(create)")),
        Scene(
            testDescription: "an address too many",
            records: ["A shop.example.com": found(["192.0.2.1", "198.51.101.7"])],
            found: [lineOfHere, "shop.example.com. A 198.51.101.7"],
            problem: .dns(
                """
                shop.example.com also has the address 198.51.101.7, which is not this server's; \
                the authority may connect there; remove it
                """)),
        Scene(
            testDescription: "an alias for IPv4 only",
            records: [
                "A shop.example.com": found(["198.51.101.9"], through: ["lb.example.net"]),
                "AAAA shop.example.com": found(["2001:db8::bad"]),
            ],
            found: [
                "shop.example.com. CNAME lb.example.net.", "lb.example.net. A 198.51.101.9",
                "shop.example.com. AAAA 2001:db8::bad",
            ],
            problem: .dns(
                """
                shop.example.com also has the address 2001:db8::bad, which is not this server's; \
                the authority may connect there; remove it
                """)),
        Scene(
            testDescription: "another server",
            records: ["A shop.example.com": found(["198.51.101.7"])], found: ["shop.example.com. A 198.51.101.7"],
            problem: .dns(
                """
                shop.example.com has the address 198.51.101.7, which is not this server's; \
                the authority may connect there; replace it with shop.example.com. CNAME lb.example.net.
                """)),
        Scene(
            testDescription: "an alias of another server's name",
            records: ["A shop.example.com": found(["198.51.101.7"], through: ["other.example.org"])],
            found: ["shop.example.com. CNAME other.example.org.", "other.example.org. A 198.51.101.7"],
            problem: .dns(
                """
                shop.example.com has the address 198.51.101.7, which is not this server's; \
                the authority may connect there; replace it with shop.example.com. CNAME lb.example.net.
                """)),
        Scene(
            testDescription: "many other servers",
            records: ["A shop.example.com": found(others)], found: linesOfOthers,
            problem: .dns(
                """
                shop.example.com has the addresses 198.51.101.1, 198.51.101.2, 198.51.101.3, 198.51.101.4 and 2 more, \
                which are not this server's; the authority may connect there; \
                replace them with shop.example.com. CNAME lb.example.net.
                """)),
        Scene(
            testDescription: "one type cannot be looked up",
            records: [
                "A shop.example.com": here, "AAAA shop.example.com": .failed(failure(.aaaa, "shop.example.com")),
            ],
            found: [lineOfHere],
            problem: .dns("\(failure(.aaaa, "shop.example.com")); no certificate is ordered until that works")),
        Scene(
            testDescription: "this server's name cannot be looked up",
            records: [
                "A shop.example.com": found(["198.51.101.8"]),
                "A lb.example.net": .failed(failure(.a, "lb.example.net")),
            ],
            found: ["shop.example.com. A 198.51.101.8"],
            problem: .dns(
                """
                \(failure(.a, "lb.example.net")); \
                so it is unknown whether 198.51.101.8 is an address of this server
                """)),
        Scene(
            testDescription: "CAA cannot be looked up",
            records: ["A shop.example.com": here, "CAA example.com": .failed(failure(.caa, "example.com"))],
            found: [lineOfHere],
            problem: .caa("\(failure(.caa, "example.com")); no authority issues a certificate until that works")),
        Scene(
            testDescription: "CAA allows this authority",
            records: ["A shop.example.com": here, "CAA example.com": issue(["ca.example"])],
            found: [lineOfHere, "example.com. CAA 0 issue \"ca.example\""]),
        Scene(
            testDescription: "CAA allows another authority only, and no address answers",
            records: ["A shop.example.com": here, "CAA example.com": issue(["other.example"])],
            silent: ["192.0.2.1": "connection refused"],
            found: [lineOfHere, "example.com. CAA 0 issue \"other.example\""],
            problem: .caa(
                """
                the CAA records of example.com do not allow ca.example to issue; \
                add example.com. CAA 0 issue "ca.example"
                """)),
        Scene(
            testDescription: "IPv6 does not answer",
            records: ["A shop.example.com": here, "AAAA shop.example.com": found(["2001:db8::1"])],
            silent: ["2001:db8::1": "connection timed out"],
            found: [lineOfHere, "shop.example.com. AAAA 2001:db8::1"],
            problem: .dns(
                """
                shop.example.com does not answer a challenge at 2001:db8::1: connection timed out; \
                the authority may connect there; fix that, or remove the record
                """)),
        Scene(
            testDescription: "no address answers",
            records: ["A shop.example.com": here, "AAAA shop.example.com": found(["2001:db8::1"])],
            silent: ["192.0.2.1": "connection refused", "2001:db8::1": "status 404"],
            found: [lineOfHere, "shop.example.com. AAAA 2001:db8::1"],
            problem: .dns(
                """
                shop.example.com does not answer a challenge at 192.0.2.1, 2001:db8::1: connection refused; \
                make port 80 there lead to this server
                """)),
    ]

    @Test(arguments: scenes) func `reports the first problem and the records`(scene: Scene) {
        let outcome = check(scene.records, silent: scene.silent)
        #expect(outcome.report.problem == scene.problem)
        #expect(outcome.report.found == scene.found)
    }

    @Test func `reports the records wanted`() {
        let addresses = [
            "shop.example.com. CNAME lb.example.net.", "shop.example.com. A 192.0.2.1",
            "shop.example.com. AAAA 2001:db8::1",
        ]
        #expect(check([:]).report.wanted == addresses)
        let records = ["A shop.example.com": PreflightTests.here, "CAA com": PreflightTests.issue([";"])]
        #expect(check(records).report.wanted == addresses + ["com. CAA 0 issue \"ca.example\""])
    }

    @Test func `checks the cheapest facts first and stops at a problem`() {
        let missing = check([:])
        #expect(missing.asked == ["A shop.example.com", "AAAA shop.example.com"] && missing.probed == [])
        let passed = check(["A shop.example.com": PreflightTests.here])
        #expect(
            passed.asked == [
                "A shop.example.com", "AAAA shop.example.com", "CAA shop.example.com", "CAA example.com", "CAA com",
            ])
        #expect(passed.probed == ["shop.example.com 192.0.2.1"])
    }

    @Test func `without known addresses only the probe decides`() {
        var rules = PreflightTests.rules
        (rules.expectedAddresses, rules.expectedNames) = ([], [])
        let records = ["A shop.example.com": PreflightTests.found(["198.51.101.7", "198.51.101.8"])]
        let passed = check(records, rules)
        #expect(passed.report.problem == nil && passed.report.wanted == [])
        #expect(passed.probed == ["shop.example.com 198.51.101.7", "shop.example.com 198.51.101.8"])
        #expect(check(records, silent: ["198.51.101.8": "status 404"], rules).report.problem != nil)
        let advice = "create one with the public address of this server"
        #expect(
            check([:], rules).report.problem == .dns("shop.example.com has no A or AAAA record yet; \(advice)"))
    }

    @Test(arguments: [
        "127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "fd00::1", "fe80::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
    ])
    func `requests no challenge at an address that is not public, unless it is this server's`(text: String) {
        var records = ["A shop.example.com": PreflightTests.found(["198.51.101.7"])]
        if text.contains(":") {
            records["AAAA shop.example.com"] = PreflightTests.found([text])
        } else {
            records["A shop.example.com"] = PreflightTests.found(["198.51.101.7", text])
        }
        let address = PreflightTests.address(text)
        var rules = PreflightTests.rules
        (rules.expectedAddresses, rules.expectedNames) = ([], [])
        let refused = check(records, rules)
        let advice = "remove it, or name this server's addresses in acme.leadsTo.addresses"
        #expect(
            refused.report.problem
                == .dns(
                    "shop.example.com has the address \(address), which is not public, so no challenge is requested there; "
                        + advice))
        #expect(refused.probed == [])
        rules.localAddresses = [address]
        let listening = check(records, rules)
        #expect(listening.report.problem == nil && listening.probed.contains("shop.example.com \(address)"))
        (rules.localAddresses, rules.expectedAddresses) = ([], [address, PreflightTests.address("198.51.101.7")])
        let listed = check(records, rules)
        #expect(listed.report.problem == nil && listed.probed.contains("shop.example.com \(address)"))
        // An alias of this server's name proves nothing about a private address.
        rules = PreflightTests.rules
        let aliased = ["A shop.example.com": PreflightTests.found(["10.0.0.1"], through: ["lb.example.net"])]
        #expect(check(aliased, rules).probed == [])
    }

    @Test func `sends no request if probing is off`() {
        var rules = PreflightTests.rules
        rules.isProbing = false
        let outcome = check(["A shop.example.com": PreflightTests.here], silent: ["192.0.2.1": "no"], rules)
        #expect(outcome.report.problem == nil && outcome.probed == [])
    }

    @Test func `of a wildcard, only CAA is checked, and it needs the method dns-01`() {
        #expect(
            check([:], host: "*.example.com").report.problem
                == .dns(
                    "*.example.com is a wildcard, which authorities validate by dns-01 only; configure acme.rfc2136"))
        var rules = PreflightTests.rules
        rules.method = "dns-01"
        let passed = check(["CAA example.com": PreflightTests.issue(["ca.example"])], host: "*.example.com", rules)
        #expect(passed.report.problem == nil && passed.report.wanted == [])
        #expect(passed.asked == ["CAA example.com"] && passed.probed == [])
        let refused = check(["CAA example.com": PreflightTests.issue([";"])], host: "*.example.com", rules)
        guard case .caa? = refused.report.problem else {
            Issue.record("\(refused.report)")
            return
        }
    }

    @Test(arguments: [(32, true), (33, false)]) func `sends a limited number of requests`(count: Int, isEnough: Bool) {
        var rules = PreflightTests.rules
        (rules.expectedAddresses, rules.expectedNames) = ([], [])
        let records = ["A shop.example.com": PreflightTests.found((1...count).map { "198.51.101.\($0)" })]
        let outcome = check(records, rules)
        #expect((outcome.report.problem == nil) == isEnough)
        #expect(outcome.probed.count == (isEnough ? count : 0))
    }

    @Test func `reports a limited number of records`() {
        let values = Array(repeating: "other.example; a=" + String(repeating: "b", count: 400), count: 3_000)
        let records = ["A shop.example.com": PreflightTests.here, "CAA shop.example.com": PreflightTests.issue(values)]
        let report = check(records).report
        #expect(report.found.count == 65 && report.found.last == "and 2937 more")
        #expect(report.found.allSatisfy { $0.utf8.count < 300 })
    }

    @Test func `checks a name of 253 bytes`() {
        let host = String(repeating: "a.", count: 125) + "com"
        #expect(host.utf8.count == 253)
        let outcome = check(["A \(host)": PreflightTests.here], host: host)
        #expect(outcome.report.problem == nil && outcome.asked.count == 2 + 126)
    }
}
