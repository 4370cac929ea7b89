// One field for everything: a host, a URL, an app id, a package, a fingerprint or a tenant.

import Association
import HTTP
import SourceJSON

extension Page {
    static let search = Page("/search", "Search", load: Search.load, render: Search.render)
}

extension Action {
    /// Claims a host; its page names the record that proves it.
    static let claimHost = Action(pattern: "/hosts/HOST/claim", scope: "hosts") { call throws(PageProblem) in
        let host = call.parameters[0]
        _ = try call.api(path("tenants", call.form["tenant"] ?? "", "hosts", host), .put, .object([]))
        return SignIn.see(path("hosts", host))
    }

    static let giveUpHost = Action(pattern: "/hosts/HOST/give-up", scope: "hosts") { call throws(PageProblem) in
        let tenant = call.form["tenant"] ?? ""
        _ = try call.api(path("tenants", tenant, "hosts", call.parameters[0]), .delete)
        return SignIn.see("/hosts")
    }

    /// Looks at DNS again: for the record of a claim, or for the certificate.
    static let checkHost = Action(pattern: "/hosts/HOST/check", scope: "hosts") { call throws(PageProblem) in
        let host = call.parameters[0]
        if let tenant = call.form["tenant"] {
            _ = try call.api(path("tenants", tenant, "hosts", host) + ":check", .post)
        } else {
            guard call.visibility(host) else { throw PageProblem.unknown(host) }
            try call.hurry(host)
        }
        return SignIn.see(path("hosts", host))
    }
}

private enum Search {
    private static let shownMax = 20

    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        let text = (call.query["q"] ?? "").trimmingWhiteSpace
        var problems: [String] = []
        var hosts: [HostEntry] = []
        var tenants: [SourceValue] = []
        if !text.isEmpty {
            hosts = call.hosts(prefix: text.lowercased(), after: "", count: shownMax, &problems)
            let name = text.lowercased()
            if let tenant = try? call.api(path("tenants", name)) { tenants = [tenant] }
            if tenants.isEmpty, !call.operatorFiles(in: name).isEmpty { tenants = [.object([("name", .string(name))])] }
        }
        // An app id or a package is in the files of hosts, which the server searches.
        let isName = text.utf8.count >= 3 && !text.contains("/") && hosts.isEmpty
        let apps = !isName ? .null : call.server(path("apps", "with", text)) ?? .null
        let isShown = call.visibility
        let named = apps["hosts"].items.filter { isShown($0.text) }
        var tester = LinkTester(call)
        let tested = text.contains("/") ? tester.test(text).items : []
        return .object([
            ("query", .string(text)), ("hosts", .array(hosts.map(\.value))), ("tenants", .array(tenants)),
            ("hostsWithApp", .array(named)), ("tested", .array(tested)), ("problems", .texts(problems)),
        ])
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let text = value["query"].text
        let hosts = value["hosts"].items.map { hostRow($0, call) }
        let named = value["hostsWithApp"].items.map { row(link(path("hosts", $0.text), $0.text)) }
        let tenants = value["tenants"].items.map { row(link(path("apps", $0["name"].text), $0["name"].text)) }
        let tested = Tester.rows(value["tested"].items)
        let isEmpty = hosts.isEmpty && named.isEmpty && tenants.isEmpty && tested.isEmpty
        return """
            <h1>Search</h1>
            \(tested.isEmpty ? .none : section("Which app opens it", id: "tested", aside: link(path("tester", query: ["urls": text]), "Test more"), list(tested, empty: .none)))\
            \(isEmpty ? "<div class=\"empty\"><p>Nothing here is called “\(text)” or begins with it. Try the beginning of a host, a whole app id, package or fingerprint, a tenant, or a URL.</p></div>" as HTML : .none)\
            \(hosts.isEmpty ? .none : section("Hosts", id: "hosts", list(hosts, empty: .none)))\
            \(named.isEmpty ? .none : section("Hosts with this app", id: "apps", list(named, empty: .none)))\
            \(tenants.isEmpty ? .none : section("Tenants", id: "tenants", list(tenants, empty: .none)))
            """
    }
}
