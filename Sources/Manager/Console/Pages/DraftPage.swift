// An app file in the making: what is wrong with it, what phones would get, what would change, and publishing it. Nothing of a draft is
// stored before that; it is in the form, also when the session ends meanwhile.

import Association
import HTTP
import Posix
import Service
import SourceJSON

extension Page {
    static let draft = Page("/draft", "Draft", load: Drafts.load, render: Drafts.render)
}

extension Action {
    static let checkDraft = Action(
        pattern: "/draft", scope: "check", bodyBytesMax: Draft.bodyBytesMax, handle: Drafts.handle)
}

private enum Drafts {
    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let tenant = call.query["tenant"] ?? call.tenant ?? ""
        let name = call.query["file"] ?? ""
        var members: [(String, SourceValue)] = [
            ("tenant", .string(tenant)), ("file", .string(name)), ("isNew", .bool(name.isEmpty)),
        ]
        if !tenant.isEmpty {
            members.append(("base", try call.api(path("tenants", tenant))["live"]))
            members.append(("waiting", waiting(tenant, call)))
            if !name.isEmpty {
                members.append(("text", .optional(call.apiText(path("tenants", tenant, "apps", name)))))
            }
        }
        return .object(members)
    }

    /// As the API takes it: the field has no seconds and no zone.
    private static func time(_ text: String) -> String? {
        text.isEmpty ? nil : text.utf8.count == 16 ? text.replacing(" ", with: "T") + ":00Z" : text
    }

    /// The releases that were made from the live one and wait: whichever is first keeps the others out.
    private static func waiting(_ tenant: String, _ call: ConsoleCall) -> SourceValue {
        let releases = try? call.api(path("tenants", tenant, "releases"))["items"].items
        return .array((releases ?? []).filter { ["proposed", "scheduled"].contains($0["state"].text) })
    }

    static func handle(_ call: ConsoleCall) throws(PageProblem) -> ServiceResponse {
        let form = call.form
        let (tenant, file, text) = (form["tenant"] ?? "", form["file"] ?? "", form["text"] ?? "")
        var members: [(String, SourceValue)] = [
            ("tenant", .string(tenant)), ("file", .string(file)), ("text", .string(text)),
            ("message", .string(form["message"] ?? "")), ("publishAt", .string(form["publishAt"] ?? "")),
            ("urls", .string(form["urls"] ?? "")), ("isNew", .bool(form["new"] != nil)),
        ]
        var status: UInt16?
        do throws(PageProblem) {
            if tenant.isEmpty || file.isEmpty {
                throw PageProblem(.badRequest, "Something is missing", "Name the tenant and the file.")
            }
            if form["new"] != nil, call.apiText(path("tenants", tenant, "apps", file)) != nil {
                throw PageProblem(
                    .conflict, "\(file) exists", "Open it from the page of \(tenant), or choose another name.")
            }
            let known = form["base"].flatMap { Int($0) }
            let base =
                if let known { SourceValue.integer(known) } else { try call.api(path("tenants", tenant))["live"] }
            members += [("base", base), ("waiting", waiting(tenant, call))]
            var proposal: [(String, SourceValue)] = [
                ("base", base), ("changes", .object([(file, .string(text))])),
                ("message", .string(form["message"] ?? "")),
                ("source", .string("console")),
            ]
            if let time = time(form["publishAt"] ?? "") { proposal.append(("publishAt", .string(time))) }
            if form["retire"] != nil { proposal.append(("retire", .bool(true))) }
            if form["do"] == "publish" {
                let release = try call.api(path("tenants", tenant, "releases"), .post, .object(proposal))
                return SignIn.see(path("apps", tenant, "releases", "\(release["number"].number)"))
            }
            members.append(
                ("result", try call.api(path("tenants", tenant) + "/releases:check", .post, .object(proposal))))
        } catch {
            // After another release, the text is compared with that.
            if let live = error.value.member(named: "live") {
                members.removeAll { $0.0 == "base" }
                members.append(("base", live))
            }
            let advice =
                error.value.member(named: "unclaimed") == nil
                ? error.detail : "Claim the host, create the record that its page names, and publish again."
            members += [
                (
                    "problem",
                    .string("\(form["do"] == "publish" ? "Nothing was published. " : "")\(error.title). \(advice)")
                ),
                ("result", error.value),
                ("status", .integer(Int(error.status.rawValue))),
            ]
            status = error.value.isNull ? 0 : error.status.rawValue
        }
        // Only behind a check that the API has counted, and not for a tenant whose turn it is not.
        let isChecked = status.map { [400, 409, 422, 423].contains($0) } ?? true
        if isChecked, let urls = form["urls"], !urls.isEmpty, let app = call.app(text, file: file) {
            var tester = LinkTester(call, apps: [app], origin: file)
            members.append(("tested", .array(tester.test(urls).items)))
        }
        let value = SourceValue.object(members)
        return call.console.document("Draft", call, render(value, call), value)
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let (tenant, file) = (value["tenant"].text, value["file"].text)
        let owner: HTML =
            call.tenant.map { #"<input type="hidden" name="tenant" value="\#($0)">"# }
            ?? field("tenant", "Tenant", tenant, "The owner of the file")
        return """
            <p class="crumb">\(link("/apps", "Apps"))\(tenant.isEmpty ? .none : " / " as HTML + link(path("apps", tenant), tenant))</p>
            <h1>\(file.isEmpty ? "New app file" : file)</h1>
            <form method="post" action="/draft" data-check><div class="columns">\(owner)\(field("file", "File", file, "Such as shop.json"))</div>
            \(value["isNew"].asBool == true ? #"<input type="hidden" name="new" value="1">"# : .none)\
            <input type="hidden" name="base" value="\(value["base"].asInt.map { "\($0)" } ?? "")">
            <div class="field"><label for="text">App file, as JSON5</label><textarea id="text" name="text" class="code" rows="18" \
            spellcheck="false" autocapitalize="none">\(exactly: value["text"].text)</textarea></div>
            <div class="columns">\(field("message", "Message", value["message"].text, "Why"))\
            \(field("publishAt", "Goes live (UTC, empty for now)", value["publishAt"].text, "2026-12-01 08:00"))</div>
            <div class="field"><label for="urls">Links to test against it, one a line</label><textarea id="urls" name="urls" class="code" rows="2" \
            spellcheck="false" autocapitalize="none">\(exactly: value["urls"].text)</textarea></div>
            <div class="actions"><button name="do" value="check">Check</button>\(buttons(value, call))</div></form>
            <div id="result">\(result(value, call))</div>
            """
    }

    private static func field(_ name: String, _ label: String, _ value: String, _ hint: String) -> HTML {
        """
        <div class="field"><label for="\(name)">\(label)</label>\
        <input id="\(name)" name="\(name)" type="text" value="\(exactly: value)" placeholder="\(hint)" spellcheck="false"></div>
        """
    }

    private static func buttons(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        if !call.session.may("publish") { return "<span class=\"soft\">This token may not publish.</span>" }
        let isHeld = value["status"].number == 423 && call.session.may("retire")
        let retire: HTML =
            isHeld
            ? #"<label class="check"><input type="checkbox" name="retire"> What it takes away is meant to go</label>"#
            : .none
        return #"<button class="main" name="do" value="publish">Publish</button>\#(retire)"#
    }

    /// Hosts that the tenant does not own, each with what to do.
    private static func unclaimed(_ hosts: [SourceValue], of tenant: String, _ call: ConsoleCall) -> HTML {
        let rows = hosts.map { host -> HTML in
            let place = path("hosts", host.text)
            let claim =
                call.session.may("hosts")
                ? action("\(place)/claim", "Claim it (in a new tab)", inNewTab: true, ["tenant": tenant]) : .none
            return row("\(host.text)", more: claim + "Its page names the record that proves who owns it.")
        }
        return rows.isEmpty
            ? .none : section("Hosts that \(tenant) does not own", id: "unclaimed", list(rows, empty: .none))
    }

    private static func result(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let result = value["result"]
        var parts = value["waiting"].items.map { release -> HTML in
            let place = path("apps", release["tenant"].text, "releases", "\(release["number"].number)")
            let time: HTML? = release["publishAt"].asString.map { ", and is to go live \(stamp($0))" }
            return Layout.notice(
                .wait,
                "\(link(place, "Release \(release["number"].number)")) waits\(time). It does not go live if this is published first."
            )
        }
        let later = Drafts.time(value["publishAt"].text)
        if let problem = value["problem"].asString {
            parts.append(Layout.notice(.bad, "\(problem)"))
        } else if !result.isNull {
            let isChange = result["changed"].asBool == true
            parts.append(
                Layout.notice(
                    isChange ? .good : .none,
                    isChange
                        ? "It can be published\(later.map { ", to go live \(stamp($0))" })."
                        : "It is what is live already."))
        }
        parts.append(unclaimed(result["unclaimed"].items, of: value["tenant"].text, call))
        let tested = Tester.rows(value["tested"].items)
        if !tested.isEmpty {
            parts.append(section("What it would do with the links", id: "links", list(tested, empty: .none)))
        }
        parts += [
            findingList(result["findings"].items, in: value["text"].text),
            difference(result["difference"], title: "What would change for phones"),
        ]
        // Unless nothing was checked.
        let isChecked = value["problem"].isNull || [422, 423].contains(value["status"].number)
        if !value["text"].text.isEmpty, !result.isNull, isChecked { parts.append(documents(value["text"].text)) }
        return HTML(parts)
    }

    /// What phones would get of this file alone.
    private static func documents(_ text: String) -> HTML {
        let reading = AppFile.read(AppFile.parse(Array(text.utf8)), file: "draft", environment: nil)
        guard let app = reading.appFile else { return .none }
        let rendered = Renderer.documents(for: [app], host: app.hosts.first?.text)
        let shown = [
            ("apple", "apple-app-site-association", rendered.apple),
            ("android", "assetlinks.json", rendered.statements),
        ]
        let parts = shown.compactMap { id, name, document -> HTML? in
            document.map { document in
                let text = String(decoding: SourceWriter.canonical(document), as: UTF8.self)
                return "<details id=\"draft-\(id)\"><summary>\(name)</summary>\(highlighted(text))</details>"
            }
        }
        return parts.isEmpty ? .none : section("What phones get of this file", id: "documents", HTML(parts))
    }
}
