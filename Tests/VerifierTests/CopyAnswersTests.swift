// How texts from Apple and Google are shown.

import Testing

@testable import Verifier

struct CopyAnswersTests {
    @Test func `texts of other servers lose control characters and are shortened`() {
        #expect(AppleFailure.text("a\u{1B}[31m\r\n\u{7F}\tb \u{E9}") == "a[31mb \u{E9}")
        #expect(AppleFailure.text(String(repeating: "a", count: 400)).count == 300)
        #expect(AppleFailure.text(nil) == "")
    }
}
