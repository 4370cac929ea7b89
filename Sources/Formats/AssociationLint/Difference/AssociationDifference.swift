// What a change of app files or of association files means for phones: the URLs that open an app on one side only, each with the
// systems on which that is so, and the apps, services and fingerprints that only one side has. Hosts that publish the same are
// compared once.

import Association

/// The difference between two sides, before and after a change.
public struct AssociationDifference: Sendable {
    /// URLs that open an app on one side only: at most one for each rule.
    struct Link: Hashable {
        var url: LinkURL
        var opensNow: Bool
        var app: String
        var systems: [PhoneSystem]
        /// The host of the URL first.
        var hosts: [String]
        var isSettled: Bool
    }

    /// An entry that only one side has.
    struct Entry: Hashable {
        var entry: PublishedEntry
        var isNew: Bool
        var hosts: [String]
    }

    /// Rules that were not compared completely.
    struct Rest: Hashable {
        var app: String
        var systems: [PhoneSystem]
        var hosts: [String]
        var reason: OpeningSearch.Rest
    }

    private(set) var links: [Link] = []
    private(set) var entries: [Entry] = []
    /// Hosts whose apps are in another order. It decides where several apps may open a URL.
    private(set) var reorderedHosts: [String] = []
    let held: [HeldRemoval]
    private(set) var rests: [Rest] = []
    private var budget: DifferenceBudget

    /// Whether nothing changes for any phone, as far as was compared.
    public var isEmpty: Bool { links.isEmpty && entries.isEmpty && reorderedHosts.isEmpty && held.isEmpty }
    /// Whether all ordinary URLs were compared.
    public var isComplete: Bool { rests.isEmpty }
    /// Whether a server holds a file because of what its change removes.
    public var isHeld: Bool { held.contains(where: \.isHeld) }
    /// Whether something stops working, or may stop.
    public var hasLosses: Bool {
        !isComplete || links.contains { !$0.opensNow } || entries.contains { !$0.isNew } || !held.isEmpty
    }

    public init(from before: PublishedHosts, to after: PublishedHosts) {
        self.init(from: before, to: after, within: DifferenceBudget())
    }

    init(from before: PublishedHosts, to after: PublishedHosts, within budget: DifferenceBudget) {
        self.budget = budget
        let isOneHost = before.onlyHost != nil || after.onlyHost != nil
        held = isOneHost ? [] : HeldRemoval.all(from: before, to: after)
        var groups: [[PublishedHost?]: [String]] = [:]
        let names =
            (after.onlyHost ?? before.onlyHost).map { [$0] } ?? Set(before.hosts.keys).union(after.hosts.keys).sorted()
        for name in names {
            let pair = [before.host(name), after.host(name)]
            if pair[0] != pair[1] { groups[pair, default: []].append(name) }
        }
        for (pair, hosts) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            // An example on a host reads better than one on a host below a wildcard.
            let isWide = { (host: String) in host.begins(with: "*.") }
            compare(pair[0], pair[1], hosts.filter { !isWide($0) } + hosts.filter(isWide))
        }
        if !isOneHost { noteHosts(before, after) }
        joinHosts()
    }

    private mutating func compare(_ before: PublishedHost?, _ after: PublishedHost?, _ hosts: [String]) {
        let example = HostPattern.example(of: hosts[0])
        let knowsManifests = [before, after].allSatisfy { $0.map { $0.manifests != nil } ?? true }
        let sides = [before, after].map { PublishedRules($0, host: example, withManifests: knowsManifests) }
        note(sides[0].entries.subtracting(sides[1].entries), isNew: false, hosts)
        note(sides[1].entries.subtracting(sides[0].entries), isNew: true, hosts)
        let orders = zip(sides, sides.reversed()).map { side, other in
            side.apps(on: .ios).filter(other.apps(on: .ios).contains)
        }
        if orders[0] != orders[1] { reorderedHosts += hosts }
        compareRules(sides[0], sides[1], hosts, example)
    }

    private mutating func compareRules(
        _ before: PublishedRules, _ after: PublishedRules, _ hosts: [String], _ example: String
    ) {
        var (links, rests): ([Link], [Rest]) = ([], [])
        for system in PhoneSystem.allCases {
            let apps = before.apps(on: system)
            for app in apps + after.apps(on: system).filter({ !apps.contains($0) }) {
                let rules = [before, after].map { $0.rules(of: app, on: system) }
                guard var search = OpeningSearch(from: rules[0], to: rules[1], host: example, budget) else { continue }
                let (found, rest) = search.run(trying: links.map(\.url), &budget)
                for one in found {
                    // The same URL of the same app may change on several systems.
                    let index = links.firstIndex {
                        $0.url == one.url && $0.opensNow == one.opensNow && $0.app == app
                            && $0.isSettled == one.isSettled
                    }
                    if let index {
                        links[index].systems.append(system)
                    } else {
                        links.append(
                            Link(
                                url: one.url, opensNow: one.opensNow, app: app, systems: [system], hosts: hosts,
                                isSettled: one.isSettled))
                    }
                }
                guard let rest else { continue }
                if let index = rests.firstIndex(where: { $0.app == app && $0.reason == rest }) {
                    rests[index].systems.append(system)
                } else {
                    rests.append(Rest(app: app, systems: [system], hosts: hosts, reason: rest))
                }
            }
        }
        self.links += links
        self.rests += rests
    }

    /// An app as a whole includes its services and fingerprints.
    private mutating func note(_ found: Set<PublishedEntry>, isNew: Bool, _ hosts: [String]) {
        let apps = Set(found.filter { $0.kind == .app }.map(\.app))
        for entry in found where entry.kind == .app || !apps.contains(entry.app) {
            entries.append(Entry(entry: entry, isNew: isNew, hosts: hosts))
        }
    }

    private mutating func noteHosts(_ before: PublishedHosts, _ after: PublishedHosts) {
        for (side, other, isNew) in [(before, after, false), (after, before, true)] {
            let hosts = side.hosts.keys.filter { other.host($0) == nil }.sorted()
            if hosts.isEmpty { continue }
            entries.append(Entry(entry: PublishedEntry(kind: .host, app: ""), isNew: isNew, hosts: hosts))
        }
    }

    /// One entry for all hosts, in an order that does not depend on chance.
    private mutating func joinHosts() {
        struct Key: Hashable {
            var entry: PublishedEntry
            var isNew: Bool
        }
        let groups = Dictionary(grouping: entries) { Key(entry: $0.entry, isNew: $0.isNew) }
        entries = groups.map { key, parts in
            Entry(entry: key.entry, isNew: key.isNew, hosts: parts.flatMap(\.hosts).sorted())
        }.sorted {
            ($0.entry.kind.rawValue, $0.entry.app, $0.entry.value)
                < ($1.entry.kind.rawValue, $1.entry.app, $1.entry.value)
        }
        reorderedHosts.sort()
    }
}
