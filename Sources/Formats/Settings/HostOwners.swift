// Host ownership: which hosts the app files of a folder may name (`owners` in `server.json`). Without it, a tenant with one
// folder of `config/apps` can add an app to every host. A version of an app file that names another folder's host is
// rejected, and such a version in the state directory is dropped, so neither is ever rendered.

package import Association
import SourceJSON
import TLS
import Tenancy

/// The hosts of the folders in `config/apps`. Files directly in `config/apps` belong to the operator and may name any host.
public struct HostOwners: Sendable, Equatable {
    /// By the name of the folder, `*` for all that have no entry.
    private var hosts: [String: Set<String>] = [:]
    /// All owned hosts and the wildcards above them, with the folders: those without an entry may not name these.
    private var reserved: [String: Set<String>] = [:]
    private var owned: [String: Set<String>] = [:]

    public init() {}

    package var isEmpty: Bool { hosts.isEmpty }

    package mutating func assign(_ patterns: [HostPattern], to folder: String) {
        let names = patterns.map(\.text)
        hosts[folder, default: []].formUnion(names)
        for name in names {
            owned[name, default: []].insert(folder)
            for name in [name] + HostName.wildcards(over: name) { reserved[name, default: []].insert(folder) }
        }
    }

    package func entry(of folder: String) -> Set<String>? { hosts[folder] ?? hosts["*"] }

    /// Whether a host, or one that a wildcard covers, is in the entry of another folder: nobody else can be given it.
    package func isOwned(_ host: String, byOtherThan folder: String) -> Bool {
        let entries = [reserved[host]] + HostName.wildcards(over: host).map { owned[$0] }
        return entries.contains { $0?.contains { $0 != folder && $0 != "*" } == true }
    }

    /// Whether a file, by its path below `config/apps`, may name a host.
    package func allows(_ host: String, at path: String) -> Bool {
        guard !hosts.isEmpty, let folder = TenantID.folder(ofApp: path) else { return true }
        let wildcards = HostName.wildcards(over: host)
        if let own = entry(of: folder) { return own.contains(host) || wildcards.contains(where: own.contains) }
        return reserved[host] == nil && !wildcards.contains { owned[$0] != nil }
    }
}

extension SettingsReader {
    mutating func readOwners(_ value: SourceValue) {
        guard case .object(let folders) = value.kind else {
            return report(
                value.range, "`owners` is not an object", fix: "write `{ \"folder\": [\"shop.example.com\"] }`")
        }
        for folder in folders {
            if folder.key.isEmpty || folder.key.utf8.contains(UInt8(ascii: "/")) {
                report(
                    folder.keyRange, "\"\(folder.key)\" is not the name of a folder in apps/",
                    fix: "write the name without a slash")
            }
            guard case .array(let elements) = folder.value.kind else {
                report(folder.value.range, "this is not an array of hosts", fix: "write `[\"shop.example.com\"]`")
                continue
            }
            let patterns = elements.compactMap { element -> HostPattern? in
                if case .string(let text) = element.kind, case .success(let host) = HostPattern.parse(text) {
                    return host
                }
                report(element.range, "this is not a host", fix: "write `shop.example.com` or `*.shop.example.com`")
                return nil
            }
            settings.owners.assign(patterns, to: folder.key)
        }
        reportSharedHosts(folders)
    }

    /// A host of two folders: each may add apps to it. That can be meant.
    private mutating func reportSharedHosts(_ folders: [SourceMember]) {
        var owners: [String: String] = [:]
        let entries = folders.filter { $0.key != "*" }.flatMap { folder in
            (folder.value.asArray ?? []).compactMap { element -> (String, String, SourceRange)? in
                let host = element.asString.flatMap { try? HostPattern.parse($0).get() }
                return host.map { ($0.text, folder.key, element.range) }
            }
        }
        for (host, folder, _) in entries where owners[host] == nil { owners[host] = folder }
        for (host, folder, range) in entries {
            let others = ([host] + HostName.wildcards(over: host)).compactMap { owners[$0] }
            guard let other = others.first(where: { $0 != folder }) else { continue }
            report(
                range, "\(host) belongs to the folders `\(folder)` and `\(other)`, so each may add apps to it",
                fix: "keep it in one of the two, unless they share it on purpose", rule: .cfg014, isLoss: false,
                severity: .warning)
        }
    }
}
