// Examples for the structure of apple-app-site-association files.

import Association
import AssociationLint
import AssociationSamples

extension LintExample {
    private static func apple(_ rule: RuleID, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .appleAssociation, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    private static let plain = path("/buy/*")

    static let appleStructure: [LintExample] = [
        apple(.aasa001, components("{\"/\": \"/a\"},"), marks: ",", good: plain),
        apple(.aasa002, "[\(plain)]", marks: "[\(plain)]", good: plain),
        LintExample(
            .aasa003, .appleAssociation, bad: Array(path("/caf").utf8).replacingLast("f", with: [0x66, 0xE9]),
            marked: "\u{FFFD}", good: [Array(plain.utf8)]),
        LintExample(
            .aasa004, .appleAssociation, bad: [0xEF, 0xBB, 0xBF] + Array(plain.utf8), marked: "",
            good: [Array(plain.utf8)]),
        LintExample(
            .aasa005, .appleAssociation, bad: padded(plain, to: 131_073), marked: nil,
            good: [padded(plain, to: 131_072)]),
        LintExample(
            .aasa006, .appleAssociation, bad: padded(plain, to: 102_401), marked: nil,
            good: [padded(plain, to: 102_400), padded(plain, to: 131_073)]),
        apple(
            .aasa007, component("\"/\": \"/a\", \"/\": \"/b\""), marks: "\"/\"",
            good: component("\"/\": \"/a\", \"#\": \"b\"")),
        apple(
            .aasa008, "{\"applink\": {}}", marks: "\"applink\"", good: plain, "{\"authsrv\": {\"apps\": []}}",
            "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
        apple(.aasa009, "{}", marks: "{}", good: plain, "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
        apple(.aasa010, links("\"apps\": []"), marks: "{\"apps\": []}", good: plain, links("\"details\": []")),
        apple(
            .aasa011, links("\"details\": {\"\(app)\": {\"paths\": [\"*\"]}}"),
            marks: "{\"\(app)\": {\"paths\": [\"*\"]}}", good: plain),
        apple(.aasa012, links("\"details\": \"x\""), marks: "\"x\"", good: plain),
        apple(
            .aasa013, details("{\"appID\": \"\(app)\", \"paths\": [\"*\"]}"),
            marks: "{\"appID\": \"\(app)\", \"paths\": [\"*\"]}", good: paths("\"*\""), plain),
        apple(
            .aasa014, links("\"apps\": [\"\(app)\"], \"details\": []"), marks: "[\"\(app)\"]",
            good: links("\"apps\": [], \"details\": []"), plain),
        apple(
            .aasa015, details("{\"components\": []}"), marks: "{\"components\": []}", good: plain, paths("\"*\"")),
        apple(
            .aasa016, details("{\"appIDs\": [], \"appID\": \"\(app)\", \"components\": [{\"/\": \"*\"}]}"),
            marks: "[]",
            good: plain),
        apple(
            .aasa017, details("{\"appIDs\": [\"\(app)\"], \"appID\": \"\(other)\"}"), marks: "\"\(other)\"",
            good: details("{\"appIDs\": [\"\(other)\", \"\(app)\"], \"appID\": \"\(app)\"}")),
        apple(
            .aasa018, details("{\"appIDs\": \"\(app)\", \"components\": [{\"/\": \"*\"}]}"), marks: "\"\(app)\"",
            good: plain),
        apple(
            .aasa019, details("{\"appIDs\": [\"com.acme.shop\"], \"paths\": [\"*\"]}"), marks: "\"com.acme.shop\"",
            good: plain),
        apple(
            .aasa020, "{\"webcredentials\": {\"apps\": [\"9ja89qqlnq.com.acme.shop\"]}}",
            marks: "\"9ja89qqlnq.com.acme.shop\"", good: plain),
        apple(
            .aasa021, "{\"webcredentials\": {\"apps\": [\"9JA89QQLNQ.com.acme.*\"]}}",
            marks: "\"9JA89QQLNQ.com.acme.*\"", good: plain),
        apple(
            .aasa022, "{\"webcredentials\": {\"apps\": [\"9JA89QQLNQ.com.example.app\"]}}",
            marks: "\"9JA89QQLNQ.com.example.app\"", good: plain),
        apple(
            .aasa023, details("{\"appIDs\": [\"\(app)\"]}, {\"appID\": \"\(app)\"}"), marks: "\"\(app)\"",
            good: details("{\"appIDs\": [\"\(app)\"]}, {\"appID\": \"\(other)\"}")),
        apple(
            .aasa024, "{\"webcredentials\": {\"apps\": [\"\(app)\", \"\(app)\"]}}", marks: "\"\(app)\"",
            good: "{\"webcredentials\": {\"apps\": [\"\(app)\", \"\(other)\"]}}"),
        apple(
            .aasa025, details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}"),
            marks: "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}", good: plain),
        apple(
            .aasa026, details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\"}], \"paths\": [\"/b/*\"]}"),
            marks: "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/*\"}], \"paths\": [\"/b/*\"]}",
            good: details(
                "{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}], "
                    + "\"paths\": [\"NOT /a/b\", \"/a/*\"]}")),
        apple(
            .aasa027, paths("\"*\""), marks: "{\"appID\": \"\(app)\", \"paths\": [\"*\"]}", good: plain,
            details("{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}], \"paths\": [\"*\"]}")),
        apple(.aasa028, components(""), marks: "[]", good: plain),
        apple(
            .aasa029, details("{\"appIDs\": [\"\(app)\"]}"), marks: "{\"appIDs\": [\"\(app)\"]}", good: plain,
            paths("\"*\"")),
        apple(
            .aasa030, component("\"comment\": \"all\""), marks: "{\"comment\": \"all\"}", good: plain,
            component("\"/\": \"*\""),
            links(
                "\"defaults\": {\"#\": \"x\"}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"exclude\": false}]}]"
            )),
        apple(.aasa031, components("\"/buy/*\""), marks: "\"/buy/*\"", good: plain),
        apple(.aasa032, component("\"/\": 5"), marks: "5", good: plain),
        apple(.aasa033, query("\"a\": 1"), marks: "1", good: query("\"a\": \"1\"")),
        apple(
            .aasa034, component("\"/\": \"/a\", \"?\": [\"a\"]"), marks: "[\"a\"]", good: query("\"a\": \"1\""),
            component("\"?\": \"a=*\"")),
        apple(
            .aasa035, component("\"/\": \"/a\", \"Exclude\": true"), marks: "\"Exclude\"",
            good: component("\"/\": \"/a\", \"exclude\": false, \"comment\": \"c\"")),
        apple(
            .aasa036, component("\"/\": \"/a\", \"exclude\": \"true\""), marks: "\"true\"",
            good: component("\"/\": \"/a\", \"exclude\": false")),
    ]
}

extension [UInt8] {
    /// With its last occurrence of an ASCII character replaced.
    func replacingLast(_ character: Unicode.Scalar, with bytes: [UInt8]) -> [UInt8] {
        guard let index = lastIndex(of: UInt8(ascii: character)) else { return self }
        return Array(self[..<index]) + bytes + Array(self[(index + 1)...])
    }
}
