// White space, and paths that mean something on one machine only.

import Testing

struct HouseRuleTextTests {
    @Test(arguments: [("a\tb", "a tab"), ("a\r", "a carriage return"), ("a ", "blanks")])
    func `refuses invisible white space`(line: String, message: String) {
        let violations = HouseRule.whiteSpace.check(SourceFile(path: "docs/a.md", "a\n\(line)\n"))
        #expect(violations.map(\.line) == [2])
        #expect(violations.first?.message.hasPrefix(message) == true)
    }

    @Test(arguments: ["Users", "home", "root", "work"])
    func `refuses the path of one machine`(folder: String) {
        let file = SourceFile(path: "docs/a.md", "see /\(folder)/notes.txt")
        #expect(HouseRule.machinePaths.check(file).count == 1)
    }

    @Test(arguments: ["https://example.com/home/a", "/var/lib/associated", "script/root/a"])
    func `accepts other paths`(line: String) {
        #expect(HouseRule.machinePaths.check(SourceFile(path: "docs/a.md", line)).isEmpty)
    }
}
