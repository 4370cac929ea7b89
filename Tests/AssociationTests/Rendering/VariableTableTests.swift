import AssociationSamples
import SourceJSON
import Testing

@testable import Association

@Suite struct VariableTableTests {
    @Test func `shares a variable that means the same to both apps`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a", "b"]], "/$(v)")) == [:])
        #expect(table.add(app(["v": ["a", "b"]], "/x/$(v)")) == [:])
        #expect(table.variables.map(\.name) == ["v"])
    }

    @Test func `renames one that means something else`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a"]], "/$(v)")) == [:])
        #expect(table.add(app(["v": ["b"]], "/$(v)")) == ["v": "v_2"])
        #expect(table.add(app(["v": ["c"]], "/$(v)")) == ["v": "v_3"])
        #expect(table.add(app(["v": ["b"]], "/$(v)")) == ["v": "v_2"])
        #expect(table.variables.map(\.name) == ["v", "v_2", "v_3"])
    }

    @Test func `renames one that would hide a predefined one`() {
        var table = VariableTable()
        #expect(table.add(app(["lang": ["en"]], "/$(lang)")) == ["lang": "lang_2"])
        #expect(table.add(app([:], "/$(lang)")) == [:])
        #expect(table.variables.map(\.name) == ["lang_2"])
    }

    @Test func `leaves out what no rule uses`() {
        var table = VariableTable()
        #expect(table.add(app(["v": ["a"]], "/x")) == [:])
        #expect(table.variables.isEmpty)
    }

    @Test func `renames in every part of a rule`() {
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
        // The sample is right by construction; a mistake in it shows as a table that stays empty.
        return (try? AppFileSample.app(text))
            ?? AppFile(file: "", name: "", hosts: [], range: .none)
    }
}
