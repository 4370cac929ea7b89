// The orders of certificates: how many are in which state, what the authority still allows, and when whose turn is.

import Database
import Issuance
import Posix
import SourceJSON

extension Page {
    static let certificates = Page(
        "/certificates", "Certificates", load: Certificates.load, render: Certificates.render)
}

private enum Certificates {
    private static let listMax: Int64 = 1_000
    private static let shownMax = 100

    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        var problems: [String] = []
        let (figures, isShown) = (call.console.counted.issuance, call.visibility)
        let state = call.query["state"] ?? ""
        let found = call.stored(&problems) { transaction throws(DatabaseError) in
            let all = try IssuanceReport.unsettled(limit: listMax, in: transaction)
            let shown = all.filter { isShown($0.host) && (state.isEmpty || $0.state?.rawValue == state) }
            guard let rules = call.console.rules, shown.contains(where: { $0.state == .queued }) else {
                return (shown, QueueForecast?.none)
            }
            return (shown, try QueueForecast(rules, call.console.suffixes, in: transaction))
        }
        let items = (found?.0 ?? []).map { report -> SourceValue in
            .object(
                (report.jsonValue.asObject ?? []).map { ($0.key, $0.value) } + [
                    ("line", .string(report.line(found?.1, obstacle: call.console.issuance.problem)))
                ])
        }
        let states = IssuanceState.allCases.compactMap { state in
            figures?.hosts[state].map { (state.rawValue, SourceValue.integer($0)) }
        }
        let budgets = Budget.Limit.allCases.compactMap { limit in
            figures?.budgets[limit].map { (limit.rawValue, SourceValue.integer(Int($0))) }
        }
        let limits = (figures?.accountLimits ?? []).map(\.line)
        let isOperator = call.tenant == nil
        return .object([
            ("orders", .bool(call.console.rules != nil)), ("state", .string(state)),
            ("counts", isOperator ? .object(states) : .null), ("budget", isOperator ? .object(budgets) : .null),
            ("limits", .texts(isOperator ? limits : [])), ("items", .array(Array(items.prefix(shownMax)))),
            ("more", .integer(max(0, items.count - shownMax))), ("problems", .texts(problems)),
        ])
    }

    static func render(_ value: SourceValue, _ call: ConsoleCall) -> HTML {
        if value["orders"].asBool != true {
            return """
                <h1>Certificates</h1><div class="empty"><p>No certificates are ordered. Write this into <code>server.json</code> \
                and restart; each host whose DNS leads here gets one.</p>\
                <p>\(copyable(#"acme: { contact: ["mailto:you@example.com"], termsAgreed: true }"#))</p></div>
                """
        }
        let state = value["state"].text
        let counts = (value["counts"].asObject ?? []).map { count -> HTML in
            row(
                link(path("certificates", query: ["state": count.key]), count.key),
                states: [badge(tone(count.key), "\(count.value.number)")],
                more: "\(IssuanceState(rawValue: count.key)?.nextStep ?? "")")
        }
        let budget = (value["budget"].asObject ?? []).map { left -> (String, HTML?) in
            let limit = Budget.Limit(rawValue: left.key)
            return (
                limit.map { $0.meaning.prefix(1).uppercased() + $0.meaning.dropFirst() } ?? left.key,
                "\(left.value.number) left where it is tightest"
            )
        }
        let rows = value["items"].items.map { report -> HTML in
            let name = report["host"].text
            return row(
                link(path("hosts", name), name), states: [HostState.certificate(report, now: call.now) ?? .none],
                more: "\(report["line"].text)")
        }
        let filter: HTML =
            state.isEmpty ? .none : "<p class=\"soft\">Only \(state). \(link("/certificates", "Show all"))</p>"
        let more: HTML = value["more"].number > 0 ? "<p class=\"soft\">and \(value["more"].number) more</p>" : .none
        return """
            <h1>Certificates</h1>\(value["limits"].items.map { Layout.notice(.warn, "\($0.text)") })\
            \(counts.isEmpty ? .none : section("By state", id: "states", list(counts, empty: .none)))\
            \(budget.isEmpty ? .none : section("What the authority still allows", id: "budget", facts(budget)))\
            \(section("Not issued", id: "waiting", filter + list(rows, empty: "<p>Every host that is to have a certificate has one.</p>") + more))
            """
    }

    private static func tone(_ state: String) -> Tone {
        switch IssuanceState(rawValue: state) {
        case .issued: .good
        case .failing: .bad
        case .waitingForDNS, .waitingForCAA, .paused: .warn
        case .new, .queued, .ordering, .limited: .wait
        case .leaving, nil: .none
        }
    }
}
