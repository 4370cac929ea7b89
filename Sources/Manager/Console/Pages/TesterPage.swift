// Which app opens a URL on each platform, and which rule decides: by the files that phones get.

import Association
import HTTP
import Posix
import Service
import SourceJSON

extension Page {
    static let tester = Page("/tester", "Tester", load: Tester.load, render: Tester.render)
}

extension Action {
    /// More URLs than an address can hold; for fewer, it leads to an address that can be shared.
    static let test = Action(pattern: "/tester", scope: "read", bodyBytesMax: 1 << 20) { call throws(PageProblem) in
        let address = path("tester", query: ["urls": call.form["urls"] ?? ""])
        if address.utf8.count < Tester.addressBytesMax { return SignIn.see(address) }
        let value = Tester.value(of: call.form["urls"] ?? "", call)
        return call.console.document("Tester", call, Tester.render(value, call), value)
    }
}

enum Tester {
    private static let urlsMax = 1_000
    private static let milliseconds: Int64 = 2_000
    static let addressBytesMax = 6_000

    fileprivate static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        value(of: call.query["urls"] ?? "", call)
    }

    static func value(of text: String, _ call: ConsoleCall) -> SourceValue {
        let lines = text.split(whereSeparator: \.isWhitespace).map(String.init)
        var served: [String: LinkMatching] = [:]
        var (hosts, items): ([String: Result<LinkMatching, PageProblem>], [SourceValue]) = ([:], [])
        // One tenant's rules must not take the time of others.
        let end = Clock.monotonicMilliseconds() + milliseconds
        for line in lines.prefix(urlsMax) {
            if Clock.monotonicMilliseconds() >= end { break }
            guard let url = LinkURL(line.contains("://") ? line : "https://\(line)") else {
                items.append(.object([("url", .string(line)), ("problem", .string("This is no link."))]))
                continue
            }
            let found = hosts[url.host] ?? matching(of: url.host, call, &served)
            hosts[url.host] = found
            let matching: LinkMatching
            switch found {
            case .success(let known): matching = known
            case .failure(let problem):
                items.append(.object([("url", .string(line)), ("problem", .string(problem.detail))]))
                continue
            }
            var answer: [UInt8] = []
            matching.appendJSON(of: url, written: url.text, to: &answer)
            let decisions = SourceReader.read(answer, as: .json).value?.asObject ?? []
            let why = matching.text(of: url, listsAll: false).split(separator: "\n").dropFirst().map(String.init)
            items.append(.object(decisions.map { ($0.key, $0.value) } + [("why", .texts(why))]))
        }
        let more = lines.count - items.count
        return .object([
            ("urls", .string(text)), ("items", .array(items)),
            (
                "problems",
                .texts(more > 0 ? ["Only the first \(items.count) URLs were tested; \(more) are left out."] : [])
            ),
        ])
    }

    /// By the files that the host sends. Hosts of one wildcard have the same.
    private static func matching(
        of host: String, _ call: ConsoleCall, _ served: inout [String: LinkMatching]
    ) -> Result<LinkMatching, PageProblem> {
        guard let status = call.server(path("status", host)) else {
            return .failure(PageProblem(.serviceUnavailable, "No answer", "The server does not answer now. Try again."))
        }
        let name = status["name"].text
        guard !status.isNull, call.visibility(name) else {
            return .failure(
                PageProblem(.notFound, "Not here", "\(host) is not served here, or belongs to another tenant."))
        }
        if let known = served[name] { return .success(known) }
        var matching = LinkMatching(origin: "the files of \(host)")
        if let (status, body) = call.console.server.ask("/document/apple" + path(host)), status == 200 {
            let name = "apple-app-site-association"
            if !matching.take(AppleAssociation.read(body, file: name), file: name) {
                matching.appleProblem = "its file cannot be read here"
            }
        }
        if let (status, body) = call.console.server.ask("/document/google" + path(host)), status == 200 {
            let name = "assetlinks.json"
            if !matching.take(StatementList.read(body, file: name), file: name) {
                matching.androidProblem = "its file cannot be read here"
            }
        }
        served[name] = matching
        return .success(matching)
    }

    static func rows(_ items: [SourceValue]) -> [HTML] {
        items.map { item -> HTML in
            if let problem = item["problem"].asString {
                return row("<code>\(item["url"].text)</code>", states: [badge(.warn, "Not tested")], more: "\(problem)")
            }
            let states = decisions(item["apple"], "iOS", "appID") + decisions(item["android"], "Android", "package")
            let lines = item["why"].items.map { line -> HTML in "\(line.text)<br>" }
            return row(
                "<code>\(item["url"].text)</code>", states: states.isEmpty ? [badge(.none, "No app")] : states,
                more: HTML(lines))
        }
    }

    fileprivate static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let rows = rows(value["items"].items)
        return """
            <h1>Tester</h1><p class="lead">Which app opens a link, and which rule decides, by the files that phones get from here.</p>
            <form method="post" action="/tester"><div class="field"><label for="urls">URLs, one a line, at most \(urlsMax)</label>\
            <textarea id="urls" name="urls" class="code" rows="5" spellcheck="false" autocapitalize="none" \
            placeholder="https://shop.example.com/products/12">\(exactly: value["urls"].text)</textarea></div>\
            <button class="main">Test</button></form>
            \(rows.isEmpty ? .none : section("Results", id: "results", aside: "<span class=\"soft\">The address of this page can be shared.</span>", list(rows, empty: .none)))
            """
    }

    private static func decisions(_ apps: SourceValue, _ platform: String, _ id: String) -> [HTML] {
        let words = Set(apps.items.map { $0["decision"].text })
        if words.isEmpty { return [] }
        if words.contains("match") || words.contains("allow") { return [badge(.good, "\(platform): opens the app")] }
        if words.contains("manifest") { return [badge(.wait, "\(platform): its manifest decides")] }
        return [badge(.none, "\(platform): stays in the browser")]
    }
}
