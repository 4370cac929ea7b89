// The JSON Schema of app files.

import AssociationSamples
import Foundation
import SourceJSON
import TestSupport
import Testing

@testable import Association

struct AppFileSchemaTests {
    @Test(arguments: [
        (
            #"android: { package: "a.b", fingerprints: ["30:EF", { sha256: "30:EF", note: "Play" }, { sha256: "30" }] }"#,
            true
        ),
        (#"android: { package: "a.b", fingerprints: [{ note: "Play" }] }"#, false),
        (#"retired: { fingerprints: [{ sha256: "30:EF", note: 7 }] }"#, false),
        (#"ios: { appIDs: ["9JA89QQLNQ.a.b"] }"#, true), ("ios: {}", false), ("ios: null", false), ("other: 1", false),
        ("environments: { staging: { android: null } }", true), ("environments: { staging: { ios: {} } }", true),
        ("environments: { staging: { ios: { storeID: null, variables: { v: null } } } }", true),
        ("environments: { staging: { examples: { \"https://a.b/\": null } } }", true),
        ("environments: { staging: { links: [{ \"/\": null }] } }", false),
        ("environments: { staging: { ios: { appIds: [] } } }", false), ("environments: { staging: null }", false),
        ("priority: 1000001", false), ("cacheControl: -1", false), ("cacheControl: 31536000", true),
        ("scheme: \"Shop\"", false), ("hosts: [\"https://a.b\"]", false),
    ])
    func `the schema accepts what the reader accepts`(members: String, isAccepted: Bool) throws {
        let text = "{ name: \"A\", hosts: [\"a.b\"], \(members) }"
        let value = try #require(SourceReader.read(Array(text.utf8), as: .json5).value)
        #expect(SchemaCheck.accepts(AppFileSchema.value, value) == isAccepted)
    }

    @Test func `an app file may refer to the schema, and nothing of that is served`() throws {
        let plain = try AppFileSample.app(AppFileSample.text())
        let reading = AppFileSample.read(AppFileSample.text(more: #""$schema": "../app.schema.json""#))
        #expect(reading.findings.isEmpty)
        let documents = [plain, try #require(reading.appFile)].map { Renderer.documents(for: [$0]) }
        #expect(documents[0].appleBytes == documents[1].appleBytes)
        #expect(documents[0].statementBytes == documents[1].statementBytes)
    }

    /// script/check-schema --update writes it.
    @Test func `the copy for SchemaStore is the same`() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
        let file = root.appendingPathComponent("deploy/schemastore/src/schemas/json/associated-app.json")
        let copy = SourceReader.read(Array(try Data(contentsOf: file)), as: .json).value
        let members = (copy?.asObject ?? []).filter { $0.key != "$id" }.map { ($0.key, $0.value) }
        let isSame = SourceWriter.minified(.object(members)) == SourceWriter.minified(AppFileSchema.value)
        #expect(isSame, "run script/check-schema --update")
    }
}
