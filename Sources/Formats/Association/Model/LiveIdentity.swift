// The entries that the removal guard protects: what phones, Apple and Google cache about a host. Once served, an entry is not
// removed silently, because caches cannot be recalled. The server's guard and the preview of a change use the same rule.

/// One entry that one host publishes about an app.
package struct LiveIdentity: Hashable, Sendable {
    package var host: String
    package var kind: Kind
    package var text: String
    /// What its app file notes about a fingerprint, for messages. It makes no other entry.
    package var note: String?

    package static func == (left: LiveIdentity, right: LiveIdentity) -> Bool {
        left.kind == right.kind && left.host == right.host && left.text == right.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(kind)
        hasher.combine(text)
    }

    package enum Kind: Hashable, Sendable {
        /// The host is served for an app at all.
        case host
        /// An iOS app or App Clip.
        case appID
        case package
        /// The text is the package and the fingerprint.
        case fingerprint
    }

    package static func all(of app: AppFile) -> Set<LiveIdentity> {
        var all: Set<LiveIdentity> = []
        for host in app.hosts.map(\.text) {
            all.insert(LiveIdentity(host: host, kind: .host, text: ""))
            for id in (app.ios?.appIDs ?? []) + (app.ios?.appClips ?? []) {
                all.insert(LiveIdentity(host: host, kind: .appID, text: id))
            }
            for package in app.android?.packages ?? [] {
                all.insert(LiveIdentity(host: host, kind: .package, text: package.name))
                for fingerprint in package.fingerprints {
                    all.insert(
                        LiveIdentity(
                            host: host, kind: .fingerprint, text: "\(package.name) \(fingerprint)",
                            note: package.notes[fingerprint]))
                }
            }
        }
        return all
    }

    /// Whether an app file retires this entry. Packages count as app ids.
    package func isRetired(by retired: RetiredIdentities) -> Bool {
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
    package static func summary(_ removed: Set<LiveIdentity>) -> String {
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
        let prints = rest.filter { entry in
            entry.kind == .fingerprint && !packages.contains { entry.text.begins(with: "\($0) ") }
        }
        if !prints.isEmpty {
            let short = prints.map { Fingerprint.short($0.text.split(separator: " ")[1], note: $0.note) }
            parts.append(list(Set(short).sorted(), one: "fingerprint", many: "fingerprints"))
        }
        let places = Set(rest.map(\.host)).sorted()
        return parts.joined(separator: ", ") + (places.isEmpty ? "" : " on \(list(places, one: "host", many: "hosts"))")
    }

    /// The `retired` line that releases all of these entries, ready to paste.
    /// - Parameter hosts: the hosts that the file still names.
    package static func retirement(of removed: Set<LiveIdentity>, keeping hosts: Set<String>) -> String {
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

    /// The entries of a version of an app file that the next one, or its deletion, removes without retiring them. None if the guard
    /// of the file is off.
    package static func removed(from old: AppFile?, to new: AppFile?) -> Set<LiveIdentity> {
        guard let old, (new ?? old).removalGuard != .off else { return [] }
        let retired = new?.retired ?? RetiredIdentities()
        return all(of: old).subtracting(new.map(all) ?? []).filter { !$0.isRetired(by: retired) }
    }
}

extension Set<LiveIdentity> {
    /// Leaves out what another app file has, or retires for a host that it names.
    package mutating func subtract(keptOrRetiredBy app: AppFile) {
        subtract(LiveIdentity.all(of: app))
        let hosts = Set<String>(app.hosts.map(\.text))
        self = filter { !hosts.contains($0.host) || !$0.isRetired(by: app.retired) }
    }
}
