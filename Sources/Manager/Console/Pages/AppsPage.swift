// Tenants with what they publish, and the operator's app files, which are shown beside it and edited in their folder.

import HTTP
import SourceJSON

extension Page {
    static let apps = Page("/apps", "Apps", load: Apps.load, render: Apps.render)
    static let tenant = Page(
        "/apps/TENANT", title: { $0["name"].text }, load: Apps.loadTenant, render: Apps.renderTenant)
    static let file = Page(
        "/apps/TENANT/FILE", title: { $0["name"].text }, load: Apps.loadFile, render: Apps.renderFile)
    static let releaseFile = Page(
        "/apps/TENANT/releases/NUMBER/files/FILE", title: { $0["name"].text }, load: Apps.loadFile,
        render: Apps.renderFile)
    /// A file of `config/apps`.
    static let operatorFile = Page(
        "/file", title: { $0["name"].text }, load: Apps.loadOperatorFile, render: Apps.renderFile)
}

private enum Apps {
    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        var problems: [String] = []
        var tenants = SourceValue.null
        do throws(PageProblem) {
            tenants = try call.api(path("tenants", query: ["after": call.query["after"] ?? ""]))
        } catch { problems.append(error.detail) }
        let files = call.server(call.query["file"].map { path("apps", $0) } ?? "/apps")
        if files == nil { problems.append("The server does not answer the manager, so its app files are not known.") }
        let shown = (files ?? .null)["files"].items.filter { call.maySee(operatorFile: $0.text) }
        return .object([
            ("tenants", tenants["items"]), ("next", tenants["next"]), ("files", .array(shown)),
            ("nextFile", (files ?? .null)["more"].asBool == true ? .optional(shown.last?.text) : .null),
            ("problems", .texts(problems)),
        ])
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let tenants = value["tenants"].items.map { tenant -> HTML in
            let live = tenant["live"].number
            return row(
                link(path("apps", tenant["name"].text), tenant["name"].text),
                states: [
                    live > 0 ? badge(.good, "Release \(live) is live") : badge(.none, "Nothing published")
                ] + (tenant["approval"].asBool == true ? [badge(.none, "With approval")] : []))
        }
        let files = value["files"].items.map { file -> HTML in
            row(link(path("file", query: ["path": file.text]), file.text), states: [badge(.none, "Read-only")])
        }
        let next = value["next"].asString.map { path("apps", query: ["after": $0]) }
        let nextFile = value["nextFile"].asString.map { path("apps", query: ["file": $0]) }
        let noTenants: HTML = """
            <p>Nobody publishes here yet. A token for a tenant makes a start; then <code>associated publish DIR</code>, or a draft here.</p>\
            <p>\(copyable("associated token create --tenant acme --scopes read,check,publish,hosts"))</p>
            """
        return """
            <div class="title"><h1>Apps</h1>\(call.session.may("check") ? link("/draft", "New app file") : .none)</div>
            \(section("Published", id: "tenants", list(tenants, empty: noTenants) + pager(first: call.query["after"] == nil ? nil : "/apps", next: next)))\
            \(section("In config/apps", id: "files", aside: "<span class=\"soft\">belongs to the operator</span>",
                list(files, empty: "<p>No app file is in <code>config/apps</code>.</p>") + pager(first: call.query["file"] == nil ? nil : "/apps", next: nextFile)))
            """
    }

    static func loadTenant(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let name = call.parameters[0]
        var tenant = SourceValue.null
        do throws(PageProblem) { tenant = try call.api(path("tenants", name)) } catch {
            let files = call.operatorFiles(in: name)
            guard error.status == .notFound, !files.isEmpty else { throw error }
            return .object([("name", .string(name)), ("operatorFiles", .array(files))])
        }
        let files = try call.api(path("tenants", name, "apps"))
        let releases = try call.api(path("tenants", name, "releases", query: ["before": call.query["before"] ?? ""]))
        return .object(
            (tenant.asObject ?? []).map { ($0.key, $0.value) } + [
                ("files", files["items"]), ("releases", releases["items"]), ("next", releases["next"]),
            ])
    }

    static func renderTenant(_ tenant: SourceValue, _ call: ConsoleCall) -> HTML {
        let name = tenant["name"].text
        let own = tenant["operatorFiles"].items
        if !own.isEmpty {
            return """
                <p class="crumb">\(link("/apps", "Apps"))</p><h1>\(name)</h1>
                <p class="lead">A folder of <code>config/apps</code>: the operator edits its files on the server.</p>
                \(list(own.map { row(link(path("file", query: ["path": $0.text]), $0.text), states: [badge(.none, "Read-only")]) }, empty: .none))
                """
        }
        let files = tenant["files"].items.map { file -> HTML in
            row(link(path("apps", name, file["name"].text), file["name"].text))
        }
        let releases = tenant["releases"].items.map { releaseRow($0, call, withTenant: false) }
        let next = tenant["next"].asString.map { path("apps", name, query: ["before": $0]) }
        return """
            <p class="crumb">\(link("/apps", "Apps"))</p>
            <div class="title"><h1>\(name)</h1>\(tenant["approval"].asBool == true ? badge(.none, "Releases need an approval") : .none)</div>
            \(section("App files", id: "files", list(files, empty: "<p>Nothing is live. Publish a directory:</p><p>\(copyable("associated publish DIR --tenant \(name)"))</p>")))\
            \(section("Releases", id: "releases", list(releases, empty: "<p>There is no release yet.</p>")
                + pager(first: call.query["before"] == nil ? nil : path("apps", name), next: next)))
            """
    }

    static func loadFile(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let (tenant, name) = (call.parameters[0], call.parameters[call.parameters.count - 1])
        let release = call.parameters.count > 2 ? call.parameters[1] : nil
        let place = path("tenants", tenant) + (release.map { path("releases", $0) } ?? "") + path("apps", name)
        guard let text = call.apiText(place) else { throw .unknown(name) }
        return .object([
            ("tenant", .string(tenant)), ("name", .string(name)), ("release", .optional(release)),
            ("line", .optional(call.query["line"])), ("text", .string(text)),
        ])
    }

    static func loadOperatorFile(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let name = call.query["path"] ?? ""
        guard call.maySee(operatorFile: name), let text = call.console.server.appFile(name) else {
            throw .unknown(name)
        }
        return .object([
            ("tenant", .null), ("name", .string(name)), ("release", .null), ("line", .optional(call.query["line"])),
            ("text", .string(text)),
        ])
    }

    static func renderFile(_ file: SourceValue, _ call: ConsoleCall) -> HTML {
        let (tenant, name, release) = (file["tenant"].asString, file["name"].text, file["release"].asString)
        var crumbs = [link("/apps", "Apps")]
        if let tenant { crumbs.append(" / " + link(path("apps", tenant), tenant)) }
        if let tenant, let release {
            crumbs.append(" / " + link(path("apps", tenant, "releases", release), "Release \(release)"))
        }
        let edit = link(path("draft", query: ["tenant": tenant ?? "", "file": name]), "Edit")
        let aside: HTML =
            tenant == nil
            ? badge(.none, "Read-only: in config/apps") : release == nil && call.session.may("check") ? edit : .none
        return """
            <p class="crumb">\(HTML(crumbs))</p>
            <div class="title"><h1>\(name)</h1>\(aside)</div>
            \(numbered(file["text"].text, line: Int(file["line"].text)))
            """
    }
}
