// The folders of `config/hosts/`: one for each host, with what belongs to it and is not derived from an app file.

import Association
import Posix

enum HostFolders {
    /// The folder of a host; an asterisk is no character for a file name.
    static func name(of host: String) -> String { host.hasPrefix("*.") ? "_wildcard\(host.dropFirst())" : host }

    /// The files of every host that has some, by host. That there is no such folder is fine.
    static func wellKnown(below root: String, findings: inout [Finding]) -> [String: WellKnownFiles] {
        guard Directory.exists(root) else { return [:] }
        let entries: [DirectoryEntry]
        do {
            entries = try Directory.entries(root)
        } catch {
            findings.append(problem(root, "cannot read the folder: \(error.reason)"))
            return [:]
        }
        var files: [String: WellKnownFiles] = [:]
        for entry in entries where entry.kind == .directory && !entry.name.hasPrefix(".") {
            let directory = "\(root)/\(entry.name)/well-known"
            guard Directory.exists(directory) else { continue }
            guard let host = host(of: entry.name) else {
                findings.append(problem(directory, "the folder's name is no host, so nobody can ask for its files"))
                continue
            }
            let found = WellKnownFiles(below: directory, findings: &findings)
            if !found.answers.isEmpty { files[host] = found }
        }
        return files
    }

    private static func host(of folder: String) -> String? {
        let wildcard = "_wildcard."
        let text = folder.hasPrefix(wildcard) ? "*.\(folder.dropFirst(wildcard.count))" : folder
        // Only the form that the host has everywhere else: another one would be a second folder for the same host.
        guard case .success(let host) = HostPattern.parse(text), host.text == text else { return nil }
        return text
    }

    private static func problem(_ path: String, _ message: String) -> Finding {
        Finding(
            rule: "CFG-005", severity: .warning, file: path, range: nil, message: message,
            fix: "name it as the host is written in app files: in lower case, without a trailing dot")
    }
}
