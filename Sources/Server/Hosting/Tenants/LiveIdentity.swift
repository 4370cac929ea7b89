// The entries that the removal guard protects: what phones, Apple and Google cache about a host. Once served, an entry is not
// removed silently, because caches cannot be recalled.

import Association

/// One entry that one host publishes about an app.
struct LiveIdentity: Hashable, Sendable {
    var host: String
    var kind: Kind
    var text: String

    enum Kind: Hashable, Sendable {
        /// The host is served for an app at all.
        case host
        /// An iOS app or App Clip.
        case appID
        case package
        /// The text is the package and the fingerprint.
        case fingerprint
    }

    static func all(of app: AppFile) -> Set<LiveIdentity> {
        var all: Set<LiveIdentity> = []
        for host in app.hosts.map(\.text) {
            all.insert(LiveIdentity(host: host, kind: .host, text: ""))
            for id in (app.ios?.appIDs ?? []) + (app.ios?.appClips ?? []) {
                all.insert(LiveIdentity(host: host, kind: .appID, text: id))
            }
            for package in app.android?.packages ?? [] {
                all.insert(LiveIdentity(host: host, kind: .package, text: package.name))
                for fingerprint in package.fingerprints {
                    all.insert(LiveIdentity(host: host, kind: .fingerprint, text: "\(package.name) \(fingerprint)"))
                }
            }
        }
        return all
    }

    /// Whether an app file retires this entry. Packages count as app ids.
    func isRetired(by retired: RetiredIdentities) -> Bool {
        if retired.hosts.contains(where: { $0.text == host }) { return true }
        switch kind {
        case .host: return false
        case .appID, .package: return retired.appIDs.contains(text)
        case .fingerprint:
            let parts = text.split(separator: " ")
            return retired.fingerprints.contains { $0 == parts[1] } || retired.appIDs.contains { $0 == parts[0] }
        }
    }

    /// The removed entries in a few words. Hosts are counted, so an id is not repeated for each of a thousand hosts.
    static func summary(_ removed: Set<LiveIdentity>) -> String {
        let hosts = Set(removed.filter { $0.kind == .host }.map(\.host))
        var parts: [String] = []
        if !hosts.isEmpty { parts.append(list(hosts.sorted(), one: "host", many: "hosts")) }
        // A removed host includes its ids, a removed package its fingerprints.
        let rest = removed.filter { !hosts.contains($0.host) }
        let packages = Set(rest.filter { $0.kind == .package }.map(\.text))
        parts += [(Kind.appID, "app id", "app ids"), (.package, "package", "packages")].compactMap { kind, one, many in
            let texts = Set(rest.filter { $0.kind == kind }.map(\.text)).sorted()
            return texts.isEmpty ? nil : list(texts, one: one, many: many)
        }
        let prints = Set(rest.filter { $0.kind == .fingerprint }.map(\.text)).filter { text in
            !packages.contains { text.hasPrefix("\($0) ") }
        }
        if !prints.isEmpty {
            let short = prints.map { "\($0.split(separator: " ")[1].prefix(11))…" }
            parts.append(list(Set(short).sorted(), one: "fingerprint", many: "fingerprints"))
        }
        let places = Set(rest.map(\.host)).sorted()
        return parts.joined(separator: ", ") + (places.isEmpty ? "" : " on \(list(places, one: "host", many: "hosts"))")
    }

    /// The `retired` line that releases all of these entries, ready to paste.
    /// - Parameter hosts: the hosts that the file still names.
    static func retirement(of removed: Set<LiveIdentity>, keeping hosts: Set<String>) -> String {
        let gone = Set(removed.map(\.host)).subtracting(hosts)
        let rest = removed.filter { !gone.contains($0.host) }
        let ids = Set(rest.filter { $0.kind == .appID || $0.kind == .package }.map(\.text))
        let prints = rest.filter { $0.kind == .fingerprint }.map { $0.text.split(separator: " ") }
            .filter { !ids.contains(String($0[0])) }.map { String($0[1]) }
        let members = [("appIDs", ids), ("fingerprints", Set(prints)), ("hosts", gone)].compactMap { name, texts in
            texts.isEmpty ? nil : "\(name): [\(texts.sorted().map { "\"\($0)\"" }.joined(separator: ", "))]"
        }
        return "retired: { \(members.joined(separator: ", ")) }"
    }

    private static let namedMax = 3

    private static func list(_ texts: [String], one: String, many: String) -> String {
        let names = texts.prefix(namedMax).joined(separator: ", ")
        let more = texts.count > namedMax ? " and \(texts.count - namedMax) more" : ""
        return "\(texts.count == 1 ? one : many) \(names)\(more)"
    }
}

/// The entries that went live recently. A mistake can be undone as long as no verifier has seen it: the removal guard releases an
/// entry that is younger than ten minutes or was never fetched. This is kept in memory only; after a restart everything is
/// guarded.
struct RecentIdentities: Sendable {
    /// When each entry went live, by the app file that added it.
    private var since: [String: [LiveIdentity: Int64]] = [:]
    private var count = 0

    static let graceSeconds: Int64 = 600
    /// Verifiers fetch a new host within days.
    private static let daysMax: Int64 = 7
    /// Beyond this many, further entries are guarded at once.
    private static let countMax = 10_000

    /// Notes the entries that a version of a file added.
    mutating func note(_ added: Set<LiveIdentity>, of path: String, at now: Int64) {
        forgetOld(before: now - RecentIdentities.daysMax * 86_400)
        if count + added.count > RecentIdentities.countMax { return }
        for identity in added where since[path, default: [:]].updateValue(now, forKey: identity) == nil { count += 1 }
    }

    /// Whether the guard allows a file to remove an entry.
    /// - Parameter wasFetched: whether a verifier has fetched a host since a time.
    func mayRemove(
        _ identity: LiveIdentity, from path: String, at now: Int64, wasFetched: (_ host: String, _ since: Int64) -> Bool
    ) -> Bool {
        guard let began = since[path]?[identity] else { return false }
        return (0..<RecentIdentities.graceSeconds).contains(now - began) || !wasFetched(identity.host, began)
    }

    private mutating func forgetOld(before limit: Int64) {
        for (path, entries) in since where entries.contains(where: { $0.value < limit }) {
            let kept = entries.filter { $0.value >= limit }
            count -= entries.count - kept.count
            since[path] = kept.isEmpty ? nil : kept
        }
    }
}
