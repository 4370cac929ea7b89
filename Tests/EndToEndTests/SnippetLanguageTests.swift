// Parses every file of `associated snippet` with a parser of its language. SnippetCommandTests compiles the Swift files.

import Foundation
import Testing

@Suite(.enabled(if: Peers.areInstalled, Peers.absence)) struct SnippetLanguageTests {
    /// Apps with every key, with almost none, and with a name that contains special characters of each language.
    static let apps: [(name: String, text: String)] = [
        ("everything", SnippetCommandTests.app),
        ("iOS only", #"{ name: "A", hosts: ["a.test"], ios: { appIDs: ["9JA89QQLNQ.a.b"] }, links: [{ "/": "*" }] }"#),
        (
            "Android only",
            #"{ name: "B", hosts: ["*.b.test"], android: { package: "a.b", "#
                + #"fingerprints: ["\#(LintCommandTests.print)"] }, links: [{ "/": "/a" }] }"#
        ),
        (
            "hostile",
            #"{ name: "</script>\"'`${x}\\ -->&<b> %s\n\u2028", hosts: ["a.test"], scheme: "a.b-c+d", "#
                + #"ios: { appIDs: ["9JA89QQLNQ.a.b"], storeID: "1" }, android: { package: "a.b", "#
                + #"fingerprints: ["\#(LintCommandTests.print)"], relations: ["get_login_creds"] }, "#
                + #"links: [{ "/": "/a'b$c\"d/<e>&/*" }, { "/": "/x/?*/\\\\*" }] }"#
        ),
    ]

    private static let kinds = [
        "kt": "kotlin", "ts": "typescript", "dart": "dart", "html": "html", "plist": "plist", "entitlements": "plist",
        "xml": "xml",
    ]

    @Test(arguments: apps.indices, ["ios", "android", "capacitor", "flutter", "expo", "react-native", "html"])
    func `each file is accepted by a parser of its language`(index: Int, kind: String) throws {
        let folder = try Folder()
        try folder.write("app.json", Self.apps[index].text)
        let run = try Subject.run("snippet", "\(folder.path)/app.json", kind, "--output", "\(folder.path)/out")
        let isForOther =
            Self.apps[index].name == "\(kind == "ios" ? "Android" : "iOS") only" && ["ios", "android"].contains(kind)
        try #require(run.status == (isForOther ? 1 : 0), "\(run.errors)")
        for path in run.output.split(separator: "\n") {
            let name = String(path.dropFirst(folder.path.count + 1))
            let text = try folder.read(name)
            let ending = name.split(separator: ".").last.map(String.init) ?? ""
            if ending == "swift" { continue }
            if ending == "json" {
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
                continue
            }
            let language = try #require(Self.kinds[ending], "no parser reads \(name)")
            let problems = try Peers.problems(in: text, as: language)
            #expect(problems.isEmpty, "\(Self.apps[index].name), \(name): \(problems)")
        }
    }

    @Test(arguments: [
        ("kotlin", "class A { fun b( {} }"), ("typescript", "const a: = 1;"), ("dart", "String? f(Uri u) { return }}"),
        ("html", "<meta content=\"a\"b\">"), ("plist", "<plist><dict><key>a</key></dict></plist>"),
        ("xml", "<a><b></a>"), ("sarif", #"{"version": "2.1.0"}"#),
    ])
    func `the parsers reject invalid files`(kind: String, text: String) throws {
        #expect(try !Peers.problems(in: text, as: kind).isEmpty)
    }
}
