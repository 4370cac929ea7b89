// Numbers and what they count.

import Association
import Testing

struct CountTests {
    @Test func `one of a thing has no plural`() {
        #expect(Count.of(1, "host") == "1 host")
        #expect(Count.of(0, "host") == "0 hosts")
        #expect(Count.of(2, "fix", "fixes") == "2 fixes")
        #expect(Count.of(1, "fix", "fixes") == "1 fix")
    }
}
