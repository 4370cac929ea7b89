// The formats of findings. GoldenTests has whole outputs, and SARIFSchemaTests compares a log with its schema.

import Association
import SourceJSON
import Testing

@testable import AssociationLint

struct FindingFormatTests {
    private static func context(isColoured: Bool = false, files: [String: String] = [:]) -> FindingContext {
        FindingContext(product: ("program", "1.2.3"), directory: "/repository/", isColoured: isColoured) {
            files[$0].map { Array($0.utf8) }
        }
    }

    private static let finding = Finding(
        rule: .aasa001, file: "/repository/./a,b%c",
        range: SourceReader.read(Array("[ 1 ]".utf8), as: .json).value?.range,
        message: "a: b,\nc", fix: "d")

    @Test(arguments: [
        ("/repository/a", "a"), ("./a", "a"), (".//a", "a"), ("/repository/./a", "a"), ("/other/a", "/other/a"),
        ("/repository", "/repository"),
    ])
    func `paths are those of the repository`(path: String, place: String) {
        #expect(Self.context().place(path) == place)
    }

    @Test func `a workflow command is one line`() {
        #expect(
            FindingFormat.github.text(of: [Self.finding], in: Self.context())
                == "::error file=a%2Cb%25c,line=1,endLine=1,col=1,endColumn=6,title=AASA-001::a: b,%0Ac; d\n")
    }

    @Test(arguments: [("[ 1 ]", " 1 | [ 1 ]\n   | ^~~~~\n"), (nil, "")])
    func `the text has the line of the file, if it can be read`(file: String?, lines: String) {
        var finding = Self.finding
        (finding.file, finding.message) = ("p", "a")
        let files = file.map { ["p": $0] } ?? [:]
        let text = FindingFormat.text.text(of: [finding], in: Self.context(files: files))
        #expect(text == "p:1:1: error[AASA-001]: a; d\n\(lines)")
        let coloured = FindingFormat.text.text(of: [finding], in: Self.context(isColoured: true, files: files))
        #expect(coloured.hasPrefix("\u{1B}[1mp:1:1:\u{1B}[0m \u{1B}[31merror[AASA-001]\u{1B}[0m: a; d\n"))
    }

    @Test func `a SARIF log names the program, the rule and the place`() {
        let text = FindingFormat.sarif.text(of: [Self.finding, Self.finding], in: Self.context())
        let run = SourceReader.read(Array(text.utf8), as: .json).value?.member(named: "runs")?.asArray?.first
        let driver = run?.member(named: "tool")?.member(named: "driver")
        #expect(driver?.member(named: "name")?.asString == "program")
        #expect(driver?.member(named: "version")?.asString == "1.2.3")
        #expect(driver?.member(named: "rules")?.asArray?.count == 1)
        #expect(run?.member(named: "results")?.asArray?.count == 2)
        #expect(text.contains(#""uri": "a%2Cb%25c""#))
    }
}
