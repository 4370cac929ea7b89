// Which kind of file a linted file is, and how its text is read because of that.

import SourceJSON
import Testing

@testable import AssociationLint

struct LintedFileTests {
    @Test(arguments: [
        (#"{"applinks": {}}"#, DocumentKind.appleAssociation, true), (#"[{"relation": [],}]"#, .statementList, false),
        ("{ hosts: ['a.example'], }", .appFile, true), (#"{"hosts": 1, "applinks": {},}"#, .appleAssociation, false),
        ("text", .unknown, false),
    ])
    func `detects the kind and reads only app files as JSON5`(text: String, kind: DocumentKind, isClean: Bool) {
        let file = LintedFile(Array(text.utf8), path: "file")
        #expect(file.kind == kind)
        #expect(file.document.problems.isEmpty == isClean)
    }

    @Test func `a given kind decides, whatever the content is`() {
        let file = LintedFile(Array("{ applinks: {}, }".utf8), path: "file", kind: .appleAssociation)
        #expect(file.kind == .appleAssociation)
        #expect(!file.document.problems.isEmpty)
    }
}
