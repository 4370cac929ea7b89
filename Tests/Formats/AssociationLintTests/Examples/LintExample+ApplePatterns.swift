// Examples for the patterns of apple-app-site-association files, and for the services other than applinks.

import Association
import AssociationLint
import AssociationSamples

extension LintExample {
    private static func apple(_ rule: RuleID, _ bad: String, marks: String?, good: String...) -> LintExample {
        LintExample(rule, .appleAssociation, bad: Array(bad.utf8), marked: marks, good: good.map { Array($0.utf8) })
    }

    /// A pattern under `/`, marked as a whole.
    private static func inPath(_ rule: RuleID, _ bad: String, good: String...) -> LintExample {
        LintExample(
            rule, .appleAssociation, bad: Array(path(bad).utf8), marked: "\"\(bad)\"",
            good: good.map { Array(path($0).utf8) })
    }

    static let applePatterns: [LintExample] = [
        apple(
            .aasa037, components("{\"/\": \"/a/*\"}, {\"/\": \"/a/b\", \"exclude\": true}"),
            marks: "{\"/\": \"/a/b\", \"exclude\": true}",
            good: components("{\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}"),
            components(
                "{\"/\": \"/a/*\", \"?\": {\"x\": \"?*\"}}, {\"/\": \"/a/b\", \"exclude\": true}, {\"/\": \"/a/*\"}")),
        apple(.aasa072, paths("\"/a/*\", \"NOT /a/b\""), marks: "\"NOT /a/b\"", good: paths("\"NOT /a/b\", \"/a/*\"")),
        apple(
            .aasa038, components("{\"/\": \"*\", \"exclude\": true}, {\"/\": \"/a\"}"),
            marks: "{\"/\": \"*\", \"exclude\": true}",
            good: components("{\"/\": \"/a\"}, {\"/\": \"*\", \"exclude\": true}"),
            components("{\"/\": \"*\", \"#\": \"x\", \"exclude\": true}, {\"/\": \"/a\"}")),
        apple(
            .aasa039, components("{\"/\": \"/a\", \"exclude\": true}"), marks: "{\"/\": \"/a\", \"exclude\": true}",
            good: components("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        apple(
            .aasa040, components("{\"/\": \"/a\"}, {\"/\": \"*\", \"exclude\": true}"),
            marks: "{\"/\": \"*\", \"exclude\": true}",
            good: components("{\"/\": \"/a\", \"exclude\": true}, {\"/\": \"*\"}")),
        inPath(.aasa041, "/item?id=*", good: "/item/?*", "/id/????", "/a?b"),
        apple(
            .aasa042, path("/a#b"), marks: "\"/a#b\"", good: component("\"/\": \"/a\", \"#\": \"a#b\""),
            component("\"/\": \"/a#b\", \"percentEncoded\": false"), path("/a")),
        inPath(
            .aasa043, "https://shop.example.com/a", good: "/https/a", "/www.html", "index.html", "index.html.de",
            "*.html", "*.app"), inPath(.aasa044, "/a/[0-9]+", good: "/a/*", "/a.*", "/a(b)", "/$(digit)/x"),
        inPath(.aasa045, "/a/{id}", good: "/a/b:c", "/a/?*"), inPath(.aasa046, "/a\\\\b", good: "/a/b"),
        apple(
            .aasa047, components("{\"/\": \"/buy/*\"}, {\"/\": \"/buy\"}"), marks: "{\"/\": \"/buy/*\"}",
            good: components("{\"/\": \"/buy\"}, {\"/\": \"/buy/*\"}"), path("/buy/*"),
            components("{\"/\": \"/buy/*\"}, {\"/\": \"/buy\", \"caseSensitive\": false}")),
        apple(
            .aasa048, components("{\"/\": \"/buyer/x\"}, {\"/\": \"/buy*\"}"), marks: "{\"/\": \"/buy*\"}",
            good: components("{\"/\": \"/buyer/x\"}, {\"/\": \"/buy/*\"}"),
            components("{\"/\": \"/buy/x\"}, {\"/\": \"/buy*\"}")),
        inPath(.aasa049, "buy/*", good: "/buy/*", "*buy", "$(lang)/x"),
        inPath(.aasa050, "/a?*", good: "/a/?*", "/a*", "/a??"),
        inPath(.aasa051, "/a b", good: "/a%20b", "/a+b", "/a(b)@c:d;e=f,g'h!i~j"),
        apple(
            .aasa052, component("\"/\": \"/a%20b\", \"percentEncoded\": false"), marks: "\"/a%20b\"",
            good: component("\"/\": \"/a b\", \"percentEncoded\": false"), path("/a%20b")),
        inPath(.aasa053, "/caf%c3%a9", good: "/caf%C3%A9"), inPath(.aasa054, "/100%", good: "/100%25", "/a%*"),
        apple(
            .aasa055, component("\"/\": \"/a\", \"percentEncoded\": false"), marks: "\"percentEncoded\"",
            good: component("\"/\": \"/a\", \"percentEncoded\": true")),
        apple(
            .aasa056, component("\"/\": \"/a\", \"caseSensitive\": false"), marks: "\"caseSensitive\"",
            good: component("\"/\": \"/a\", \"caseSensitive\": true")),
        apple(.aasa057, query("\"a\": \"*\""), marks: "\"*\"", good: query("\"a\": \"?*\""), component("\"#\": \"*\"")),
        apple(
            .aasa058, component("\"?\": \"a=1\""), marks: "\"a=1\"", good: component("\"?\": \"a=1*\""),
            query("\"a\": \"1\"")),
        apple(.aasa059, query("\"q\": \"a+b\""), marks: "\"a+b\"", good: query("\"q\": \"a%20b\""), path("/a+b")),
        inPath(.aasa060, "/$(digits)/x", good: "/$(digit)/x", "/$x"),
        inPath(.aasa061, "/$(digit/x", good: "/$(digit)/x"), inPath(.aasa061, "/$(a(b)", good: "/$(digit)"),
        apple(
            .aasa062, variables("\"v\": [\"a\", \"$(digit)\"]"), marks: "\"$(digit)\"",
            good: variables("\"v\": [\"a*\"]")),
        apple(
            .aasa063, variables("\"lang\": [\"en\"]", use: "$(lang)"), marks: "\"lang\"",
            good: variables("\"v\": [\"en\"]")),
        apple(.aasa064, variables("\"v\": []"), marks: "[]", good: variables("\"v\": [\"a\"]")),
        apple(
            .aasa064, variables("\"v\": [\"a\"], \"w(x\": [\"b\"]"), marks: "\"w(x\"", good: variables("\"v\": [\"a\"]")
        ),
        apple(.aasa065, variables("\"v\": [\"a\"], \"w\": [\"b\"]"), marks: "\"w\"", good: variables("\"v\": [\"a\"]")),
        apple(
            .aasa066, component("\"/\": \"/$(region)/x\", \"comment\": \"for /uk/x\""), marks: "\"/$(region)/x\"",
            good: path("/$(region)/x"), component("\"/\": \"/x\", \"comment\": \"UK\"")),
        inPath(.aasa067, "/$(digit)", good: "/x"),
        apple(
            .aasa068,
            links(
                "\"defaults\": {\"exclude\": true}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}]}]"
            ),
            marks: "\"exclude\"",
            good: links(
                "\"defaults\": {\"caseSensitive\": false}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"*\"}]}]"
            )),
        apple(
            .aasa069, entry("\"paths\": [\"*\"], \"defaults\": {\"caseSensitive\": false}"), marks: "\"defaults\"",
            good: entry("\"components\": [{\"/\": \"*\"}], \"defaults\": {\"caseSensitive\": false}")),
        inPath(.aasa070, "NOT /a", good: "/NOT /a", "/not"),
        apple(.aasa071, paths("\"NOT/a\", \"*\""), marks: "\"NOT/a\"", good: paths("\"NOT /a\", \"/not/a\", \"*\"")),
        apple(.aasa073, paths("\"/item?id=*\""), marks: "\"/item?id=*\"", good: paths("\"/item/????\"")),
        apple(.aasa074, "{\"webcredentials\": {}}", marks: "{}", good: "{\"webcredentials\": {\"apps\": []}}"),
        apple(
            .aasa075, "{\"appclips\": {\"apps\": [\"\(app).Clip\"], \"details\": []}}", marks: "\"details\"",
            good: "{\"appclips\": {\"apps\": [\"\(app).Clip\"]}}"),
        apple(
            .aasa076, "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"appclips\": {\"apps\": [\"\(other).Clip\"]}}",
            marks: "\"\(other).Clip\"",
            good:
                "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"appclips\": {\"apps\": [\"\(app).Clip\", \"\(app)\"]}}",
            "{\"appclips\": {\"apps\": [\"\(app).Clip\"]}}"),
        apple(
            .aasa077, path("/a"), marks: "\"\(app)\"",
            good: "{\"webcredentials\": {\"apps\": [\"\(app)\"]}, " + path("/a").dropFirst()),
        LintExample(
            .aasa079, .appleAssociation, bad: signed, marked: nil, good: [Array(path("/a").utf8), Array("0".utf8)]),
        apple(.aasa081, path("*"), marks: "{\"/\": \"*\"}", good: path("/a")),
        apple(.aasa082, components(numbered(201)), marks: "{\"/\": \"/200\"}", good: components(numbered(200))),
    ]

    /// Valid rules `/0`, `/1` and so on.
    static func numbered(_ count: Int) -> String { (0..<count).map { "{\"/\": \"/\($0)\"}" }.joined(separator: ",") }
}
