// The C targets declare the functions of the two libraries by hand. These tests compile them against the libraries' own headers.

import Foundation
import TestSupport
import Testing

struct DeclarationsTests {
    /// A header of this project and the library's header that it must match.
    struct Header: Sendable, CustomTestStringConvertible {
        var module: String
        var table: String
        var prefix: String
        var real: String

        var testDescription: String { module }
        var isInstalled: Bool { FileManager.default.fileExists(atPath: real) }
    }

    static let headers = [
        Header(
            module: "CSQLite", table: "associated_sqlite", prefix: "sqlite3_", real: "/usr/include/sqlite3.h"),
        Header(
            module: "CPostgreSQL", table: "associated_postgresql", prefix: "PQ",
            real: "/usr/include/postgresql/libpq-fe.h"),
    ]

    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL

    @Test(
        .enabled(if: headers.allSatisfy(\.isInstalled), "script/databases installs the headers, and could not"),
        arguments: headers)
    func `declarations match the library's own header`(header: Header) throws {
        let folder = DeclarationsTests.root.appendingPathComponent("Sources/System/\(header.module)/include").path
        let ours = try String(contentsOfFile: "\(folder)/\(header.module).h", encoding: .utf8)
        let functions = ours.matches(of: /\n {4}[a-z][a-z *]*\(\*(\w+)\)\(/).map(\.1)
        let functionsOfType = ours.matches(of: /\n {4}[A-Z]\w+ \*?\(\*(\w+)\)\(/).map(\.1)
        let typed = ours.matches(of: /\n {4}associated_\w+ \(\*(\w+)\)\(/).map(\.1)
        let numbers = ours.matches(of: #/\n#define (\w+) /#).map(\.1)
        let lines =
            ["#include <\(header.real)>"] + numbers.map { "enum { real_\($0) = \($0) };\n#undef \($0)" }
            + ["#include <\(header.module).h>"]
            + numbers.map { "_Static_assert(real_\($0) == \($0), \"\($0)\");" }
            + ["const struct \(header.table) compared = {"]
            + (functions + functionsOfType + typed).map { "    .\($0) = \(header.prefix)\($0)," } + ["};", ""]
        #expect(functions.count + functionsOfType.count + typed.count > 25 && numbers.count > 10)

        let result = try compile(lines.joined(separator: "\n"), headers: folder)
        #expect(result.isEmpty, "\(result)")
        // Checks the comparison itself: it detects a wrong type.
        let wrong = ours.replacing(/int \(\*(finalize|nfields)\)\(/) { "long (*\($0.1))(" }
        let copy = try TemporaryFolder()
        try copy.write("\(header.module).h", wrong)
        #expect(try compile(lines.joined(separator: "\n"), headers: copy.path).contains("incompatible"))
    }

    /// The compiler's errors for this text.
    private func compile(_ text: String, headers: String) throws -> String {
        let words = ["clang", "-x", "c", "-Werror", "-fsyntax-only", "-I", headers, "-"]
        return try Command(words, input: Array(text.utf8)).run().errors
    }
}
