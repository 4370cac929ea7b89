// Ids as people write them, and suggestions for mistyped ones.

import Association
import Testing

struct RuleIDTests {
    @Test func `reads only what it writes`() {
        for rule in RuleID.allCases { #expect(RuleID(rule.description) == rule) }
        #expect("\(RuleID.aasa019)" == "AASA-019")
        for id in ["AASA-999", "aasa-019", "aasa019", "AASA019", "AASA-19", ""] { #expect(RuleID(id) == nil) }
    }

    @Test(arguments: [
        ("APP-40", RuleID.app040), ("AAS-019", .aasa019), ("aasa-019", .aasa019), ("CFG-099", nil), ("XYZ-001", nil),
        ("AASA", nil),
    ])
    func `suggests the rule with the same number for a mistyped id`(id: String, rule: RuleID?) {
        #expect(RuleID.nearest(to: id) == rule)
    }
}
