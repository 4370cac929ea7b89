// The words of the change journal for two versions of a file.

import Association
import Testing

@Suite("DocumentChange") struct DocumentChangeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let before: String
        let after: String
        let words: [String]
        var testDescription: String { words.joined(separator: ", ") }
    }

    static let rows = [
        Row(before: apple(["/a"]), after: apple(["/a"]), words: []),
        Row(before: apple(["/a"]), after: apple(["/a", "/b/*"]), words: ["added rule /b/*"]),
        Row(before: apple(["/a", "/b"]), after: apple(["/b"]), words: ["removed rule /a"]),
        Row(
            before: apple(["/a", "/b"]), after: apple(["/b", "/a"]),
            words: ["the same entries in another order or form"]),
        Row(
            before: apple(["/a"]), after: apple(["/a"], id: "ABCDE12345.com.example.other"),
            words: ["added app id ABCDE12345.com.example.other", "removed app id ABCDE12345.com.example.shop"]),
        Row(
            before: #"{"applinks":{"details":[{"appID":"A.b","paths":["/x"]}]}}"#,
            after: #"{"applinks":{"details":[{"appID":"A.b","paths":["NOT /x"]}]}}"#,
            words: ["added path NOT /x", "removed path /x"]),
        Row(
            before: #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/x"}]}]}}"#,
            after: #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/x","exclude":true}]}]}}"#,
            words: ["added rule NOT /x", "removed rule /x"]),
        Row(
            before: #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/x"}]}]}}"#,
            after: #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/x","?":{"q":"1"}}]}]}}"#,
            words: [#"added rule {"/":"/x","?":{"q":"1"}}"#, "removed rule /x"]),
        Row(
            before: #"{"webcredentials":{"apps":["A.b"]}}"#, after: #"{"webcredentials":{"apps":["A.b","A.c"]}}"#,
            words: ["added webcredentials for A.c"]),
        Row(
            before: android(["AA:BB"]), after: android(["CC:DD"]),
            words: ["added fingerprint CC:DD of com.example.shop", "removed fingerprint AA:BB of com.example.shop"]),
        Row(before: "0\u{1}signed", after: apple(["/a"]), words: ["other content"]),
        Row(
            before: apple([]), after: apple((1...10).map { "/\($0)" }),
            words: (1...8).map { "added rule /\($0)" } + ["2 more"]),
    ]

    @Test("says what was added and removed", arguments: rows)
    func words(_ row: Row) {
        #expect(DocumentChange.words(from: Array(row.before.utf8), to: Array(row.after.utf8)) == row.words)
    }

    private static func apple(_ paths: [String], id: String = "ABCDE12345.com.example.shop") -> String {
        let rules = paths.map { #"{"/":"\#($0)"}"# }.joined(separator: ",")
        return #"{"applinks":{"details":[{"appIDs":["\#(id)"],"components":[\#(rules)]}]}}"#
    }

    private static func android(_ fingerprints: [String]) -> String {
        let list = fingerprints.map { #""\#($0)""# }.joined(separator: ",")
        return """
            [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",\
            "package_name":"com.example.shop","sha256_cert_fingerprints":[\(list)]}}]
            """
    }
}
