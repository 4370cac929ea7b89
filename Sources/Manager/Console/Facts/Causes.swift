// What needs a person, grouped by cause: one line for a thousand hosts that wait for the same. It comes from what the server and the
// manager say of themselves, and is what `associated status` shows.

public import Delivery
public import Issuance
import Posix
import SourceJSON
import Tenancy

/// What the manager's loop has counted.
public struct ConsoleFigures: Sendable {
    /// Nil before the first count.
    public var issuance: IssuanceFigures?
    public var deliveries: DeliveryFigures?
    public var worst = DeliveryList()
    public var outages: [DeliveryOutage] = []
    /// Why webhooks get no messages.
    public var webhookProblems: [String] = []

    /// The states of deliveries that a person should know of.
    public static let worstStates: [DeliveryState] = [.foreign, .failing, .absent]

    public init() {}
}

/// Something that concerns hosts, or all of them.
struct Cause: Sendable, Equatable {
    var tone: Tone
    var title: String
    /// What is wrong, in the words of its source.
    var detail = ""
    /// Whether that is a finding of the server, which begins with its place.
    var isFinding = false
    /// What a person does about it.
    var next = ""
    /// When it began, in seconds since 1970.
    var since: Int64?
    /// The first hosts.
    var hosts: [String] = []
    /// Of all hosts that it concerns.
    var count = 0
    /// The page with the rest of it.
    var path: String?
    /// Whether its hosts are live all the same.
    var isLive = false

    /// Who corrects the file that a finding is about.
    static func correction(of finding: String) -> String {
        finding.contains("/published/apps/")
            ? "Its tenant publishes a corrected file." : "The operator corrects the file in config/apps on the server."
    }

    /// Without it, everything may be fine.
    var needsPerson: Bool { tone == .bad || tone == .warn }

    var value: SourceValue {
        .object([
            ("tone", .string(tone.rawValue)), ("title", .string(title)), ("detail", .string(detail)),
            ("isFinding", .bool(isFinding)),
            ("next", .string(next)), ("since", since.map { .integer(Int($0)) } ?? .null),
            ("hosts", .texts(Array(hosts.prefix(ProblemGroups.namesMax)))),
            ("count", .integer(count)), ("path", .optional(path)),
        ])
    }
}

/// All that may need a person.
struct Causes {
    private(set) var all: [Cause] = []
    /// Whether everything was asked that has to be asked before it can be said that nothing is wrong.
    private(set) var isComplete = true

    /// The worst first; of equal ones, that with the most hosts.
    var sorted: [Cause] {
        let rank: [Tone] = [.bad, .warn, .wait, .none, .good]
        return all.enumerated().sorted { left, right in
            let (one, two) = (left.element, right.element)
            let ranks = (rank.firstIndex(of: one.tone) ?? 9, rank.firstIndex(of: two.tone) ?? 9)
            return (ranks.0, -one.count, left.offset) < (ranks.1, -two.count, right.offset)
        }.map(\.element)
    }

    /// How many hosts they concern, as far as that can be counted.
    /// - Parameter isDown: only those that phones do not get as they should.
    func hostCount(isDown: Bool = false) -> Int {
        var known: Set<String> = []
        var more = 0
        for cause in all where cause.needsPerson && !(isDown && cause.isLive) {
            known.formUnion(cause.hosts)
            more += max(0, cause.count - cause.hosts.count)
        }
        return known.count + more
    }

    var isFine: Bool { isComplete && !all.contains(where: \.needsPerson) }

    /// The manager itself: without its store, no certificate can be had, however green everything is.
    mutating func addManager(problem: String?, sources: [String]) {
        if let problem {
            all.append(
                Cause(
                    tone: .bad, title: "The manager cannot work", detail: problem,
                    next:
                        "What is served stays served. No certificate is ordered and nothing is published until this is repaired."
                ))
        }
        for source in sources {
            all.append(
                Cause(
                    tone: .bad, title: "The server does not answer the manager", detail: source,
                    next: "See `associated status` and the log of the server."))
        }
    }

    /// - Parameter status: nil if the server does not answer.
    mutating func addServer(_ status: SourceValue?) {
        guard let status, !status.isNull else {
            isComplete = false
            if !all.contains(where: { $0.title.hasPrefix("The server") }) {
                all.append(
                    Cause(
                        tone: .bad, title: "The server does not answer the manager",
                        detail: "What it serves is not known.",
                        next: "See `associated status` and the log of the server."))
            }
            return
        }
        for wait in status["waits"].items {
            all.append(Cause(tone: .bad, title: "The server is not ready", detail: wait.text))
        }
        let kept = status["lastGood"].items
        for group in ProblemGroups.grouped(kept, cause: { $0["reason"].text }) {
            let reason = group[0]["reason"].text
            let rest = kept.count == group.count ? Int(status["hosting"]["hostsOnLastGoodVersion"].number) : group.count
            addHosts(
                .warn, group.map(\.["host"].text), max(rest, group.count), "keep their last good version",
                "keeps its last good version",
                reason,
                "\(Cause.correction(of: reason)) Until then, phones get the last good version.")
            (all[all.count - 1].isLive, all[all.count - 1].isFinding) = (true, true)
            all[all.count - 1].since = group.compactMap(\.["sinceSeconds"].time).min()
        }
        let known = Set(kept.map { $0["reason"].text })
        for text in status["findings"].items.map(\.["finding"].text) where !known.contains(text) {
            // Beside what keeps a file out of service, all else that is wrong with it is listed.
            if [": warning[", ": note["].contains(where: text.contains) { continue }
            all.append(
                Cause(
                    tone: .bad, title: "A file has an error", detail: text, isFinding: true,
                    next: Cause.correction(of: text)))
        }
        for name in ["changedSettings", "refusedUpgrade"] where !status[name].isNull {
            all.append(
                Cause(
                    tone: .warn,
                    title: name == "changedSettings" ? "server.json has changed" : "The upgrade was refused",
                    detail: status[name]["finding"].text))
        }
        addCertificates(status["certificates"])
    }

    private mutating func addCertificates(_ certificates: SourceValue) {
        if certificates.isNull { return }
        if certificates["complete"].asBool == false {
            isComplete = false
            all.append(
                Cause(
                    tone: .wait, title: "Certificates are being checked",
                    detail: "Not all have been looked at since the start."))
        }
        let causes =
            certificates["causes"].items.isEmpty ? certificates["problems"].items : certificates["causes"].items
        for cause in causes where cause["severity"].text != "note" {
            let hosts = [cause["folder"].text] + cause["alike"].items.map(\.text)
            addHosts(
                cause["severity"].text == "error" ? .bad : .warn, hosts, max(hosts.count, Int(cause["count"].number)),
                "have a problem with their certificates", "has a problem with its certificate", cause["finding"].text,
                "")
        }
    }

    /// - Parameter isShown: whether a host belongs to whoever looks.
    mutating func addIssuance(_ figures: IssuanceFigures?, of isShown: (String) -> Bool) {
        guard let figures else {
            isComplete = false
            return
        }
        let stuck = figures.stuck.filter { isShown($0.host) }
        let groups = ProblemGroups.grouped(stuck) { report in
            "\(report.state?.rawValue ?? "") \(report.problem.map { ProblemGroups.cause($0, of: report.host) } ?? "")"
        }
        for group in groups {
            let (report, hosts) = (group[0], group.map(\.host))
            let problem = report.problem ?? ""
            addHosts(
                report.state == .failing ? .bad : .warn, hosts, hosts.count, "get no certificate",
                "gets no certificate",
                group.count == 1 ? problem : ProblemGroups.cause(problem, of: report.host), report.state?.nextStep ?? ""
            )
            all[all.count - 1].path = path("certificates", query: ["state": report.state?.rawValue ?? ""])
        }
    }

    mutating func addLimits(_ figures: IssuanceFigures?) {
        for limit in figures?.accountLimits ?? [] {
            all.append(
                Cause(tone: .warn, title: "The authority limits the account", detail: limit.line, path: "/certificates")
            )
        }
    }

    mutating func addDeliveries(_ figures: ConsoleFigures, of isShown: (String) -> Bool) {
        let entries = figures.worst.entries.filter { isShown($0.host) }
        let groups = ProblemGroups.grouped(entries) { entry in
            "\(entry.state.rawValue) \(entry.verifier.rawValue) \(ProblemGroups.cause(entry.detail, of: entry.host))"
        }
        for group in groups {
            let (entry, hosts) = (group[0], group.map(\.host))
            let verb: (String, String) =
                switch entry.state {
                case .foreign:
                    (
                        "get another server’s file from \(entry.verifier.name)",
                        "gets another server’s file from \(entry.verifier.name)"
                    )
                case .failing:
                    ("cannot be fetched by \(entry.verifier.name)", "cannot be fetched by \(entry.verifier.name)")
                default:
                    (
                        "are \(entry.state.rawValue) at \(entry.verifier.name)",
                        "is \(entry.state.rawValue) at \(entry.verifier.name)"
                    )
                }
            addHosts(
                entry.state == .foreign || entry.state == .failing ? .bad : .warn, hosts, hosts.count, verb.0, verb.1,
                group.count == 1 ? entry.detail : ProblemGroups.cause(entry.detail, of: entry.host),
                entry.state.nextStep)
        }
        for outage in figures.outages {
            all.append(
                Cause(
                    tone: .warn, title: "\(outage.verifier.name) cannot be asked what it has", detail: outage.problem,
                    next: outage.nextStep))
        }
    }

    /// Further causes, of publishing.
    mutating func add(_ cause: Cause) { all.append(cause) }

    private mutating func addHosts(
        _ tone: Tone, _ hosts: [String], _ count: Int, _ many: String, _ one: String, _ detail: String, _ next: String
    ) {
        let title = count == 1 ? "\(hosts[0]) \(one)" : "\(count) hosts \(many)"
        all.append(
            Cause(
                tone: tone, title: title, detail: detail, next: next, hosts: hosts, count: count,
                path: count == 1 ? path("hosts", hosts[0]) : nil))
    }
}
