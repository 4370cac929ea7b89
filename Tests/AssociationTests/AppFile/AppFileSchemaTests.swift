// The JSON Schema of app files knows the keys that the reader knows.

import SourceJSON
import Testing

@testable import Association

struct AppFileSchemaTests {
    @Test(arguments: [
        (AppFileSchema.rootProperties.map(\.0), AppFileReader.rootKeys),
        (AppFileSchema.appProperties.map(\.0), AppFileReader.overlayKeys),
        (AppFileSchema.iosProperties.map(\.0), AppFileReader.iosKeys),
        (AppFileSchema.androidProperties.map(\.0), AppFileReader.androidKeys),
        (AppFileSchema.linkProperties.map(\.0), AppFileReader.linkKeys),
        (AppFileSchema.pageProperties.map(\.0), AppFileReader.pageKeys),
        (AppFileSchema.retiredProperties.map(\.0), AppFileReader.retiredKeys),
    ])
    func `each part has the keys of the reader`(schema: [String], reader: [String]) {
        #expect(schema.sorted() == reader.sorted())
    }

    @Test func `an app file may name the schema`() {
        let text =
            #"{ "$schema": "../app.schema.json", name: "A", hosts: ["a.acme-widgets.com"], ios: "#
            + #"{ appIDs: ["9JA89QQLNQ.a.b"] }, links: [{ "/": "/a" }] }"#
        #expect(AppFile.lint(Array(text.utf8), file: "a.json").filter { $0.severity != .note }.isEmpty)
    }
}
