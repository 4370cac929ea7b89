// The audit log, the latest entry first.

import SourceJSON

extension Page {
    static let activity = Page("/activity", "Activity", load: Activity.load, render: Activity.render)
}

private enum Activity {
    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        try call.api(path("audit", query: ["before": call.query["before"] ?? "2147483647"]))
    }

    /// A release or a host leads to its page.
    private static func what(_ entry: SourceValue) -> HTML {
        let (action, object) = (entry["action"].text, entry["object"].text)
        let words = action.split(separator: ".", maxSplits: 1).map(String.init)
        switch words[0] {
        case "release" where words.count == 2:
            return link(path("apps", entry["tenant"].text, "releases", object), "Release \(object)") + ": \(words[1])"
        case "host" where words.count == 2 && words[1] != "given-up":
            return link(path("hosts", object), object) + ": \(words[1])"
        default: return "\(action) \(object)"
        }
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let rows = value["items"].items.map { entry -> HTML in
            let tenant = entry["tenant"].asString
            let detail = entry["detail"].text
            return row(
                what(entry),
                states: [tenant.map { link(path("apps", $0), $0) }].compactMap { $0 },
                more: """
                    \(detail.isEmpty ? .none : "\(detail)<br>" as HTML)\(call.who(entry["actor"].text)), \
                    \(stamp(entry["at"].text))
                    """)
        }
        let next = value["next"].asString.map { path("activity", query: ["before": $0]) }
        return """
            <h1>Activity</h1><p class="lead">Who has changed what. <code>associated audit verify</code> finds entries that were altered.</p>
            \(list(rows, empty: "<p>Nothing was changed by the API yet.</p>"))\
            \(pager(first: call.query["before"] == nil ? nil : "/activity", next: next))
            """
    }
}
