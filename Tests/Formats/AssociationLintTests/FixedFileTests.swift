// What `lint --fix` changes in one file, and what it leaves to a person.

import Testing

@testable import AssociationLint

struct FixedFileTests {
    private static func fixed(_ text: [UInt8]) -> FixedFile {
        FixedFile(LintedFile(text, path: "p", kind: .appleAssociation))
    }

    @Test(arguments: [
        (#"{"webcredentials": {"apps": []}}"#, "0 fixes", false),
        (#"{"webcredentials": {"apps": []},}"#, "1 fix (AASA-001)", true),
        ("\u{FEFF}" + #"{"webcredentials": {"apps": []}}"#, "1 fix", true),
    ])
    func `says how many fixes there are, and of which rules`(text: String, summary: String, isChanged: Bool) {
        let fixed = Self.fixed(Array(text.utf8))
        #expect(fixed.summary.hasPrefix(summary))
        #expect((fixed.isChanged, fixed.refusal) == (isChanged, nil))
        #expect(fixed.difference.isEmpty == !isChanged)
        #expect(String(decoding: fixed.file.bytes, as: UTF8.self) == #"{"webcredentials": {"apps": []}}"#)
    }

    @Test(arguments: [([0x7B, 0xFF, 0x7D], "not UTF-8"), ([0x7B, 0x00, 0x7D], "zero bytes")] as [([UInt8], String)])
    func `leaves a file that is no text to a person`(bytes: [UInt8], reason: String) {
        let fixed = Self.fixed(bytes)
        #expect(fixed.refusal?.contains(reason) == true)
        #expect(!fixed.isChanged)
    }
}
