// Examples for what apple-app-site-association files match, and for the services beside applinks.

import Association

extension LintExample {
    private static func apple(_ rule: String, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .appleAssociation, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    /// A pattern under `/`, marked as a whole.
    private static func inPath(_ rule: String, _ bad: String, good: String...) -> LintExample {
        LintExample(
            rule, .appleAssociation, bad: Array(path(bad).utf8), marked: "\"\(bad)\"",
            good: good.map { Array(path($0).utf8) })
    }

    static let applePatterns: [LintExample] = [
        apple(
            "AASA-037", components("{\"/\": \"/a/*\"}, {\"/\": \"/a/b\", \"exclude\": true}"),
            marks: "{\"/\": \"/a/b\", \"exclude\": true}",
            good: components("{\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}"),
            components(
                "{\"/\": \"/a/*\", \"?\": {\"x\": \"?*\"}}, {\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}")),
        apple(
            "AASA-072", paths("\"/a/*\", \"NOT /a/b\""), marks: "\"NOT /a/b\"", good: paths("\"NOT /a/b\", \"/a/*\"")),
        apple(
            "AASA-038", components("{\"/\": \"*\", \"exclude\": true}, {\"/\": \"/a\"}"),
            marks: "{\"/\": \"*\", \"exclude\": true}",
            good: components("{\"/\": \"/a\"}, {\"/\": \"*\", \"exclude\": true}"),
            components("{\"/\": \"*\", \"#\": \"x\", \"exclude\": true}, {\"/\": \"/a\"}")),
        apple(
            "AASA-039", components("{\"/\": \"/a\", \"exclude\": true}"), marks: "{\"/\": \"/a\", \"exclude\": true}",
            good: components("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        apple(
            "AASA-040", components("{\"/\": \"/a\"}, {\"/\": \"*\", \"exclude\": true}"),
            marks: "{\"/\": \"*\", \"exclude\": true}",
            good: components("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        inPath("AASA-041", "/item?id=*", good: "/item/?*", "/id/????", "/a?b"),
        apple(
            "AASA-042", path("/a#b"), marks: "\"/a#b\"", good: component("\"/\": \"/a\", \"#\": \"a#b\""),
            component("\"/\": \"/a#b\", \"percentEncoded\": false"), path("/a")),
        inPath(
            "AASA-043", "https://shop.example.com/a", good: "/https/a", "/www.html", "index.html", "index.html.de",
            "*.html", "*.app"),
        inPath("AASA-044", "/a/[0-9]+", good: "/a/*", "/a.*", "/a(b)", "/$(digit)/x"),
        inPath("AASA-045", "/a/{id}", good: "/a/b:c", "/a/?*"),
        inPath("AASA-046", "/a\\\\b", good: "/a/b"),
        apple(
            "AASA-047", components("{\"/\": \"/buy/*\"}, {\"/\": \"/buy\"}"), marks: "{\"/\": \"/buy/*\"}",
            good: components("{\"/\": \"/buy\"}, {\"/\": \"/buy/*\"}"), path("/buy/*"),
            components("{\"/\": \"/buy/*\"}, {\"/\": \"/buy\", \"caseSensitive\": false}")),
        apple(
            "AASA-048", components("{\"/\": \"/buyer/x\"}, {\"/\": \"/buy*\"}"), marks: "{\"/\": \"/buy*\"}",
            good: components("{\"/\": \"/buyer/x\"}, {\"/\": \"/buy/*\"}"),
            components("{\"/\": \"/buy/x\"}, {\"/\": \"/buy*\"}")),
        inPath("AASA-049", "buy/*", good: "/buy/*", "*buy", "$(lang)/x"),
        inPath("AASA-050", "/a?*", good: "/a/?*", "/a*", "/a??"),
        inPath("AASA-051", "/a b", good: "/a%20b", "/a+b", "/a(b)@c:d;e=f,g'h!i~j"),
        apple(
            "AASA-052", component("\"/\": \"/a%20b\", \"percentEncoded\": false"), marks: "\"/a%20b\"",
            good: component("\"/\": \"/a b\", \"percentEncoded\": false"), path("/a%20b")),
        inPath("AASA-053", "/caf%c3%a9", good: "/caf%C3%A9"),
        inPath("AASA-054", "/100%", good: "/100%25", "/a%*"),
        apple(
            "AASA-055", component("\"/\": \"/a\", \"percentEncoded\": false"), marks: "\"percentEncoded\"",
            good: component("\"/\": \"/a\", \"percentEncoded\": true")),
        apple(
            "AASA-056", component("\"/\": \"/a\", \"caseSensitive\": false"), marks: "\"caseSensitive\"",
            good: component("\"/\": \"/a\", \"caseSensitive\": true")),
        apple(
            "AASA-057", query("\"a\": \"*\""), marks: "\"*\"", good: query("\"a\": \"?*\""), component("\"#\": \"*\"")),
        apple(
            "AASA-058", component("\"?\": \"a=1\""), marks: "\"a=1\"", good: component("\"?\": \"a=1*\""),
            query("\"a\": \"1\"")),
        apple("AASA-059", query("\"q\": \"a+b\""), marks: "\"a+b\"", good: query("\"q\": \"a%20b\""), path("/a+b")),
        inPath("AASA-060", "/$(digits)/x", good: "/$(digit)/x", "/$x"),
        inPath("AASA-061", "/$(digit/x", good: "/$(digit)/x"), inPath("AASA-061", "/$(a(b)", good: "/$(digit)"),
        apple(
            "AASA-062", variables("\"v\": [\"a\", \"$(digit)\"]"), marks: "\"$(digit)\"",
            good: variables("\"v\": [\"a*\"]")),
        apple(
            "AASA-063", variables("\"lang\": [\"en\"]", use: "$(lang)"), marks: "\"lang\"",
            good: variables("\"v\": [\"en\"]")),
        apple("AASA-064", variables("\"v\": []"), marks: "[]", good: variables("\"v\": [\"a\"]")),
        apple(
            "AASA-064", variables("\"v\": [\"a\"], \"w(x\": [\"b\"]"), marks: "\"w(x\"",
            good: variables("\"v\": [\"a\"]")),
        apple(
            "AASA-065", variables("\"v\": [\"a\"], \"w\": [\"b\"]"), marks: "\"w\"", good: variables("\"v\": [\"a\"]")),
        apple(
            "AASA-066", component("\"/\": \"/$(region)/x\", \"comment\": \"for /uk/x\""), marks: "\"/$(region)/x\"",
            good: path("/$(region)/x"), component("\"/\": \"/x\", \"comment\": \"UK\"")),
        inPath("AASA-067", "/$(digit)", good: "/x"),
        apple(
            "AASA-068",
            links(
                "\"defaults\": {\"exclude\": true}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}]}]"
            ),
            marks: "\"exclude\"",
            good: links(
                "\"defaults\": {\"caseSensitive\": false}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}]}]"
            )
        ),
        apple(
            "AASA-069", entry("\"paths\": [\"*\"], \"defaults\": {\"caseSensitive\": false}"), marks: "\"defaults\"",
            good: entry("\"components\": [{\"/\": \"*\"}], \"defaults\": {\"caseSensitive\": false}")),
        inPath("AASA-070", "NOT /a", good: "/NOT /a", "/not"),
        apple("AASA-071", paths("\"NOT/a\", \"*\""), marks: "\"NOT/a\"", good: paths("\"NOT /a\", \"/not/a\", \"*\"")),
        apple("AASA-073", paths("\"/item?id=*\""), marks: "\"/item?id=*\"", good: paths("\"/item/????\"")),
        apple(
            "AASA-074", "{\"webcredentials\": {}}", marks: "{}", good: "{\"webcredentials\": {\"apps\": []}}"),
        apple(
            "AASA-075", "{\"appclips\": {\"apps\": [\"\(app).Clip\"], \"details\": []}}", marks: "\"details\"",
            good: "{\"appclips\": {\"apps\": [\"\(app).Clip\"]}}"),
        apple(
            "AASA-076", "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"appclips\": {\"apps\": [\"\(other).Clip\"]}}",
            marks: "\"\(other).Clip\"",
            good:
                "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"appclips\": {\"apps\": [\"\(app).Clip\", \"\(app)\"]}}",
            "{\"appclips\": {\"apps\": [\"\(app).Clip\"]}}"),
        apple(
            "AASA-077", path("/a"), marks: "\"\(app)\"",
            good: "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, " + path("/a").dropFirst()),
        LintExample(
            "AASA-079", .appleAssociation, bad: signed, marked: nil, good: [Array(path("/a").utf8), Array("0".utf8)]),
        apple("AASA-081", path("*"), marks: "{\"/\": \"*\"}", good: path("/a")),
        apple(
            "AASA-082", components(numbered(201)), marks: "{\"/\": \"/200\"}", good: components(numbered(200))),
    ]

    /// Rules that nothing is wrong with, from `/0` on.
    static func numbered(_ count: Int) -> String {
        (0..<count).map { "{\"/\": \"/\($0)\"}" }.joined(separator: ",")
    }

    /// The beginning of a signed message.
    static let signed: [UInt8] =
        [0x30, 0x82, 0x0D, 0xAD, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x82]
        + [UInt8](repeating: 0, count: 3_488)
}
