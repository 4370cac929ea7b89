// docs/settings.md promises which keys there are in `server.json`: they are those of the code, all of them and no others.

import Foundation
import Testing

@testable import Settings

struct SettingTests {
    private static func document(_ name: String) throws -> String {
        let repository = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
            .standardizedFileURL
        return try String(contentsOf: repository.appendingPathComponent("docs/\(name)"), encoding: .utf8)
    }

    /// The rows of the table of keys. A row without a key belongs to the one above it.
    private static func rows() throws -> [(keys: [String], text: String)] {
        let table = try document("settings.md").components(separatedBy: "| key | value | default |\n")[1]
        var rows: [(keys: [String], text: String)] = []
        for line in table.components(separatedBy: "\n").dropFirst().prefix(while: { $0.hasPrefix("|") }) {
            let first = line.components(separatedBy: "|")[1]
            let keys = first.matches(of: /`(\$?\w+)`/).map { String($0.output.1) }
            if keys.isEmpty { rows[rows.count - 1].text += line } else { rows.append((keys, line)) }
        }
        return rows
    }

    @Test func `the document lists exactly the keys`() throws {
        #expect(try SettingTests.rows().flatMap(\.keys).sorted() == Setting.sections.sorted())
    }

    @Test(arguments: Setting.all.filter { $0.key != $0.section }.map { ("\($0.section)", $0.name) })
    func `a key in an object stands in its row, or in the document that the row leads to`(
        section: String, name: String
    ) throws {
        let row = try #require(try SettingTests.rows().first { $0.keys.contains(section) }).text
        let linked = try row.matches(of: /\]\((\w+\.md)/).map { try SettingTests.document(String($0.output.1)) }
        #expect(([row] + linked).contains { $0.contains("`\(name)`") || $0.contains("\(name): ") })
    }

    /// Keys that only another document describes are not compared here.
    @Test func `the document tells the defaults of the code`() throws {
        let table = try SettingTests.document("settings.md").components(separatedBy: "| key | value | default |\n")[1]
        var (sections, compared): ([String], Set<String>) = ([], [])
        for line in table.components(separatedBy: "\n").dropFirst().prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.replacing("\\|", with: "").components(separatedBy: "|")
            let keys = cells[1].matches(of: /`(\w+)`/).map { String($0.output.1) }
            sections = keys.isEmpty ? sections : keys
            for setting in Setting.all where sections.contains("\(setting.section)") {
                let isNamed = setting.key == setting.section || "\(cells[1]) \(cells[2])".contains("`\(setting.name)`")
                guard let text = setting.defaultText, isNamed else { continue }
                // `false` is nothing to be said of a key that turns something on.
                #expect(
                    cells[3].contains(text) || text == "false" && cells[3].contains("none"), "\(setting.key): \(text)")
                compared.insert(setting.key)
            }
        }
        #expect(compared.count >= 15, "\(compared)")
    }

    @Test(arguments: Setting.all.filter { $0.defaultText != nil && $0.option?.value != nil })
    func `the help tells the default`(setting: Setting) {
        #expect(setting.option?.help.contains("default: \(setting.defaultText ?? "")") == true, "\(setting.key)")
    }

    @Test func `no key and no option is there twice`() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        let names = Setting.all.compactMap { $0.option?.name }
        #expect(Set(names).count == names.count)
        #expect(Setting.option("--access-log-format").variable == "ASSOCIATED_ACCESS_LOG_FORMAT")
    }
}
