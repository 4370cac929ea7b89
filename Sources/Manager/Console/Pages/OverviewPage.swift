// The first page: whether anything needs a person, and what.

import Association
import Database
import Delivery
import Issuance
import Posix
import SourceJSON
import Store

extension Page {
    static let overview = Page("/", "Overview", load: Overview.load, render: Overview.render)
}

private enum Overview {
    private static let causesMax = 10
    private static let releasesMax = 5

    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        var problems: [String] = []
        let counted = call.console.counted
        let isShown = call.visibility
        var causes = Causes()
        let hosts = call.hostCount
        var status: SourceValue?
        if call.tenant == nil {
            let control = call.console.control
            causes.addManager(problem: call.console.issuance.problem, sources: control.sourceProblems)
            status = call.server("/status")
            causes.addServer(status)
            causes.addLimits(counted.issuance)
            for problem in counted.webhookProblems {
                causes.add(Cause(tone: .bad, title: "A webhook gets no messages", detail: problem))
            }
        }
        causes.addIssuance(counted.issuance, of: isShown)
        causes.addDeliveries(counted, of: isShown)
        let publishing = call.stored(&problems) { transaction throws(DatabaseError) in
            try call.publishingCauses(in: transaction)
        }
        for cause in publishing?.causes ?? [] { causes.add(cause) }
        let needing = min(causes.hostCount(), hosts)
        let sentence = sentence(hosts, needing, causes)
        let isFine = causes.isFine && problems.isEmpty
        return .object([
            ("sentence", .string(sentence)), ("fine", .bool(isFine)), ("hosts", .integer(hosts)),
            ("hostsThatNeedAttention", .integer(needing)), ("causes", .array(causes.sorted.map(\.value))),
            ("releases", .array(publishing?.releases ?? [])),
            ("numbers", call.tenant == nil ? numbers(counted, status) : .null),
            ("problems", .texts(problems)),
        ])
    }

    /// What `associated status` says of all hosts.
    private static func sentence(_ hosts: Int, _ needing: Int, _ causes: Causes) -> String {
        if hosts == 0 { return "No host is served yet." }
        let all = Count.of(hosts, "host")
        if needing > 0 {
            let rest = max(0, hosts - causes.hostCount(isDown: true))
            let verb = needing == 1 ? "1 needs you." : "\(needing) need you."
            return "\(rest) of \(all) \(rest == 1 ? "is" : "are") live. \(verb)"
        }
        if causes.all.contains(where: \.needsPerson) {
            return "\(all) \(hosts == 1 ? "is" : "are") served, but something needs you."
        }
        if !causes.isComplete {
            return "\(all) \(hosts == 1 ? "is" : "are") served. Not everything has been checked yet."
        }
        let whole = hosts == 1 ? "The host is" : hosts == 2 ? "Both hosts are" : "All \(all) are"
        return "\(whole) live. Nothing needs you."
    }

    /// What there is, in lines.
    private static func numbers(_ counted: ConsoleFigures, _ status: SourceValue?) -> SourceValue {
        var lines: [(String, SourceValue)] = []
        if let status, !status.isNull {
            let (hosting, uptime) = (status["hosting"], Age.duration(seconds: status["uptimeSeconds"].number))
            let apps = Count.of(Int(hosting["appFiles"].number), "app")
            lines.append(("Server", .string("associated \(status["version"].text), up \(uptime), \(apps)")))
        }
        if let counts = counted.issuance?.counts { lines.append(("Certificates", .string(counts))) }
        let budget = Budget.Limit.allCases.compactMap { limit in
            counted.issuance?.budgets[limit].map { "\(Int($0)) \(limit.meaning)" }
        }
        if !budget.isEmpty { lines.append(("The authority still allows", .string(budget.joined(separator: ", ")))) }
        for verifier in DeliveryVerifier.allCases {
            let counts = DeliveryState.allCases.compactMap { state in
                counted.deliveries?.hosts[verifier]?[state].map { "\($0) \(state.rawValue)" }
            }
            if !counts.isEmpty {
                lines.append(("Copies at \(verifier.name)", .string(counts.joined(separator: ", "))))
            }
        }
        return .object(lines)
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let causes = value["causes"].items
        let tone: Tone =
            value["fine"].asBool == true ? .good : causes.first.flatMap { Tone(rawValue: $0["tone"].text) } ?? .warn
        let hosts = value["hosts"].number
        return """
            <div class="headline \(hosts == 0 && causes.isEmpty ? "none" : tone.rawValue)">\(hosts == 0 && causes.isEmpty ? .none : tone.icon)\
            <h1>\(value["sentence"].text)</h1></div>
            \(hosts == 0 ? start(call) : .none)\
            \(causes.isEmpty ? .none : section("What needs attention", id: "causes", list(causes.prefix(causesMax).map { cause($0, call) }, empty: .none)))\
            \(causes.count > causesMax ? "<p class=\"more\">and \(causes.count - causesMax) more causes: \(link("/overview.json", "all of them as JSON"))</p>" : .none)\
            \(releases(value, call))\(lines(value["numbers"]))
            """
    }

    private static func cause(_ cause: SourceValue, _ call: ConsoleCall) -> HTML {
        let tone = Tone(rawValue: cause["tone"].text) ?? .warn
        let words: [Tone: String] = [.bad: "Problem", .warn: "Needs you", .wait: "Waits"]
        let title = cause["path"].asString.map { link($0, cause["title"].text) } ?? "\(cause["title"].text)"
        let hosts = cause["hosts"].items.map(\.text)
        var lines: [HTML] = []
        if !cause["detail"].text.isEmpty {
            lines.append(
                cause["isFinding"].asBool == true ? finding(cause["detail"].text, call) : "\(cause["detail"].text)")
        }
        if let since = cause["since"].time { lines.append("Since \(ago(since, now: call.now)).") }
        if cause["count"].number > 1, !hosts.isEmpty {
            lines.append(HTML(hosts.map { link(path("hosts", $0), $0) + " " }))
        }
        if !cause["next"].text.isEmpty { lines.append("<span class=\"next\">Next: \(cause["next"].text)</span>") }
        return row(
            title, states: [badge(tone, words[tone] ?? "Note")], more: HTML(lines.map { "<div>\($0)</div>" }))
    }

    private static func start(_ call: ConsoleCall) -> HTML {
        """
        <div class="empty"><p>Write an app file into <code>config/apps</code>; the server sees it at once. \
        <code>associated init</code> makes one, and the host’s DNS record does the rest.</p>\
        <p>\(copyable("associated init --name Shop --host shop.example.com"))</p></div>
        """
    }

    private static func releases(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        let rows = value["releases"].items.map { releaseRow($0, call, withTenant: true) }
        return section(
            "Last releases", id: "releases", aside: link("/apps", "All apps"),
            list(
                rows,
                empty: value["problems"].items.isEmpty
                    ? "<p>Nothing was published by the API yet. Files of <code>config/apps</code> are served without a release.</p>"
                    : "<p>They cannot be read now.</p>"))
    }

    private static func lines(_ numbers: SourceValue) -> HTML {
        let rows = (numbers.asObject ?? []).map { ($0.key, "\($0.value.text)" as HTML?) }
        return rows.isEmpty ? .none : section("In numbers", id: "numbers", facts(rows))
    }
}
