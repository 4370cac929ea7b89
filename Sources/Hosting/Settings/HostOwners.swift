// Which hosts the app files of a folder may name: `owners` in `server.json`. Without it, a tenant with one folder of `config/apps`
// can put an app on every host. A version that names a host of another folder is not read as good, and one that the state
// remembers is forgotten, so nothing is ever rendered from either.

import Association
import SourceJSON

/// The hosts of folders of `config/apps`. Files directly in `config/apps` are the operator's, and may name any.
public struct HostOwners: Sendable {
    /// By the name of the folder.
    private var hosts: [String: Set<String>] = [:]
    /// All of them, and the wildcards over them: what folders without an entry may not name.
    private var reserved: Set<String> = []
    /// Those of them that are in an entry.
    private var owned: Set<String> = []

    public init() {}

    mutating func give(_ patterns: [HostPattern], to folder: String) {
        let names = patterns.map(\.text)
        hosts[folder, default: []].formUnion(names)
        owned.formUnion(names)
        reserved.formUnion(names + names.flatMap(HostNames.wildcards))
    }

    /// Whether a file, by its path below `config/apps`, may name a host.
    func allows(_ host: String, at path: String) -> Bool {
        guard !hosts.isEmpty, let folder = AppTree.topFolder(of: path) else { return true }
        let wildcards = HostNames.wildcards(over: host)
        if let own = hosts[folder] { return own.contains(host) || wildcards.contains(where: own.contains) }
        return !reserved.contains(host) && !wildcards.contains(where: owned.contains)
    }

    func allows(_ good: AppRecord.GoodVersion?, at path: String) -> Bool {
        guard !hosts.isEmpty, let good else { return true }
        return (good.hosts + good.otherHosts).allSatisfy { allows($0, at: path) }
    }

    /// The hosts of a version that it may not name, in any environment: a name in another one keeps wildcards from the host.
    func findings(about reading: AppFileReading, file: String, at path: String) -> [Finding] {
        guard !hosts.isEmpty, let folder = AppTree.topFolder(of: path), let app = reading.appFile else { return [] }
        let places = app.hosts.enumerated().map { ($1.text, app.ranges.hosts.dropFirst($0).first) }
        let all = places + reading.otherHosts.map { ($0.text, SourceRange?.none) }
        return all.filter { !allows($0.0, at: path) }.prefix(AppFindings.ofFileMax).map { host, range in
            let reason =
                hosts[folder] == nil ? "gives it to another folder" : "does not give it to the folder \(folder)"
            return Finding(
                rule: .app046, severity: .error, file: file, range: range,
                message:
                    "\(host) is not this file's to name: `owners` in server.json \(reason); this version is not published",
                fix: "remove the host, or have the operator add it to `owners.\(folder)`")
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
                    folder.keyRange, "\"\(folder.key)\" is not a folder directly in apps/",
                    fix: "write the folder's name")
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
            settings.owners.give(patterns, to: folder.key)
        }
    }
}
