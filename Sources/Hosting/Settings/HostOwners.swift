// Host ownership: which hosts the app files of a folder may name (`owners` in `server.json`). Without it, a tenant with one
// folder of `config/apps` can add an app to every host. A version of an app file that names another folder's host is
// rejected, and such a version in the state directory is dropped, so neither is ever rendered.

import Association
import SourceJSON
import TLS

/// The hosts of the folders in `config/apps`. Files directly in `config/apps` belong to the operator and may name any host.
public struct HostOwners: Sendable, Equatable {
    /// By the name of the folder, `*` for all that have no entry.
    private var hosts: [String: Set<String>] = [:]
    /// All owned hosts and the wildcards above them: folders without an entry may not name these.
    private var reserved: Set<String> = []
    private var owned: Set<String> = []

    public init() {}

    mutating func assign(_ patterns: [HostPattern], to folder: String) {
        let names = patterns.map(\.text)
        hosts[folder, default: []].formUnion(names)
        owned.formUnion(names)
        reserved.formUnion(names + names.flatMap { HostName.wildcards(over: $0) })
    }

    private func entry(of folder: String) -> Set<String>? { hosts[folder] ?? hosts["*"] }

    /// Whether a file, by its path below `config/apps`, may name a host.
    func allows(_ host: String, at path: String) -> Bool {
        guard !hosts.isEmpty, let folder = AppTree.topFolder(of: path) else { return true }
        let wildcards = HostName.wildcards(over: host)
        if let own = entry(of: folder) { return own.contains(host) || wildcards.contains(where: own.contains) }
        return !reserved.contains(host) && !wildcards.contains(where: owned.contains)
    }

    func allows(_ good: AppRecord.GoodVersion?, at path: String) -> Bool {
        guard !hosts.isEmpty, let good else { return true }
        return (good.hosts + good.otherHosts).allSatisfy { allows($0, at: path) }
    }

    /// Findings about hosts that a version may not name. This includes its other environments, because a host that they name
    /// is not covered by wildcards either.
    func findings(about reading: AppFileReading, file: String, at path: String) -> [Finding] {
        guard !hosts.isEmpty, let folder = AppTree.topFolder(of: path), let app = reading.appFile else { return [] }
        let places = app.hosts.enumerated().map { ($1.text, app.ranges.hosts.dropFirst($0).first) }
        let all = places + reading.otherHosts.map { ($0.text, SourceRange?.none) }
        return all.filter { !allows($0.0, at: path) }.prefix(AppFindings.ofFileMax).map { host, range in
            let reason =
                entry(of: folder) == nil ? "assigns it to another folder" : "does not assign it to the folder \(folder)"
            return Finding(
                rule: .app046, severity: .error, file: file, range: range,
                message:
                    "this file may not name \(host): `owners` in server.json \(reason); this version is not published",
                fix: "remove the host, or ask the operator to add it to `owners.\(folder)`")
        }
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
    }
}
