// Examples for assetlinks.json.

import Association

extension LintExample {
    private static func list(_ rule: String, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .statementList, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    private static let plain = "[" + statement() + "]"
    private static let shared = "delegate_permission/common.get_login_creds"

    static let statements: [LintExample] = [
        list("DAL-001", "[\(statement()),]", marks: ",", good: plain),
        list("DAL-002", statement(), marks: statement(), good: plain),
        list("DAL-003", "[]", marks: "[]", good: plain),
        list("DAL-004", "[{}]", marks: "{}", good: plain),
        list(
            "DAL-005", "[{\"relation\": \"\(handle)\", \"target\": \(target())}]", marks: "\"\(handle)\"", good: plain),
        list(
            "DAL-006", "[\(statement(relation: "delegate_permission/*"))]", marks: "\"delegate_permission/*\"",
            good: plain,
            "[\(statement(relation: "navigate/yellow_brick.road2"))]"),
        list(
            "DAL-007", "[\(statement(relation: handle.dropLast(1) + ""))]", marks: "\"\(handle.dropLast(1))\"",
            good: plain),
        list(
            "DAL-008", "[\(statement(target: "{\"namespace\": \"android\"}"))]", marks: "\"android\"", good: plain,
            web("https://example.com")),
        list("DAL-009", "[\(statement(target: target("acme")))]", marks: "\"acme\"", good: plain),
        list(
            "DAL-010", "[\(statement(target: target("com.acme.shop", print.lowercased())))]",
            marks: "\"\(print.lowercased())\"",
            good: plain),
        list(
            "DAL-011", "[\(statement(target: target("com.acme.shop", String(print.prefix(59)))))]",
            marks: "\"\(print.prefix(59))\"", good: plain),
        list(
            "DAL-012",
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"android_app\", "
                + "\"package_name\": \"com.acme.shop\", \"sha256_cert_fingerprints\": []}}]", marks: "[]", good: plain),
        list("DAL-013", "[\(statement(target: target("com.example.app")))]", marks: "\"com.example.app\"", good: plain),
        list(
            "DAL-014", plain, marks: "\"\(print)\"",
            good: plain.replacing("\"\(print)\"", with: "\"\(print)\", \"\(print.replacing("5B", with: "5C"))\""),
            "[\(statement(relation: shared))]"),
        list(
            "DAL-015",
            "[\(statement(target: target("com.acme.shop", "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC")))]",
            marks:
                "\"A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC\"",
            good: plain),
        list(
            "DAL-016", web("https://example.com/"), marks: "\"https://example.com/\"", good: web("https://example.com"),
            web("HTTPS://example.com."), web("https://example.com:8443")),
        list(
            "DAL-017", web("https://example.com/app.webmanifest", relation: "delegate_permission/common.query_webapk"),
            marks: "\"https://example.com/app.webmanifest\"",
            good: web("https://example.com", relation: "delegate_permission/common.query_webapk"),
            web("https://example.com/app.webmanifest")),
        list(
            "DAL-018", web("https://example.com:443"), marks: "\"https://example.com:443\"",
            good: web("https://example.com:80"),
            web("https://example.com")),
        list("DAL-019", web("http://example.com"), marks: "\"http://example.com\"", good: web("https://example.com")),
        list(
            "DAL-020", "[\(statement(relation: shared))]", marks: "\"\(shared)\"",
            good: "[\(statement(relation: handle + "\", \"" + shared))]", plain, web("https://example.com")),
        list(
            "DAL-021", "[{\"include\": \"https://example.com/x.json\", \"relation\": []}]", marks: "\"relation\"",
            good: "[{\"include\": \"https://example.com/x.json\", \"note\": 1}]"),
        list(
            "DAL-022", "[{\"include\": \"http://example.com/x.json\"}]", marks: "\"http://example.com/x.json\"",
            good: "[{\"include\": \"https://example.com/x.json\"}]"),
        list(
            "DAL-023", "[{\"include\": \"https://example.com/x.json\"}]", marks: "\"https://example.com/x.json\"",
            good: plain),
        list(
            "DAL-024", "[{\"include\": \"https://Example.org/.well-known/assetlinks.json\"}]",
            marks: "\"https://Example.org/.well-known/assetlinks.json\"",
            good: "[{\"include\": \"https://example.net/.well-known/assetlinks.json\"}]"),
        list(
            "DAL-025", "[\(statement()), \(statement(more: ", \"note\": 2"))]", marks: statement(more: ", \"note\": 2"),
            good: "[\(statement()), \(statement(target: target("com.acme.bank")))]",
            "[\(statement()), \(statement(relation: shared))]"),
        list(
            "DAL-041", "[{\"relations\": [\"\(handle)\"], \"target\": \(target())}]", marks: "\"relations\"",
            good: plain),
        list(
            "DAL-042", "[{\"relation\": [\"\(handle)\"], \"relation\": [\"\(handle)\"], \"target\": \(target())}]",
            marks: "\"relation\"", good: plain),
        list(
            "DAL-045", "[\(statement(more: ", \"note\": 1"))]", marks: "1",
            good: "[\(statement(more: ", \"note\": \"1\""))]", "[\(statement(more: ", \"note\": true"))]",
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"ios_app\", \"appid\": \"A.b\"}}]"),
        LintExample(
            "GHST-006", .statementList, bad: padded(plain, to: 262_145), marked: nil, good: [padded(plain, to: 262_144)]
        ),
        LintExample(
            "GHST-014", .statementList, bad: [0xEF, 0xBB, 0xBF] + Array(plain.utf8), marked: "",
            good: [Array(plain.utf8)]),
    ]

    static let dynamicRules: [LintExample] = [
        list(
            "DAL-032", rules("{\"/\": \"/a*\"}, {\"/\": \"/ab\", \"exclude\": true}"),
            marks: "{\"/\": \"/ab\", \"exclude\": true}",
            good: rules("{\"/\": \"/ab\", \"exclude\": true}, {\"/\": \"/a*\"}"),
            rules("{\"/\": \"/a/*\"}, {\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        list(
            "DAL-026",
            "[\(ruled("{\"/\": \"/a\"}")), \(ruled("{\"/\": \"/b\"}"))]", marks: ruled("{\"/\": \"/b\"}"),
            good: "[\(ruled("{\"/\": \"/a\"}"))]"),
        list(
            "DAL-027", rules("{\"/\": \"*\"}", key: shared), marks: "\"\(shared)\"", good: rules("{\"/\": \"*\"}")),
        list("DAL-028", rules("{\"/\": \"\"}"), marks: "\"\"", good: rules("{\"/\": \"*\"}")),
        list("DAL-029", rules("{\"?\": \"a=1\"}"), marks: "\"a=1\"", good: rules("{\"?\": {\"a\": \"1\"}}")),
        list("DAL-030", rules("{\"exclude\": false}"), marks: "{\"exclude\": false}", good: rules("{\"/\": \"*\"}")),
        list(
            "DAL-031", rules("{\"/\": \"/a\", \"exclude\": true}"), marks: "{\"/\": \"/a\", \"exclude\": true}",
            good: rules("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        list(
            "DAL-033", rules("{\"/\": \"/a/*\"}"), marks: "{\"/\": \"/a/*\"}",
            good: rules("{\"/\": \"/a/*\"}, {\"/\": \"/a\"}"),
            rules("{\"/\": \"/*\"}"), rules("{\"/\": \"/a/*\"}, {\"/\": \"*\"}")),
        list(
            "DAL-034", rules("{\"/\": \"/shoes\"}"), marks: "{\"/\": \"/shoes\"}",
            good: rules("{\"/\": \"/shoes\"}, {\"/\": \"/shoes/\"}"), rules("{\"/\": \"/a.html\"}"),
            rules("{\"/\": \"/\"}")),
        list(
            "DAL-035", rules("{\"/\": \"*bar\"}"), marks: "\"*bar\"", good: rules("{\"/\": \"/bar*\"}"),
            // One character before a star is found where it first stands, and a later place would be no better.
            rules("{\"/\": \"/a*-*\"}"), rules("{\"/\": \"/a/*/*\"}"), rules("{\"/\": \"/a*b?*\"}")),
        list("DAL-036", rules("{\"/\": \"/a*?\"}"), marks: "\"/a*?\"", good: rules("{\"/\": \"/a?*\"}")),
        list(
            "DAL-037", rules("{\"/\": \"/a%20b\"}"), marks: "\"/a%20b\"",
            good: rules("{\"/\": \"/a b\"}, {\"/\": \"/100%\"}")),
        list(
            "DAL-038", rules("{\"/\": \"/a\", \"#\": \"*\"}"), marks: "{\"/\": \"/a\", \"#\": \"*\"}",
            good: rules("{\"/\": \"/a\"}"), rules("{\"?\": {\"dl\": \"*\"}}")),
        list(
            "DAL-039", rules("{\"/\": \"/a\", \"caseSensitive\": false}"), marks: "\"caseSensitive\"",
            good: rules("{\"/\": \"/a\", \"comments\": \"x\"}")),
        list("DAL-040", rules("{\"/\": \"*\"}"), marks: "{\"/\": \"*\"}", good: plain),
        list("DAL-043", rules("{\"/\": \"a/*\"}"), marks: "\"a/*\"", good: rules("{\"/\": \"/a/*\"}, {\"/\": \"*b\"}")),
        list("DAL-044", rules(numbered(201)), marks: "{\"/\": \"/200\"}", good: rules(numbered(200))),
    ]

    private static func ruled(_ rules: String) -> String { String(Self.rules(rules).dropFirst().dropLast()) }
}
