// Which hosts somebody sees, and what is known of them.

import Association
import Database
import Delivery
import HTTP
import Issuance
import Publishing
import SourceJSON
import Store

extension ConsoleCall {
    /// Whether a served host belongs to whoever looks: to the tenant's folder of app files.
    var visibility: (String) -> Bool {
        guard let tenant else { return { _ in true } }
        let served = console.issuance.served
        return { served?.folder(of: $0) == tenant }
    }

    /// Of all served hosts that are shown.
    var hostCount: Int {
        guard let served = console.issuance.served else { return 0 }
        guard let tenant else { return served.count }
        return served.page(prefix: "", after: "", count: .max) { $0 == tenant }.count
    }

    /// What publishing says to the first page.
    func publishingCauses(
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (causes: [Cause], releases: [SourceValue]) {
        let news = try PublishingNews(of: tenant, releasesMax: 5, in: transaction)
        var causes: [Cause] = []
        for one in news.troubled {
            causes.append(
                Cause(
                    tone: .warn, title: "Release \(one.number) of \(one.tenant) is \(one.state) on \(one.node)",
                    detail: one.detail,
                    next: one.state == "held"
                        ? "Publish what is lost again, or publish with `retire`." : "Publish a corrected release.",
                    path: path("apps", one.tenant, "releases", "\(one.number)")))
        }
        if tenant == nil, let refused = try WebhookQueue.refused(in: transaction) {
            causes.append(
                Cause(
                    tone: .warn, title: "\(Count.of(refused.count, "message")) to webhooks could not be sent",
                    detail: refused.problem, next: "Repair the receiver; each is sent again for a day."))
        }
        for one in news.lapsed {
            causes.append(
                Cause(
                    tone: .warn, title: "\(one.tenant) no longer proves that it owns \(one.host)", detail: one.problem,
                    next: "Create the record again; nothing new is published for the host until then.",
                    hosts: [one.host],
                    count: 1, path: path("hosts", one.host)))
        }
        if news.pending.count > 0 {
            let (count, first) = (news.pending.count, news.pending.hosts[0])
            causes.append(
                Cause(
                    tone: .wait,
                    title: count == 1
                        ? "\(first) is claimed and not proved yet" : "\(count) hosts are claimed and not proved yet",
                    next: "Create the TXT record that the page of \(count == 1 ? "the host" : "each host") names.",
                    hosts: news.pending.hosts, count: count, path: count == 1 ? path("hosts", first) : nil))
        }
        for one in news.proposed {
            causes.append(
                Cause(
                    tone: .wait, title: "Release \(one.number) of \(one.tenant) waits for an approval",
                    detail: one.message,
                    path: path("apps", one.tenant, "releases", "\(one.number)")))
        }
        return (causes, news.releases)
    }

    /// The files in a folder of `config/apps`, for which nobody publishes; none if it is not shown.
    func operatorFiles(in folder: String) -> [SourceValue] {
        if tenant ?? folder != folder { return [] }
        return server(path("apps", "\(folder)/"))?["files"].items.filter { $0.text.hasPrefix("\(folder)/") } ?? []
    }

    /// Has the manager look at a host now.
    func hurry(_ host: String) throws(PageProblem) {
        guard console.publisher.countsWrite(of: session.identity) else {
            throw PageProblem(.tooManyRequests, "Too many changes", "Wait a minute. Nothing was changed.")
        }
        var store = console.storeForReading()
        do throws(DatabaseError) {
            let isKnown = try store.write { transaction throws(DatabaseError) in
                try IssuanceReport.hurry(host, in: transaction)
            }
            if isKnown { return }
        } catch { throw PageProblem(.serviceUnavailable, "The database cannot be used", "\(error)") }
        throw .unknown(host)
    }

    /// A page of hosts: those that are served, and those that are only claimed.
    func hosts(prefix: String, after: String, count: Int, _ problems: inout [String]) -> [HostEntry] {
        let served = console.issuance.served
        let isShown: (String) -> Bool = tenant.map { own in { $0 == own } } ?? { _ in true }
        let names = served?.page(prefix: prefix, after: after, count: count, where: isShown) ?? []
        var entries = Dictionary(names.map { ($0.name, HostEntry(name: $0.name, tenant: $0.folder)) }) { first, _ in
            first
        }
        let facts: Void? = stored(&problems) { transaction throws(DatabaseError) in
            for claim in try ClaimedHosts.names(
                withPrefix: prefix, after: after, of: tenant, count: count, in: transaction)
            {
                if entries[claim.host] == nil, tenant == nil || served?.index(of: claim.host) == nil {
                    entries[claim.host] = HostEntry(name: claim.host, tenant: claim.tenant, claim: claim.state)
                }
            }
            let shown = entries.keys.sorted().prefix(count).filter { entries[$0]?.claim == nil }
            let certificates = try IssuanceReport.load(shown, in: transaction)
            let deliveries = try DeliveryList.load(shown, in: transaction)
            for name in shown {
                entries[name]?.certificate = certificates[name]
                entries[name]?.deliveries = deliveries[name] ?? []
            }
        }
        _ = facts
        for kept in server("/status")?["lastGood"].items ?? [] { entries[kept["host"].text]?.isOnLastGood = true }
        return entries.values.sorted { $0.name < $1.name }.prefix(count).map { $0 }
    }
}

/// A host in a list.
struct HostEntry: Sendable {
    var name: String
    /// Empty for the operator.
    var tenant: String
    /// The state of the claim to a host that is not served.
    var claim: String?
    /// Whether the server keeps an earlier version of it, because a file has an error.
    var isOnLastGood = false
    var certificate: IssuanceReport?
    var deliveries: [DeliveryList.Entry] = []

    var value: SourceValue {
        .object([
            ("host", .string(name)), ("tenant", tenant.isEmpty ? .null : .string(tenant)),
            ("served", .bool(claim == nil)),
            ("claim", .optional(claim)), ("lastGood", .bool(isOnLastGood)),
            ("orderedCertificate", certificate?.jsonValue ?? .null),
            ("deliveries", .array(deliveries.map(\.jsonValue))),
        ])
    }
}

/// The states of a host in words and shapes.
enum HostState {
    static func certificate(_ value: SourceValue, now: Int64) -> HTML? {
        guard let state = IssuanceState(rawValue: value["state"].text) else { return nil }
        let isOver = value["notAfter"].time.map { $0 <= now } ?? false
        if isOver { return badge(.bad, "Certificate expired") }
        switch state {
        case .issued: return badge(value["problem"].isNull ? .good : .warn, "Certificate")
        case .failing: return badge(.bad, "Certificate failing")
        case .waitingForDNS, .waitingForCAA, .paused: return badge(.warn, "Certificate \(state.rawValue)")
        case .new, .queued, .ordering, .limited: return badge(.wait, "Certificate \(state.rawValue)")
        case .leaving: return badge(.none, "Certificate leaving")
        }
    }

    static func delivery(_ state: String, _ verifier: String) -> HTML {
        let name = DeliveryVerifier(rawValue: verifier)?.name ?? verifier
        switch DeliveryState(rawValue: state) {
        case .equal: return badge(.good, "\(name) current")
        case .older: return badge(.wait, "\(name) older")
        case .foreign: return badge(.bad, "\(name) foreign")
        case .failing: return badge(.bad, "\(name) failing")
        case .absent: return badge(.warn, "\(name) absent")
        case .unknown, nil: return badge(.none, "\(name) not known")
        }
    }

    static func claim(_ state: String) -> HTML {
        switch state {
        case "owned": badge(.good, "Owned")
        case "lapsed": badge(.warn, "Claim lapsed")
        default: badge(.wait, "Claim \(state)")
        }
    }
}
