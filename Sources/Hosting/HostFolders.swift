// The folders of hosts: those of `config/hosts/`, with what belongs to a host and is not derived from an app file, and those
// of `public/`. Which there are and whether they have changed; what is in them is read when a host is rendered.

import Association
import Posix

/// What is known of the folders of one host.
struct FolderRecord: Hashable, Sendable {
    /// Marks of everything in `config/hosts/<host>/well-known`; nil when there is no such folder.
    var wellKnown: UInt64?
    /// Likewise of `public/<host>`.
    var pages: UInt64?

    var isEmpty: Bool { wellKnown == nil && pages == nil }
}

struct HostFolders: Sendable {
    let hostsPath: String
    let publicPath: String

    private static let depthMax = 16

    /// The folder of a host; an asterisk is no character for a file name.
    static func name(of host: String) -> String { host.hasPrefix("*.") ? "_wildcard\(host.dropFirst())" : host }

    /// The host of a folder; nil when nobody can ask for it.
    static func host(of folder: String) -> String? {
        let wildcard = "_wildcard."
        let text = folder.hasPrefix(wildcard) ? "*.\(folder.dropFirst(wildcard.count))" : folder
        // Only the form that the host has everywhere else: another one would be a second folder for the same host.
        guard case .success(let host) = HostPattern.parse(text), host.text == text else { return nil }
        return text
    }

    func wellKnownPath(of host: String) -> String { "\(hostsPath)/\(HostFolders.name(of: host))/well-known" }

    func pagesPath(of host: String) -> String { "\(publicPath)/\(HostFolders.name(of: host))" }

    /// The folders of `config/hosts` that have a `well-known`. Most have only a certificate, so their number must not
    /// matter: nothing more is looked at. That there is no such folder is fine.
    func wellKnownFolders(_ findings: inout [Finding]) -> [String] {
        do {
            return try Folder(hostsPath).names(having: "well-known")
        } catch {
            if !error.isMissing { findings.append(problem(hostsPath, "cannot read the folder: \(error.reason)")) }
            return []
        }
    }

    /// The folders of `public`. That there is no such folder is fine.
    func pageFolders() -> [String] {
        guard let entries = try? Folder(publicPath).list("") else { return [] }
        return entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map(\.name)
    }

    /// How the folders of a host look at this moment.
    func record(of host: String) -> FolderRecord {
        FolderRecord(
            wellKnown: HostFolders.signature(of: wellKnownPath(of: host)),
            pages: HostFolders.signature(of: pagesPath(of: host)))
    }

    /// A number that changes when anything in a folder does; nil when there is no such folder.
    static func signature(of path: String) -> UInt64? {
        guard Directory.exists(path), let folder = try? Folder(path) else { return nil }
        var signature: UInt64 = 1
        add(folder, "", depth: 0, to: &signature)
        return signature
    }

    private static func add(_ folder: borrowing Folder, _ path: String, depth: Int, to signature: inout UInt64) {
        // A folder that cannot be read differs from an empty one.
        guard let entries = try? folder.list(path) else { return signature &+= 7 }
        for entry in entries {
            let name = path.isEmpty ? entry.name : "\(path)/\(entry.name)"
            var mark: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in name.utf8 { mark = (mark ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            for number in entry.status?.numbers ?? [] { mark = mix(mark ^ number) }
            // A sum, because names come in no order.
            signature &+= mix(mark)
            if entry.kind == .directory, depth < depthMax { add(folder, name, depth: depth + 1, to: &signature) }
        }
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    func problem(_ path: String, _ message: String) -> Finding {
        Finding(
            rule: "CFG-005", severity: .warning, file: path, range: nil, message: message,
            fix: "name it as the host is written in app files: in lower case, without a trailing dot")
    }
}
