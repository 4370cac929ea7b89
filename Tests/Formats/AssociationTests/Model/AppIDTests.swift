import Testing

@testable import Association

@Suite struct AppIDTests {
    @Test(arguments: [
        "9JA89QQLNQ.com.apple.wwdc", "DECAFBAD00.org.acme.shop-app", "Z1Z2Z3Z4Z5.shop", "9JA89QQLNQ.com.acme.Shop.Clip",
        "0123456789.de.acme.x", "9JA89QQLNQ.com.acme.appidentity", "9JA89QQLNQ.com.acme.teamidea",
    ])
    func `accepts a valid id`(text: String) {
        #expect(AppID.problems(in: text).isEmpty)
    }

    @Test(arguments: [
        ("com.acme.shop", RuleID.aasa019), ("9JA89QQLNQ", .aasa019), ("9JA89QQLNQ.", .aasa019), ("", .aasa019),
        (".com.acme", .aasa019), ("9JA89QQLN.com.acme", .aasa019), ("9JA89QQLNQX.com.acme", .aasa019),
        ("9JA89-QLNQ.com.acme", .aasa019), ("9JA89QQLNQ.com..acme", .aasa019), ("9JA89QQLNQ.com.acme.", .aasa019),
        ("TEAMID.com.acme.shop", .aasa019), ("<TEAMID>.com.acme", .aasa019), (" 9JA89QQLNQ.com.acme", .aasa019),
        ("9JA89QQLNQ.*", .aasa021), ("9JA89QQLNQ.com.acme.*", .aasa021), ("9JA89QQLNQ.com.a cme", .aasa021),
        ("9JA89QQLNQ.com/acme", .aasa021),
    ])
    func `reports an invalid id`(text: String, rule: RuleID) {
        let problems = AppID.problems(in: text)
        #expect(problems.map(\.rule) == [rule])
        #expect(problems.allSatisfy { $0.severity == .error })
    }

    @Test(arguments: [
        ("9ja89qqlnq.com.acme.shop", RuleID.aasa020), ("ABCDE12345.com.acme.shop", .aasa022),
        ("9JA89QQLNQ.com.example.app", .aasa022), ("XXXXXXXXXX.com.acme.shop", .aasa022),
        ("9JA89QQLNQ.com.acme_shop", .aasa021),
    ])
    func `warns of a doubtful id`(text: String, rule: RuleID) {
        let problems = AppID.problems(in: text)
        #expect(problems.map(\.rule) == [rule])
        #expect(problems.allSatisfy { $0.severity == .warning })
    }

    @Test func `suggests the upper-case prefix and the trimmed text`() {
        #expect(AppID.problems(in: "9ja89qqlnq.com.Acme").first?.replacement == "9JA89QQLNQ.com.Acme")
        #expect(AppID.problems(in: "9JA89QQLNQ.com.acme \u{200B}").first?.replacement == "9JA89QQLNQ.com.acme")
    }
}
