// docs/limits.md promises keys, units and defaults: they are those of the code, all of them and in the same order.

import Foundation
import HTTP
import Testing

@testable import Settings

struct LimitKeyTests {
    /// The rows of the document's table, as cells.
    private static func rows() throws -> [[String]] {
        let repository = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
            .standardizedFileURL
        let text = try String(contentsOf: repository.appendingPathComponent("docs/limits.md"), encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// A limit as it is when `server.json` says nothing.
    private static func defaultValue(_ key: LimitKey) -> Int? {
        let limits = Limits()
        // Every value of the struct by the name of its property, those of its parts too.
        let values = Mirror(reflecting: limits).children.flatMap { child in
            child.label == "head" ? Array(Mirror(reflecting: child.value).children) : [child]
        }
        return values.first { $0.label == key.name }.flatMap { Int("\($0.value)") }
    }

    @Test func `the document lists exactly the keys, in their order`() throws {
        let named = try LimitKeyTests.rows().map { $0[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
        #expect(named == LimitKey.all.map(\.name))
    }

    @Test(arguments: LimitKey.all)
    func `the document tells the default and the unit, and what the schema tells`(key: LimitKey) throws {
        let row = try #require(try LimitKeyTests.rows().first { $0[0] == "`\(key.name)`" })
        #expect(row[2] == LimitKeyTests.defaultValue(key).map(String.init))
        #expect((row[1] == "ms") == key.name.hasSuffix("Milliseconds"))
        #expect((row[1] == "bytes") == key.name.contains("BytesMax") || key.name.hasPrefix("bytesPer"))
        #expect(row[3].lowercased().hasPrefix(key.help.lowercased()), "\(key.help)")
        #expect(key.usual == LimitKeyTests.defaultValue(key))
    }

    @Test(arguments: LimitKey.all)
    func `a default is one that may be set, and setting changes that key alone`(key: LimitKey) throws {
        let value = try #require(LimitKeyTests.defaultValue(key))
        #expect(key.allowed.contains(value))
        var limits = Limits()
        key.set(value + 1, &limits)
        let before = "\(Limits())".split(separator: ",")
        let after = "\(limits)".split(separator: ",")
        #expect(zip(before, after).count { $0 != $1 } == 1)
    }
}
