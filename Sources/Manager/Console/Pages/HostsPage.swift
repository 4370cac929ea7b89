// All hosts, by prefix, a hundred at a time.

import SourceJSON

extension Page {
    static let hosts = Page("/hosts", "Hosts", load: Hosts.load, render: Hosts.render)
}

private enum Hosts {
    private static let pageMax = 100

    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        var problems: [String] = []
        let prefix = (call.query["prefix"] ?? "").lowercased()
        let found = call.hosts(prefix: prefix, after: call.query["after"] ?? "", count: pageMax, &problems)
        let next = found.count < pageMax ? nil : found.last?.name
        return .object([
            ("count", .integer(call.hostCount)), ("prefix", .string(prefix)), ("items", .array(found.map(\.value))),
            ("next", .optional(next)), ("problems", .texts(problems)),
        ])
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let prefix = value["prefix"].text
        let rows = value["items"].items.map { host in hostRow(host, call) }
        let next = value["next"].asString.map { path("hosts", query: ["prefix": prefix, "after": $0]) }
        let first = call.query["after"] == nil ? nil : path("hosts", query: ["prefix": prefix])
        let empty: HTML =
            prefix.isEmpty
            ? """
            <p>No host is served yet. A host is there as soon as an app file names it: in <code>config/apps</code>, or published.</p>\
            <p>\(copyable("associated init"))</p>
            """ : "<p>No host begins with “\(prefix)”. \(link("/hosts", "Show all"))</p>"
        return """
            <div class="title"><h1>Hosts</h1><span class="soft">\(value["count"].number) served</span></div>
            <form class="filter" action="/hosts"><label class="hidden" for="prefix">Begins with</label>\
            <input id="prefix" name="prefix" type="search" value="\(exactly: prefix)" placeholder="Begins with, such as shop." \
            autocapitalize="none" spellcheck="false"><button>Show</button></form>
            \(list(rows, empty: empty))\(pager(first: first, next: next))
            """
    }
}

/// A host in a list.
func hostRow(_ host: SourceValue, _ call: ConsoleCall) -> HTML {
    let name = host["host"].text
    var states: [HTML] = []
    if let claim = host["claim"].asString { states += [badge(.none, "Not served"), HostState.claim(claim)] }
    if host["lastGood"].asBool == true { states.append(badge(.warn, "Last good version")) }
    if let certificate = HostState.certificate(host["orderedCertificate"], now: call.now) { states.append(certificate) }
    states += host["deliveries"].items.map { HostState.delivery($0["state"].text, $0["verifier"].text) }
    if states.isEmpty { states = [badge(.good, "Served")] }
    if call.tenant == nil, let tenant = host["tenant"].asString {
        states.insert("<span class=\"soft\">\(tenant)</span>", at: 0)
    }
    return row(link(path("hosts", name), name), states: states)
}
