// Differences of two texts, as `diff -u` prints them.

import AssociationLint
import Testing

struct UnifiedDifferenceTests {
    @Test(arguments: [
        ("a\n", "a\n", ""), ("a\n", "b\n", "@@ -1,1 +1,1 @@\n-a\n+b\n"),
        ("", "a\n", "@@ -0,0 +1,1 @@\n+a\n"), ("a\n", "", "@@ -1,1 +0,0 @@\n-a\n"),
        ("a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nx\n", "@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+x\n"),
    ])
    func `has hunks with three lines around a change`(old: String, new: String, hunks: String) {
        let text = UnifiedDifference(from: old, to: new, path: "p").text
        #expect(text == (hunks.isEmpty ? "" : "--- p\n+++ p\n\(hunks)"))
    }

    @Test func `changes that are far apart are two hunks, and a file that does not exist is /dev/null`() {
        let lines = (1...9).map { "\($0)\n" }
        let new = "x\n" + lines[1...7].joined() + "y\n"
        let text = UnifiedDifference(from: lines.joined(), to: new, path: "p", exists: (false, true)).text
        #expect(text.hasPrefix("--- /dev/null\n+++ p\n@@ -1,4 +1,4 @@\n"))
        #expect(text.contains("\n@@ -6,4 +6,4 @@\n"))
    }
}
