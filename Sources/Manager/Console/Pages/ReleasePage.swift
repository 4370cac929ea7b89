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
    static let withdraw = Releases.made("withdraw", scope: "publish")
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

    /// Publishes the files of a release again, or says what that would change. The live release is undone by the files before it.
    static func rollBack(_ call: ConsoleCall) throws(PageProblem) -> ServiceResponse {
        let release = try load(call)
        let number = release["state"].text == "live" ? release["base"].number : release["number"].number
        let place = path("tenants", call.parameters[0], "releases", "\(number)")
        let message = SourceValue.string(call.form["message"] ?? "")
        let body = SourceValue.object([("message", message), ("retire", .bool(call.form["retire"] != nil))])
        var members = (release.asObject ?? []).map { ($0.key, $0.value) } + [("why", message)]
        var status = Status.ok
        do throws(PageProblem) {
            if call.form["do"] != "check" { return see(try call.api("\(place):rollback", .post, body)) }
            members.append(("compared", try call.api("\(place):check", .post, body)))
        } catch {
            members += [("problem", .string("\(error.title). \(error.detail)")), ("compared", error.value)]
            status = error.status
        }
        members.append(("status", .integer(Int(status.rawValue))))
        let value = SourceValue.object(members)
        return call.console.document(
            "Release \(release["number"].number)", call, render(value, call), value, status: status)
    }

    /// With the texts of the files that differ from those of the release that it was made from.
    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let place = path("tenants", call.parameters[0], "releases")
        let release = try call.api(place + path(call.parameters[1]))
        let base = release["base"].number
        let before = base > 0 ? (try? call.api(place + path("\(base)"))) ?? .null : .null
        func digests(_ release: SourceValue) -> [String: String] {
            Dictionary(release["files"].items.map { ($0["name"].text, $0["digest"].text) }) { first, _ in first }
        }
        let (old, new) = (digests(before), digests(release))
        let names = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        func text(_ name: String, _ release: SourceValue) -> SourceValue {
            .optional(call.apiText(place + path("\(release["number"].number)", "apps", name)))
        }
        let changes = (before.isNull ? [] : names).prefix(comparedFilesMax).map { name in
            SourceValue.object([
                ("name", .string(name)), ("before", old[name].map { _ in text(name, before) } ?? .null),
                ("after", new[name].map { _ in text(name, release) } ?? .null),
            ])
        }
        return .object((release.asObject ?? []).map { ($0.key, $0.value) } + [("changes", .array(changes))])
    }

    private static let comparedFilesMax = 10

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
            return row(link(path("apps", tenant, "releases", "\(number)", "files", name), name))
        }
        let changes = release["changes"].items.map { file -> HTML in
            let state = file["before"].isNull ? "new" : file["after"].isNull ? "removed" : "changed"
            let lines = fileChanges(
                from: file["before"].text, to: file["after"].text, since: release["base"].number)
            return "<h3>\(file["name"].text), \(state)</h3>\(lines)"
        }
        let state = release["state"].text
        let isOpen = ["proposed", "scheduled"].contains(state)
        let title: (goes: String, changes: String) =
            state == "rejected"
            ? ("Was to go live", "What would have changed for phones")
            : ("Goes live", isOpen ? "What will change for phones" : "What changes for phones")
        func time(_ name: String) -> HTML? { release[name].asString.map(stamp) }
        func text(_ name: String) -> HTML? { release[name].asString.map { "\($0)" } }
        let parts: HTML = """
            <p class="pager">\(link(path("tester", query: ["tenant": tenant, "release": "\(number)"]), "Test links against this release"))</p>\
            \(difference(release["difference"], title: title.changes))\(findingList(release["findings"].items))\
            \(changes.isEmpty ? .none : section("Changed files", id: "changes", HTML(changes)))\
            \(nodes.isEmpty ? .none : section("Servers", id: "servers", list(nodes, empty: .none)))\
            \(section("Files", id: "files", list(files, empty: "<p>It has no files.</p>")))
            """
        return """
            <p class="crumb">\(link("/apps", "Apps")) / \(link(path("apps", tenant), tenant))</p>
            <div class="title"><h1>Release \(number)</h1>\(releaseState(release))</div>
            \(release["message"].text.isEmpty ? .none : "<p class=\"lead\">\(release["message"].text)</p>" as HTML)\
            \(facts([
                ("Author", "\(call.who(release["author"].text))"), ("Source", release["source"].asString.flatMap { $0.isEmpty ? nil : "\($0)" }),
                ("Made from", release["base"].number == 0 ? "nothing" : link(path("apps", tenant, "releases", "\(release["base"].number)"), "release \(release["base"].number)")),
                ("Created", time("created")), (title.goes, time("publishAt")), ("Live since", time("liveSince")),
                ("Approved by", release["approver"].asString.map { "\(call.who($0))" }), ("Ended", time("ended")), ("Reason", text("reason")),
            ]))\
            \(actions(release, call))\(compared(release))\
            \(release["compared"].isNull ? parts : .none)
            """
    }

    private static func actions(_ release: SourceValue, _ call: ConsoleCall) -> HTML {
        let (state, number) = (release["state"].text, release["number"].number)
        let place = path("apps", release["tenant"].text, "releases", "\(number)")
        var forms: [HTML] = []
        if state == "proposed", call.session.may("approve") {
            forms = [action("\(place)/approve", "Approve", isMain: true), action("\(place)/reject", "Reject")]
        } else if state == "proposed" || state == "scheduled", call.session.may("publish") {
            forms = [action("\(place)/withdraw", "Withdraw it")]
        }
        let isLive = state == "live"
        if state == "superseded" || isLive && release["base"].number > 0, call.session.may("publish") {
            let retire: HTML =
                release["status"].number == 423 && call.session.may("retire")
                ? "<label class=\"check\"><input type=\"checkbox\" name=\"retire\"> What it takes away is meant to go</label>"
                : .none
            forms = [
                """
                <form method="post" action="\(place)/rollback" class="actions"><label class="hidden" for="message">Message</label>\
                <input id="message" name="message" type="text" value="\(exactly: release["why"].text)" placeholder="Why" maxlength="1000">\(retire)\
                <button name="do" value="check">\(isLive ? "Show what undoing changes" : "Compare with what is live")</button>\
                <button name="do" value="publish">\(isLive ? "Undo this release" : "Publish these files again")</button></form>
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
            + difference(result["difference"], title: "What that would change for phones")
            + findingList(result["findings"].items)
    }
}
