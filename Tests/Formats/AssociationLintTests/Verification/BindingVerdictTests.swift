// The names of the results in the command's output.

import AssociationLint
import Testing

struct BindingVerdictTests {
    @Test func `the three kinds have the names that the command prints`() {
        let kinds: [BindingVerdict.Kind] = [.verified, .notVerified, .fileRejected]
        #expect(kinds.map(\.rawValue) == ["verified", "not-verified", "file-rejected"])
        #expect(BindingVerdict(.verified, "a").reason == "a")
    }
}
