// Which app opens a URL on each platform, and which rule decides: by the files that phones get, or by those of a release.

import Association
import HTTP
import Service
import SourceJSON

extension Page {
    static let tester = Page("/tester", "Tester", load: Tester.load, render: Tester.render)
}

extension Action {
    /// More URLs than an address can hold; for fewer, it leads to an address that can be shared.
    static let test = Action(pattern: "/tester", scope: "read", bodyBytesMax: 1 << 20) { call throws(PageProblem) in
        let against: KeyValuePairs = ["tenant": call.form["tenant"] ?? "", "release": call.form["release"] ?? ""]
        let address =
            path("tester", query: ["urls": call.form["urls"] ?? ""])
            + (against[0].value.isEmpty ? "" : "&" + path("", query: against).dropFirst(2))
        if address.utf8.count < Tester.addressBytesMax { return SignIn.see(address) }
        let value = try Tester.value(call.form, call)
        return call.console.document("Tester", call, Tester.render(value, call), value)
    }
}

enum Tester {
    static let addressBytesMax = 1_500
    private static let excerptsMax = 100

    fileprivate static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        try value(call.query, call)
    }

    fileprivate static func value(_ fields: [String: String], _ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let (urls, tenant) = (fields["urls"] ?? "", fields["tenant"] ?? "")
        var (tester, against) = (LinkTester(call), [(String, SourceValue)]())
        if !tenant.isEmpty {
            let release = try call.api(path("tenants", tenant, "releases", fields["release"] ?? ""))
            let origin = "release \(release["number"].number)"
            tester = LinkTester(call, apps: try call.apps(of: release), origin: origin)
            against = [("tenant", .string(tenant)), ("release", release["number"])]
        }
        let (items, problems) = tester.test(urls)
        return .object(
            [("urls", .string(urls))] + against + [("items", .array(items)), ("problems", .texts(problems))])
    }

    static func rows(_ items: [SourceValue]) -> [HTML] {
        items.enumerated().map { index, item -> HTML in
            if let problem = item["problem"].asString {
                return row("<code>\(item["url"].text)</code>", states: [badge(.warn, "Not tested")], more: "\(problem)")
            }
            let lines = item["why"].items.map(\.text)
            let states = decisions(lines)
            let why = lines.map { line -> HTML in isVerdict(line) ? "<strong>\(line)</strong><br>" : "\(line)<br>" }
            return row(
                "<code>\(item["url"].text)</code>", states: states.isEmpty ? [badge(.none, "No app")] : states,
                more: (item["lastGood"].asBool == true
                    ? "<strong>By the last good version: a newer file has an error.</strong><br>" : .none) + HTML(why)
                    + HTML(index < excerptsMax ? item["rules"].items.map(excerpt) : []))
        }
    }

    /// The rule that decides, in its file.
    private static func excerpt(_ rule: SourceValue) -> HTML {
        let decides = rule["line"].number...max(rule["line"].number, rule["last"].number)
        let name = "\(rule["file"].text):\(decides.lowerBound)"
        let place = rule["page"].asString.map { link(linePage($0, decides.lowerBound), name) } ?? "\(name)"
        let lines = rule["text"].items.enumerated().map { index, text -> HTML in
            let number = rule["first"].number + Int64(index)
            return decides.contains(number)
                ? "<mark>\(number) | \(text.text)</mark>\n" : "\(number) | \(text.text)\n"
        }
        return """
            <p class="caption">\(place)</p><pre class="code" tabindex="0"><code>\(lines)</code></pre>
            """
    }

    fileprivate static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let rows = rows(value["items"].items)
        let (tenant, release) = (value["tenant"].text, value["release"].number)
        let place = path("apps", tenant, "releases", "\(release)")
        let against: HTML =
            tenant.isEmpty
            ? "by the files that phones get from here"
            : "by \(link(place, "release \(release) of \(tenant)")) alone, live or not"
        let hidden: HTML =
            tenant.isEmpty
            ? .none
            : #"<input type="hidden" name="tenant" value="\#(tenant)"><input type="hidden" name="release" value="\#(release)">"#
        return """
            <h1>Tester</h1><p class="lead">Which app opens a link, and which rule decides, \(against).</p>
            <form method="post" action="/tester">\(hidden)<div class="field"><label for="urls">URLs, one a line, at most \(LinkTester.urlsMax)</label>\
            <textarea id="urls" name="urls" class="code" rows="5" spellcheck="false" autocapitalize="none" \
            placeholder="https://shop.example.com/products/12">\(exactly: value["urls"].text)</textarea></div>\
            <button class="main">Test</button></form>
            \(rows.isEmpty ? .none : section("Results", id: "results", aside: "<span class=\"soft\">The address of this page can be shared.</span>", list(rows, empty: .none)))
            """
    }

    /// Such as `iOS, 8KQ2V7M4XN.dev.acme.shop: opens the app`; what follows is indented.
    private static func isVerdict(_ line: String) -> Bool { !line.hasPrefix(" ") && line.contains(", ") }

    /// What each platform does, once.
    private static func decisions(_ lines: [String]) -> [HTML] {
        var known: [String] = []
        return lines.filter(isVerdict).compactMap { line in
            guard let platform = line.split(separator: ",").first, let colon = line.firstRange(of: ": ") else {
                return nil
            }
            let verdict = line[colon.upperBound...]
            let text = "\(platform): \(verdict)"
            if known.contains(text) { return nil }
            known.append(text)
            return badge(
                verdict == "opens the app" ? .good : verdict.hasPrefix("stays in the browser") ? .none : .wait, text)
        }
    }
}
