// The kind of a file is detected from its content.

import Association
import AssociationLint
import AssociationSamples
import Testing

@Suite struct DocumentKindTests {
    @Test(arguments: [
        ("{\"applinks\": {}}", DocumentKind.appleAssociation),
        ("{\"webcredentials\": {\"apps\": []}}", .appleAssociation),
        ("{\"applink\": {}}", .appleAssociation), ("{\"details\": []}", .appleAssociation),
        ("{\"applinks\": {\"details\": [", .appleAssociation), ("{applinks: {},}", .appleAssociation),
        ("[]", .statementList), ("{\"relation\": [], \"target\": {}}", .statementList),
        ("[{\"relation\": [\"delegate_permission/", .statementList),
        ("{ name: 'Shop', hosts: ['shop.example.com'] }", .appFile), ("{\"ios\": {}, \"android\": {}}", .appFile),
        ("{}", .unknown), ("", .unknown), ("42", .unknown), ("<html>", .unknown),
    ])
    func `recognises a file by its content`(text: String, kind: DocumentKind) {
        #expect(Linter.recognise(Array(text.utf8)) == kind)
    }

    @Test func `recognises a signed file with each encoding of its length`() {
        let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        for length: [UInt8] in [[0x20], [0x81, 0xF0], [0x82, 0x0D, 0xAD], [0x80]] {
            #expect(Linter.recognise([0x30] + length + identifier) == .signedAppleAssociation)
        }
        #expect(Linter.recognise([0x30, 0x82]) != .signedAppleAssociation)
        #expect(Linter.recognise([0x30, 0xFF] + identifier) != .signedAppleAssociation)
    }

    @Test func `lints a file by its kind`() {
        #expect(Linter.lint(Array("{\"applinks\": 1}".utf8), file: "f")?.rules == [RuleID.aasa010])
        #expect(Linter.lint(Array("[]".utf8), file: "f")?.rules == [.dal003])
        #expect(
            Linter.lint(Array("{ name: 1, hosts: 2 }".utf8), file: "f")?.allSatisfy { $0.rule.family == .appFile }
                == true)
        #expect(Linter.lint(Array("42".utf8), file: "f") == nil)
    }
}
