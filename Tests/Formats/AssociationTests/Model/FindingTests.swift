// What the findings of a file say about it as a whole.

import Testing

@testable import Association

struct FindingTests {
    @Test(arguments: [
        (
            #"{"webcredentials": {"apps": []}, "webcredentials": {"apps": []}}"#,
            "line 1: duplicate key \"webcredentials\""
        ),
        ("{\n\"webcredentials\": {\"apps\": [],\n\"apps\": []}}", "line 3: duplicate key \"apps\""),
        (#"{"webcredentials": {"apps": []}, "other": 1}"#, nil),
    ])
    func `a key that is there twice is a doubt about the file`(text: String, doubt: String?) {
        let found = AppleAssociation.read(Array(text.utf8), file: "").findings.doubt
        #expect(found?.prefix(doubt?.count ?? 0) == doubt.map { $0[...] })
    }

    @Test func `a statement list has the same doubt`() {
        let text = #"[{"relation": [], "relation": []}]"#
        #expect(
            StatementList.read(Array(text.utf8), file: "").findings.doubt?.hasPrefix("line 1: duplicate key ") == true)
    }
}
