// Examples for assetlinks.json.

import Association
import AssociationLint
import AssociationSamples

extension LintExample {
    private static func list(_ rule: RuleID, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .statementList, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    private static let plain = "[" + statement() + "]"
    private static let shared = "delegate_permission/common.get_login_creds"

    static let statements: [LintExample] = [
        list(.dal001, "[\(statement()),]", marks: ",", good: plain),
        list(.dal002, statement(), marks: statement(), good: plain), list(.dal003, "[]", marks: "[]", good: plain),
        list(.dal004, "[{}]", marks: "{}", good: plain),
        list(.dal005, "[{\"relation\": \"\(handle)\", \"target\": \(target())}]", marks: "\"\(handle)\"", good: plain),
        list(
            .dal006, "[\(statement(relation: "delegate_permission/*"))]", marks: "\"delegate_permission/*\"",
            good: plain, "[\(statement(relation: "navigate/yellow_brick.road2"))]"),
        list(
            .dal007, "[\(statement(relation: handle.dropLast(1) + ""))]", marks: "\"\(handle.dropLast(1))\"",
            good: plain),
        list(
            .dal008, "[\(statement(target: "{\"namespace\": \"android\"}"))]", marks: "\"android\"", good: plain,
            web("https://example.com")),
        list(.dal009, "[\(statement(target: target("acme")))]", marks: "\"acme\"", good: plain),
        list(
            .dal010, "[\(statement(target: target("com.acme.shop", print.lowercased())))]",
            marks: "\"\(print.lowercased())\"", good: plain),
        list(
            .dal011, "[\(statement(target: target("com.acme.shop", String(print.prefix(59)))))]",
            marks: "\"\(print.prefix(59))\"", good: plain),
        list(
            .dal012,
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"android_app\", "
                + "\"package_name\": \"com.acme.shop\", \"sha256_cert_fingerprints\": []}}]", marks: "[]", good: plain),
        list(.dal013, "[\(statement(target: target("com.example.app")))]", marks: "\"com.example.app\"", good: plain),
        list(
            .dal014, plain, marks: "\"\(print)\"",
            good: plain.replacing("\"\(print)\"", with: "\"\(print)\", \"\(print.replacing("5B", with: "5C"))\""),
            "[\(statement(relation: shared))]"),
        list(
            .dal015,
            "[\(statement(target: target("com.acme.shop", "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC")))]",
            marks:
                "\"A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC\"",
            good: plain),
        list(
            .dal016, web("https://example.com/"), marks: "\"https://example.com/\"", good: web("https://example.com"),
            web("HTTPS://example.com."), web("https://example.com:8443")),
        list(
            .dal017, web("https://example.com/app.webmanifest", relation: "delegate_permission/common.query_webapk"),
            marks: "\"https://example.com/app.webmanifest\"",
            good: web("https://example.com", relation: "delegate_permission/common.query_webapk"),
            web("https://example.com/app.webmanifest")),
        list(
            .dal018, web("https://example.com:443"), marks: "\"https://example.com:443\"",
            good: web("https://example.com:80"), web("https://example.com")),
        list(.dal019, web("http://example.com"), marks: "\"http://example.com\"", good: web("https://example.com")),
        list(
            .dal020, "[\(statement(relation: shared))]", marks: "\"\(shared)\"",
            good: "[\(statement(relation: handle + "\", \"" + shared))]", plain, web("https://example.com")),
        list(
            .dal021, "[{\"include\": \"https://example.com/x.json\", \"relation\": []}]", marks: "\"relation\"",
            good: "[{\"include\": \"https://example.com/x.json\", \"note\": 1}]"),
        list(
            .dal022, "[{\"include\": \"http://example.com/x.json\"}]", marks: "\"http://example.com/x.json\"",
            good: "[{\"include\": \"https://example.com/x.json\"}]"),
        list(
            .dal023, "[{\"include\": \"https://example.com/x.json\"}]", marks: "\"https://example.com/x.json\"",
            good: plain),
        list(
            .dal024, "[{\"include\": \"https://Example.org/.well-known/assetlinks.json\"}]",
            marks: "\"https://Example.org/.well-known/assetlinks.json\"",
            good: "[{\"include\": \"https://example.net/.well-known/assetlinks.json\"}]"),
        list(
            .dal025, "[\(statement()), \(statement(more: ", \"note\": 2"))]", marks: statement(more: ", \"note\": 2"),
            good: "[\(statement()), \(statement(target: target("com.acme.bank")))]",
            "[\(statement()), \(statement(relation: shared))]"),
        list(
            .dal041, "[{\"relations\": [\"\(handle)\"], \"target\": \(target())}]", marks: "\"relations\"",
            good: plain),
        list(
            .dal042, "[{\"relation\": [\"\(handle)\"], \"relation\": [\"\(handle)\"], \"target\": \(target())}]",
            marks: "\"relation\"", good: plain),
        list(
            .dal045, "[\(statement(more: ", \"note\": 1"))]", marks: "1",
            good: "[\(statement(more: ", \"note\": \"1\""))]", "[\(statement(more: ", \"note\": true"))]",
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"ios_app\", \"appid\": \"A.b\"}}]"),
        LintExample(
            .ghst006, .statementList, bad: padded(plain, to: 262_145), marked: nil, good: [padded(plain, to: 262_144)]
        ),
        LintExample(
            .ghst014, .statementList, bad: [0xEF, 0xBB, 0xBF] + Array(plain.utf8), marked: "",
            good: [Array(plain.utf8)]),
    ]

    static let dynamicRules: [LintExample] = [
        list(
            .dal032, rules("{\"/\": \"/a*\"}, {\"/\": \"/ab\", \"exclude\": true}"),
            marks: "{\"/\": \"/ab\", \"exclude\": true}",
            good: rules("{\"/\": \"/ab\", \"exclude\": true}, {\"/\": \"/a*\"}"),
            rules("{\"/\": \"/a/*\"}, {\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        list(
            .dal026, "[\(ruled("{\"/\": \"/a\"}")), \(ruled("{\"/\": \"/b\"}"))]", marks: ruled("{\"/\": \"/b\"}"),
            good: "[\(ruled("{\"/\": \"/a\"}"))]"),
        list(.dal027, rules("{\"/\": \"*\"}", key: shared), marks: "\"\(shared)\"", good: rules("{\"/\": \"*\"}")),
        list(.dal028, rules("{\"/\": \"\"}"), marks: "\"\"", good: rules("{\"/\": \"*\"}")),
        list(.dal029, rules("{\"?\": \"a=1\"}"), marks: "\"a=1\"", good: rules("{\"?\": {\"a\": \"1\"}}")),
        list(.dal030, rules("{\"exclude\": false}"), marks: "{\"exclude\": false}", good: rules("{\"/\": \"*\"}")),
        list(
            .dal031, rules("{\"/\": \"/a\", \"exclude\": true}"), marks: "{\"/\": \"/a\", \"exclude\": true}",
            good: rules("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        list(
            .dal033, rules("{\"/\": \"/a/*\"}"), marks: "{\"/\": \"/a/*\"}",
            good: rules("{\"/\": \"/a/*\"}, {\"/\": \"/a\"}"),
            rules("{\"/\": \"/*\"}"), rules("{\"/\": \"/a/*\"}, {\"/\": \"*\"}")),
        list(
            .dal034, rules("{\"/\": \"/shoes\"}"), marks: "{\"/\": \"/shoes\"}",
            good: rules("{\"/\": \"/shoes\"}, {\"/\": \"/shoes/\"}"), rules("{\"/\": \"/a.html\"}"),
            rules("{\"/\": \"/\"}")),
        list(
            .dal035, rules("{\"/\": \"*bar\"}"), marks: "\"*bar\"", good: rules("{\"/\": \"/bar*\"}"),
            // A single character before the next star needs no backtracking.
            rules("{\"/\": \"/a*-*\"}"), rules("{\"/\": \"/a/*/*\"}"), rules("{\"/\": \"/a*b?*\"}")),
        list(.dal036, rules("{\"/\": \"/a*?\"}"), marks: "\"/a*?\"", good: rules("{\"/\": \"/a?*\"}")),
        list(
            .dal037, rules("{\"/\": \"/a%20b\"}"), marks: "\"/a%20b\"",
            good: rules("{\"/\": \"/a b\"}, {\"/\": \"/100%\"}")),
        list(
            .dal038, rules("{\"/\": \"/a\", \"#\": \"*\"}"), marks: "{\"/\": \"/a\", \"#\": \"*\"}",
            good: rules("{\"/\": \"/a\"}"), rules("{\"?\": {\"dl\": \"*\"}}")),
        list(
            .dal039, rules("{\"/\": \"/a\", \"caseSensitive\": false}"), marks: "\"caseSensitive\"",
            good: rules("{\"/\": \"/a\", \"comments\": \"x\"}")),
        list(.dal040, rules("{\"/\": \"*\"}"), marks: "{\"/\": \"*\"}", good: plain),
        list(.dal043, rules("{\"/\": \"a/*\"}"), marks: "\"a/*\"", good: rules("{\"/\": \"/a/*\"}, {\"/\": \"*b\"}")),
        list(
            .dal046, "[\(statement(more: ", \"include\": {\"paths\": [\"/a\"]}"))]", marks: "\"include\"",
            good: rules("{\"/\": \"/a\"}")),
        list(.dal044, rules(numbered(201)), marks: "{\"/\": \"/200\"}", good: rules(numbered(200))),
    ]

    private static func ruled(_ rules: String) -> String { String(Self.rules(rules).dropFirst().dropLast()) }
}
