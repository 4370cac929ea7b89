// Examples for the structure of apple-app-site-association files.

import Association

extension LintExample {
    private static func apple(_ rule: String, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .appleAssociation, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    private static let plain = path("/buy/*")

    static let appleStructure: [LintExample] = [
        apple("AASA-001", components("{\"/\": \"/a\"},"), marks: ",", good: plain),
        apple("AASA-002", "[\(plain)]", marks: "[\(plain)]", good: plain),
        LintExample(
            "AASA-003", .appleAssociation, bad: Array(path("/caf").utf8).replacingLast("f", with: [0x66, 0xE9]),
            marked: "\u{FFFD}", good: [Array(plain.utf8)]),
        LintExample(
            "AASA-004", .appleAssociation, bad: [0xEF, 0xBB, 0xBF] + Array(plain.utf8), marked: "",
            good: [Array(plain.utf8)]),
        LintExample(
            "AASA-005", .appleAssociation, bad: padded(plain, to: 131_073), marked: nil,
            good: [padded(plain, to: 131_072)]),
        LintExample(
            "AASA-006", .appleAssociation, bad: padded(plain, to: 102_401), marked: nil,
            good: [padded(plain, to: 102_400), padded(plain, to: 131_073)]),
        apple(
            "AASA-007", component("\"/\": \"/a\", \"/\": \"/b\""), marks: "\"/\"",
            good: component("\"/\": \"/a\", \"#\": \"b\"")),
        apple(
            "AASA-008", "{\"applink\": {}}", marks: "\"applink\"", good: plain, "{\"authsrv\": {\"apps\": []}}",
            "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
        apple("AASA-009", "{}", marks: "{}", good: plain, "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
        apple(
            "AASA-010", links("\"apps\": []"), marks: "{\"apps\": []}", good: plain, links("\"details\": []")),
        apple(
            "AASA-011", links("\"details\": {\"\(app)\": {\"paths\": [\"*\"]}}"),
            marks: "{\"\(app)\": {\"paths\": [\"*\"]}}", good: plain),
        apple("AASA-012", links("\"details\": \"x\""), marks: "\"x\"", good: plain),
        apple(
            "AASA-013", details("{\"appID\": \"\(app)\", \"paths\": [\"*\"]}"),
            marks: "{\"appID\": \"\(app)\", \"paths\": [\"*\"]}", good: paths("\"*\""), plain),
        apple(
            "AASA-014", links("\"apps\": [\"\(app)\"], \"details\": []"), marks: "[\"\(app)\"]",
            good: links("\"apps\": [], \"details\": []"), plain),
        apple(
            "AASA-015", details("{\"components\": []}"), marks: "{\"components\": []}", good: plain, paths("\"*\"")),
        apple(
            "AASA-016", details("{\"appIDs\": [], \"appID\": \"\(app)\", \"components\": [{\"/\": \"*\"}]}"),
            marks: "[]",
            good: plain),
        apple(
            "AASA-017", details("{\"appIDs\": [\"\(app)\"], \"appID\": \"\(other)\"}"), marks: "\"\(other)\"",
            good: details("{\"appIDs\": [\"\(other)\", \"\(app)\"], \"appID\": \"\(app)\"}")),
        apple(
            "AASA-018", details("{\"appIDs\": \"\(app)\", \"components\": [{\"/\": \"*\"}]}"), marks: "\"\(app)\"",
            good: plain),
        apple(
            "AASA-019", details("{\"appIDs\": [\"com.acme.shop\"], \"paths\": [\"*\"]}"), marks: "\"com.acme.shop\"",
            good: plain),
        apple(
            "AASA-020", "{\"webcredentials\": {\"apps\": [\"9ja89qqlnq.com.acme.shop\"]}}",
            marks: "\"9ja89qqlnq.com.acme.shop\"", good: plain),
        apple(
            "AASA-021", "{\"webcredentials\": {\"apps\": [\"9JA89QQLNQ.com.acme.*\"]}}",
            marks: "\"9JA89QQLNQ.com.acme.*\"",
            good: plain),
        apple(
            "AASA-022", "{\"webcredentials\": {\"apps\": [\"9JA89QQLNQ.com.example.app\"]}}",
            marks: "\"9JA89QQLNQ.com.example.app\"", good: plain),
        apple(
            "AASA-023", details("{\"appIDs\": [\"\(app)\"]}, {\"appID\": \"\(app)\"}"), marks: "\"\(app)\"",
            good: details("{\"appIDs\": [\"\(app)\"]}, {\"appID\": \"\(other)\"}")),
        apple(
            "AASA-024", "{\"webcredentials\": {\"apps\": [\"\(app)\", \"\(app)\"]}}", marks: "\"\(app)\"",
            good: "{\"webcredentials\": {\"apps\": [\"\(app)\", \"\(other)\"]}}"),
        apple(
            "AASA-025", details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}"),
            marks: "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}", good: plain),
        apple(
            "AASA-026",
            details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\"}], \"paths\": [\"/b/*\"]}"),
            marks: "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\"}], \"paths\": [\"/b/*\"]}",
            good: details(
                "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}], "
                    + "\"paths\": [\"NOT /a/b\", \"/a/*\"]}")),
        apple(
            "AASA-027", paths("\"*\""), marks: "{\"appID\": \"\(app)\", \"paths\": [\"*\"]}", good: plain,
            details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}")),
        apple("AASA-028", components(""), marks: "[]", good: plain),
        apple(
            "AASA-029", details("{\"appIDs\": [\"\(app)\"]}"), marks: "{\"appIDs\": [\"\(app)\"]}", good: plain,
            paths("\"*\"")),
        apple(
            "AASA-030", component("\"comment\": \"all\""), marks: "{\"comment\": \"all\"}", good: plain,
            component("\"/\": \"*\""),
            links(
                "\"defaults\": {\"#\": \"x\"}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"exclude\": false}]}]"
            )),
        apple("AASA-031", components("\"/buy/*\""), marks: "\"/buy/*\"", good: plain),
        apple("AASA-032", component("\"/\": 5"), marks: "5", good: plain),
        apple("AASA-033", query("\"a\": 1"), marks: "1", good: query("\"a\": \"1\"")),
        apple(
            "AASA-034", component("\"/\": \"/a\", \"?\": [\"a\"]"), marks: "[\"a\"]", good: query("\"a\": \"1\""),
            component("\"?\": \"a=*\"")),
        apple(
            "AASA-035", component("\"/\": \"/a\", \"Exclude\": true"), marks: "\"Exclude\"",
            good: component("\"/\": \"/a\", \"exclude\": false, \"comment\": \"c\"")),
        apple(
            "AASA-036", component("\"/\": \"/a\", \"exclude\": \"true\""), marks: "\"true\"",
            good: component("\"/\": \"/a\", \"exclude\": false")),
    ]

    /// The text with blanks behind it.
    static func padded(_ text: String, to count: Int) -> [UInt8] {
        Array(text.utf8) + Array(repeating: 0x20, count: count - text.utf8.count)
    }
}

extension [UInt8] {
    /// With its last occurrence of an ASCII character replaced.
    func replacingLast(_ character: Unicode.Scalar, with bytes: [UInt8]) -> [UInt8] {
        guard let index = lastIndex(of: UInt8(ascii: character)) else { return self }
        return Array(self[..<index]) + bytes + Array(self[(index + 1)...])
    }
}
