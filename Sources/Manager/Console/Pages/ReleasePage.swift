// One release: what it changed for phones, what became of it, and what can be done with it.

import HTTP
import Service
import SourceJSON

extension Page {
    static let release = Page(
        "/apps/TENANT/releases/NUMBER", title: { "Release \($0["number"].number)" }, load: Releases.load,
        render: Releases.render)
}

extension Action {
    /// What it needs is said by the API: less for a comparison than for a release.
    static let rollback = Action(
        pattern: "/apps/TENANT/releases/NUMBER/rollback", scope: nil, handle: Releases.rollBack)
    static let approve = Releases.made("approve", scope: "approve")
    static let reject = Releases.made("reject", scope: "approve")
}

private enum Releases {
    static func made(_ verb: String, scope: String) -> Action {
        Action(pattern: "/apps/TENANT/releases/NUMBER/\(verb)", scope: scope) { call throws(PageProblem) in
            let (tenant, number) = (call.parameters[0], call.parameters[1])
            let members = verb == "reject" ? [("reason", SourceValue.string(call.form["reason"] ?? ""))] : []
            return see(
                try call.api(path("tenants", tenant, "releases", number) + ":\(verb)", .post, .object(members)))
        }
    }

    private static func see(_ release: SourceValue) -> ServiceResponse {
        SignIn.see(path("apps", release["tenant"].text, "releases", "\(release["number"].number)"))
    }

    /// Publishes the files of a release again, or says what that would change.
    static func rollBack(_ call: ConsoleCall) throws(PageProblem) -> ServiceResponse {
        let release = try load(call)
        let place = path("tenants", call.parameters[0], "releases", call.parameters[1])
        let body = SourceValue.object([
            ("message", .string(call.form["message"] ?? "")), ("retire", .bool(call.form["retire"] != nil)),
        ])
        var members = (release.asObject ?? []).map { ($0.key, $0.value) }
        var status = Status.ok
        do throws(PageProblem) {
            if call.form["do"] != "check" { return see(try call.api("\(place):rollback", .post, body)) }
            members.append(("compared", try call.api("\(place):check", .post, body)))
        } catch {
            members += [("problem", .string("\(error.title). \(error.detail)")), ("compared", error.value)]
            status = error.status
        }
        let value = SourceValue.object(members)
        return call.console.document(
            "Release \(release["number"].number)", call, render(value, call), value, status: status)
    }

    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        try call.api(path("tenants", call.parameters[0], "releases", call.parameters[1]))
    }

    static func render(_ release: SourceValue, _ call: ConsoleCall) -> HTML {
        let (tenant, number) = (release["tenant"].text, release["number"].number)
        let nodes = release["outcomes"].items.map { outcome -> HTML in
            let state = outcome["state"].text
            return row(
                "\(outcome["node"].text)", states: [badge(state == "served" ? .good : .warn, state)],
                more: outcome["detail"].text.isEmpty ? nil : "\(outcome["detail"].text)")
        }
        let files = release["files"].items.map { file -> HTML in
            let name = file["name"].text
            return row(
                link(path("apps", tenant, "releases", "\(number)", "files", name), name),
                more: "<code>\(file["digest"].text)</code>")
        }
        func time(_ name: String) -> HTML? { release[name].asString.map(stamp) }
        func text(_ name: String) -> HTML? { release[name].asString.map { "\($0)" } }
        return """
            <p class="crumb">\(link("/apps", "Apps")) / \(link(path("apps", tenant), tenant))</p>
            <div class="title"><h1>Release \(number)</h1>\(releaseState(release["state"].text))</div>
            \(release["message"].text.isEmpty ? .none : "<p class=\"lead\">\(release["message"].text)</p>" as HTML)\
            \(facts([
                ("Author", "\(release["author"].text)"), ("Source", release["source"].asString.flatMap { $0.isEmpty ? nil : "\($0)" }),
                ("Made from", release["base"].number == 0 ? "nothing" : link(path("apps", tenant, "releases", "\(release["base"].number)"), "release \(release["base"].number)")),
                ("Created", time("created")), ("Goes live", time("publishAt")), ("Live since", time("liveSince")),
                ("Approved by", text("approver")), ("Ended", time("ended")), ("Reason", text("reason")),
            ]))\
            \(actions(release, call))\(compared(release))\
            <p>\(link(path("tester", query: ["tenant": tenant, "release": "\(number)"]), "Test links against this release"))</p>\
            \(release["compared"].isNull ? difference(release["difference"]) + findingList(release["findings"].items) : .none)\
            \(nodes.isEmpty ? .none : section("Servers", id: "servers", list(nodes, empty: .none)))\
            \(section("Files", id: "files", list(files, empty: "<p>It has no files.</p>")))
            """
    }

    private static func actions(_ release: SourceValue, _ call: ConsoleCall) -> HTML {
        func place(_ number: Int64) -> String { path("apps", release["tenant"].text, "releases", "\(number)") }
        var forms: [HTML] = []
        let (state, number, base) = (release["state"].text, release["number"].number, release["base"].number)
        if state == "proposed", call.session.may("approve") {
            forms = [
                action("\(place(number))/approve", "Approve", isMain: true),
                action("\(place(number))/reject", "Reject"),
            ]
        }
        if state == "superseded" || state == "live" && base > 0, call.session.may("publish") {
            let (restored, label) =
                state == "live" ? (base, "Undo this release") : (number, "Publish these files again")
            let retire: HTML =
                call.session.may("retire")
                ? "<label class=\"check\"><input type=\"checkbox\" name=\"retire\"> What it takes away is meant to go</label>"
                : .none
            forms = [
                """
                <form method="post" action="\(place(restored))/rollback" class="actions"><label class="hidden" for="message">Message</label>\
                <input id="message" name="message" type="text" placeholder="Why" maxlength="1000">\(retire)\
                <button name="do" value="check">Compare with what is live</button><button name="do" value="publish">\(label)</button></form>
                """
            ]
        }
        return forms.isEmpty ? .none : "<section class=\"actions\" aria-label=\"Actions\">\(forms)</section>"
    }

    /// What publishing its files again would change, and why it may not be done.
    private static func compared(_ release: SourceValue) -> HTML {
        let result = release["compared"]
        if result.isNull { return .none }
        let problem = release["problem"].asString
        return (problem.map { Layout.notice(.bad, "\($0)") } ?? .none)
            + difference(result["difference"], title: "What publishing these files again would change for phones")
            + findingList(result["findings"].items)
    }
}

/// What changes for phones, with examples.
func difference(_ value: SourceValue, title: String = "What changes for phones") -> HTML {
    if value.isNull { return .none }
    func links(_ name: String, _ sign: String) -> [HTML] {
        value[name].items.map { link in
            row(
                "<code>\(sign) \(link["url"].text)</code>",
                more: "\(link["app"].text) on \(link["systems"].items.map(\.text).joined(separator: ", "))")
        }
    }
    func entries(_ name: String, _ sign: String) -> [HTML] {
        value[name].items.map { entry in
            let what = entry["value"].asString ?? entry["app"].asString ?? ""
            return row(
                "<code>\(sign) \(entry["kind"].text) \(what)</code>",
                more: "\(entry["hosts"].items.prefix(5).map(\.text).joined(separator: ", "))")
        }
    }
    let held = value["guard"].items.map { removal -> HTML in
        row(
            "\(removal["file"].text) removes \(removal["removes"].text)", states: [badge(.bad, "Removal guard")],
            more: "\(removal["fix"].text)")
    }
    let parts = [
        ("No longer opens the app", links("stops", "−")), ("Removed", entries("removed", "−")), ("Held", held),
        ("Opens the app now", links("opens", "+")), ("Added", entries("added", "+")),
    ].filter { !$0.1.isEmpty }.map { title, rows -> HTML in "<h3>\(title)</h3>\(list(rows, empty: .none))" }
    return section(
        title, id: "difference",
        parts.isEmpty ? "<p class=\"soft\">Nothing changes for any phone.</p>" : HTML(parts))
}

/// Findings with their places and remedies.
/// - Parameter source: the text that they are about, whose lines are shown.
func findingList(_ findings: [SourceValue], in source: String = "") -> HTML {
    if findings.isEmpty { return .none }
    let tones: [String: Tone] = ["error": .bad, "warning": .warn]
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let rows = findings.map { finding -> HTML in
        let number = Int(finding["line"].number)
        let excerpt: HTML? =
            lines.indices.contains(number - 1) && !source.isEmpty
            ? "<pre class=\"code\"><code>\(number) | \(String(lines[number - 1].prefix(200)))</code></pre>" : nil
        let line = finding["line"].time.map { ":\($0):\(finding["column"].number)" } ?? ""
        return row(
            "\(finding["message"].text)",
            states: [badge(tones[finding["severity"].text] ?? .none, finding["rule"].text)],
            more:
                "<code>\(finding["file"].text)\(line)</code>\(finding["fix"].asString.map { "<br><span class=\"next\">\($0)</span>" as HTML })\(excerpt)"
        )
    }
    return section("Findings", id: "findings", list(rows, empty: .none))
}
