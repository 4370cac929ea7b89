// Files that are not JSON, recognised by their first bytes.

import SourceJSON
import Testing

struct ForeignFormatTests {
    @Test(arguments: [
        ("<!doctype html>\n<p>", SourceProblemKind.html), ("\n  <!DOCTYPE HTML>", .html), ("<html lang=\"en\">", .html),
        ("<!-- a --><p>", .html), ("<br />\n<b>Warning</b>", .html), ("<?xml version=\"1.0\"?><a/>", .xml),
        ("<plist version=\"1.0\">", .xml), ("<Error><Code>AccessDenied</Code></Error>", .xml), ("<?php echo 1;", .xml),
        ("-----BEGIN PKCS7-----\nMIIB", .signedMessage), ("-----BEGIN CMS-----\n", .signedMessage),
        ("-----BEGIN CERTIFICATE-----\n", .pem), ("-----BEGIN PRIVATE KEY-----\n", .pem),
        ("MIME-Version: 1.0\nContent-Type: application/x-pkcs7-mime\n", .signedMessage),
        ("MIIJqAYJKoZIhvcNAQcCoIIJmTCCCZUCAQExDzANBglghkgBZQMEAgEFADCCA", .signedMessage),
        ("HTTP/1.1 200 OK\r\n\r\n{}", .httpResponse), ("Content-Type: application/json\n\n{}", .httpResponse),
    ])
    func `recognises a text that is not JSON`(text: String, kind: SourceProblemKind) {
        for dialect in SourceDialect.allCases {
            let document = read(text, as: dialect)
            #expect(document.problems.map(\.kind) == [kind])
            #expect(document.problems.first?.range.start.line == 1 || text.hasPrefix("\n"))
            #expect(document.value == nil)
        }
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00, 0x00], SourceProblemKind.compressed),
            ([0x28, 0xB5, 0x2F, 0xFD, 0x00], .compressed), ([0x50, 0x4B, 0x03, 0x04, 0x14], .compressed),
            // A sequence that begins with the identifier of CMS, cut short; one as long as it says; one of unknown length.
            (
                [0x30, 0x82, 0x0D, 0xAD, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02],
                .signedMessage
            ),
            ([0x30, 0x81, 0x02, 0x05, 0x00], .signedMessage),
            (
                [0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0x00, 0x00],
                .signedMessage
            ),
        ] as [([UInt8], SourceProblemKind)])
    func `recognises bytes that are not text`(bytes: [UInt8], kind: SourceProblemKind) {
        let document = SourceReader.read(bytes, as: .json)
        #expect(document.problems.map(\.kind) == [kind])
        #expect(document.text.isEmpty)
    }

    @Test func `does not take JSON for another format`() {
        for text in ["0", "30", "\"<html>\"", "[\"MIIJ\"]", "{\"HTTP/1.1\":1}", "-1"] {
            #expect(read(text).isAcceptable)
        }
        // A zero and a byte that is not UTF-8, but not a sequence either.
        #expect(SourceReader.read([0x30, 0x82, 0x01], as: .json).problems.first?.kind != .signedMessage)
        #expect(!SourceReader.read([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], as: .json).isAcceptable)
    }
}
