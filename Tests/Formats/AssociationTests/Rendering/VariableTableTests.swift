import AssociationSamples
import SourceJSON
import Testing

@testable import Association

@Suite struct VariableTableTests {
    @Test func `shares a variable that has the same values in both apps`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a", "b"]], "/$(v)")) == [:])
        #expect(table.add(app(["v": ["a", "b"]], "/x/$(v)")) == [:])
        #expect(table.variables.map(\.name) == ["v"])
    }

    @Test func `renames a variable that has other values`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a"]], "/$(v)")) == [:])
        #expect(table.add(app(["v": ["b"]], "/$(v)")) == ["v": "v_2"])
        #expect(table.add(app(["v": ["c"]], "/$(v)")) == ["v": "v_3"])
        #expect(table.add(app(["v": ["b"]], "/$(v)")) == ["v": "v_2"])
        #expect(table.variables.map(\.name) == ["v", "v_2", "v_3"])
    }

    @Test func `renames a variable with a predefined name`() {
        var table = VariableTable()
        #expect(table.add(app(["lang": ["en"]], "/$(lang)")) == ["lang": "lang_2"])
        #expect(table.add(app([:], "/$(lang)")) == [:])
        #expect(table.variables.map(\.name) == ["lang_2"])
    }

    @Test func `omits a variable that no rule uses`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a"]], "/x")) == [:])
        #expect(table.variables.isEmpty)
    }

    @Test func `renames the variable in every part of a rule`() {
        let link = AppleComponent(
            path: "/$(v)/*$(w)", query: .items([QueryItemPattern(name: "$(v)", pattern: "?$(v)")]), fragment: "$(v)")
        let renamed = link.renaming(["v": "v_2"])
        #expect(renamed.path == "/$(v_2)/*$(w)")
        #expect(renamed.query == .items([QueryItemPattern(name: "$(v)", pattern: "?$(v_2)")]))
        #expect(renamed.fragment == "$(v_2)")
        #expect(AppleComponent(query: .whole("$(v)")).renaming(["v": "x"]).query == .whole("$(x)"))
    }

    private func app(_ variables: [String: [String]], _ path: String) -> AppFile {
        let written = variables.map { name, values in "\(name): \(values)" }.joined(separator: ", ")
        let text = AppFileSample.text(
            ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { \#(written) } }"#,
            links: #"[{ "/": "\#(path)" }]"#)
        // The sample is valid; with a mistake in it, the table would be empty.
        return (try? AppFileSample.app(text)) ?? AppFile(file: "", name: "", hosts: [], range: .none)
    }
}
