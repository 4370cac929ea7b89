// What CAA records allow, and what owners of domains may write into them.

import Testing

@testable import DNS
@testable import Issuance

struct CAAVerdictTests {
    private static let account = "https://ca.example/acct/1"

    /// `issue ca.example`, or `!foo x` for a critical record.
    private static func record(_ text: String) -> CAARecord {
        let parts = text.split(separator: " ", maxSplits: 1)
        let isCritical = text.hasPrefix("!")
        return CAARecord(
            isCritical: isCritical, tag: String(isCritical ? parts[0].dropFirst() : parts[0]),
            value: parts.count > 1 ? Array(parts[1].utf8) : [])
    }

    private func verdict(
        _ records: [CAARecord], host: String = "shop.example.com", account: String? = CAAVerdictTests.account,
        identities: [String] = ["CA.example", "ca2.example"]
    ) -> CAAVerdict {
        var rules = PreflightRules()
        rules.caaIdentities = identities
        rules.accountURL = account
        rules.method = "http-01"
        return CAAVerdict.judge(records, of: DomainName(host)!, at: DomainName("example.com")!, rules)
    }

    private func reason(_ verdict: CAAVerdict) -> String? {
        if case .forbidden(let reason, _) = verdict { reason } else { nil }
    }

    private static let allowing: [[String]] = [
        [],
        ["iodef mailto:ca@example.com"],
        ["issue ca.example"],
        ["issue CA.Example"],
        ["issue  \t ca2.example \t "],
        ["issue ca.example;"],
        ["issue ca.example; "],
        ["issue ;", "issue ca.example"],
        ["issue other.example", "issue ca.example"],
        ["!issue ca.example"],
        ["!issuemail other.example", "!iodef x"],
        ["foo bar"],
        ["issue ca.example; accounturi=\(account)"],
        ["issue ca.example ; accounturi = \(account) ; validationmethods=dns-01,http-01"],
        ["issue ca.example; validationmethods=http-01"],
        ["issue ca.example; unknown=1; another=a=b"],
        ["issue ca.example; accounturi=https://ca.example/acct/2", "issue ca.example"],
        ["issue ca.example; accounturi=https://ca.example/acct/2", "issue ca.example; accounturi=\(account)"],
        ["issuewild ;"],
    ]

    @Test(arguments: allowing) func `allows a certificate`(records: [String]) {
        #expect(verdict(records.map(CAAVerdictTests.record)) == .allowed)
    }

    private static let forbidding: [([String], String)] = [
        (["issue ;"], "do not allow ca.example to issue; add example.com. CAA 0 issue \"ca.example\""),
        (["issue"], "do not allow ca.example"),
        (["issue other.example"], "do not allow ca.example"),
        (["issue ca.example.other"], "do not allow ca.example"),
        (["issue ca.example other.example"], "do not allow ca.example"),
        (["issue \"ca.example\""], "do not allow ca.example"),
        (["!foo bar", "issue ca.example"], "the CAA record 128 foo \"bar\" of example.com is critical"),
        (["issue ca.example; accounturi"], "malformed"),
        (["issue ca.example; accounturi=\(account);"], "malformed"),
        (["issue ca.example; =x"], "malformed"),
        (["issue ca.example; a b=x"], "malformed"),
        (["issue ca.example; a=x y"], "malformed"),
        (["issue ca.example; a=\u{7F}"], "malformed"),
        (["issue ca.example; accounturi="], "write accounturi=\(account)"),
        (["issue ca.example; accounturi=https://ca.example/acct/2"], "write accounturi=\(account)"),
        (["issue ca.example; ACCOUNTURI=https://ca.example/acct/2"], "write accounturi=\(account)"),
        (["issue ca.example; accounturi=\(account); accounturi=\(account)"], "write accounturi=\(account)"),
        (["issue ca.example; validationmethods=dns-01"], "does not allow the method http-01"),
        (["issue ca.example; validationmethods="], "does not allow the method http-01"),
        (["issue ca.example; validationmethods=http-01,,dns-01"], "does not allow the method http-01"),
        (["issue ca.example; validationmethods=http-01,dns_01"], "does not allow the method http-01"),
        (
            ["issue ca.example; validationmethods=http-01; validationmethods=http-01"],
            "does not allow the method http-01"
        ),
    ]

    @Test(arguments: forbidding) func `forbids a certificate, and says why`(records: [String], text: String) throws {
        let found = try #require(reason(verdict(records.map(CAAVerdictTests.record))))
        #expect(found.contains(text))
    }

    private static let wildcards: [([String], Bool)] = [
        (["issue ca.example"], true),
        (["issue ca.example", "issuewild ;"], false),
        (["issue other.example", "issuewild ca.example"], true),
        (["issue other.example"], false),
        (["issuewild other.example"], false),
    ]

    @Test(arguments: wildcards) func `for a wildcard, issuewild replaces issue`(records: [String], isAllowed: Bool) {
        let found = verdict(records.map(CAAVerdictTests.record), host: "*.example.com")
        #expect((found == .allowed) == isAllowed)
    }

    @Test func `names the record that is missing`() {
        let records = ["issue ;", "issuewild ;"].map(CAAVerdictTests.record)
        for (host, tag) in [("shop.example.com", "issue"), ("*.example.com", "issuewild")] {
            guard case .forbidden(_, let wanted) = verdict(records, host: host) else {
                Issue.record("\(host) is allowed")
                continue
            }
            #expect(wanted == "example.com. CAA 0 \(tag) \"ca.example\"")
        }
    }

    @Test func `an account that does not exist yet is not the one that a record names`() throws {
        let records = [CAAVerdictTests.record("issue ca.example; accounturi=\(CAAVerdictTests.account)")]
        let found = try #require(reason(verdict(records, account: nil)))
        #expect(found.contains("does not have one yet"))
    }

    private static let unjudged: [([String], Bool)] = [
        (["issue other.example"], true), (["issue other.example; accounturi=x"], true), (["issue ;"], false),
        (["issue ;", "issue other.example"], true), (["!foo x"], false), (["iodef x"], true),
    ]

    @Test(arguments: unjudged) func `without the authority's names, only records that forbid all count`(
        records: [String], isAllowed: Bool
    ) {
        let read = records.map(CAAVerdictTests.record)
        #expect((verdict(read, identities: []) == .allowed) == isAllowed)
        #expect((verdict(read, identities: [""]) == .allowed) == isAllowed)
    }

    @Test func `judges thousands of records`() {
        let other = CAARecord(tag: "issue", value: Array(repeating: UInt8(ascii: ";"), count: 100))
        let records = Array(repeating: other, count: 3_000)
        #expect(verdict(records) != .allowed)
        #expect(verdict(records + [CAAVerdictTests.record("issue ca.example")]) == .allowed)
    }

    private static let texts: [([UInt8], String)] = [
        (Array("ca.example".utf8), "0 issue \"ca.example\""),
        (Array("a\"b\\c".utf8), #"0 issue "a\"b\\c""#),
        ([0, 10, 0x7F, 0xFF], #"0 issue "\000\010\127\255""#),
    ]

    @Test(arguments: texts) func `shows a record on one line`(value: [UInt8], text: String) {
        #expect(CAARecord(tag: "issue", value: value).zoneText == text)
    }

    @Test func `abbreviates a long record`() {
        let text = CAARecord(isCritical: true, tag: "issue", value: Array(repeating: 0x61, count: 201)).zoneText
        let start = String(repeating: "a", count: 200)
        #expect(text == "128 issue \"\(start)...\"")
    }
}
