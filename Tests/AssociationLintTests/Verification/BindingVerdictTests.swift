// The names that programs know the verdicts by.

import Association
import AssociationLint
import Testing

struct BindingVerdictTests {
    @Test func `the three kinds have the names of the command's interface`() {
        let kinds: [BindingVerdict.Kind] = [.verified, .notVerified, .fileRejected]
        #expect(kinds.map(\.rawValue) == ["verified", "not-verified", "file-rejected"])
        #expect(BindingVerdict(.verified, "a").reason == "a")
    }
}
