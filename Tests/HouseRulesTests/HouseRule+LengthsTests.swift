// Both sides of each tripwire.

import Testing

struct HouseRuleLengthsTests {
    @Test(arguments: [(500, 0), (501, 1)])
    func `a file may have 500 lines`(count: Int, violations: Int) {
        let file = SourceFile(path: "Sources/Formats/HTTP/A.swift", String(repeating: "a\n", count: count))
        #expect(HouseRule.fileLength.check(file).count == violations)
    }

    @Test(arguments: [(70, 0), (71, 1)])
    func `a function may have 70 lines`(count: Int, violations: Int) {
        let body = String(repeating: "        a()\n", count: count - 2)
        let file = SourceFile(path: "Sources/Formats/HTTP/A.swift", "struct A {\n    func a() {\n\(body)    }\n}\n")
        #expect(HouseRule.functionLength.check(file).map(\.subject).count == violations)
        #expect(HouseRule.functionLength.check(file).allSatisfy { $0.subject == "Sources/Formats/HTTP/A.swift a" })
    }

    @Test func `finds each kind of function and its length`() {
        let source = """
            struct A {
                var one: Int { 1 }
                var two: Int {
                    2
                }

                public init(
                    a: Int
                ) {
                    b()
                }

                func one() {}
                static func generic<T>(_ x: T) -> T
                where T: Copyable {
                    if x {
                    }
                }
                deinit {
                    close()
                }
            }
            """
        let found = HouseRule.functions(in: SourceText(source).code)
        #expect(found.map(\.name) == ["two", "init", "generic", "deinit"])
        #expect(found.map(\.line) == [3, 7, 14, 19])
        #expect(found.map(\.count) == [3, 5, 5, 3])
    }
}
