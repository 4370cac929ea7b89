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

/// One look at which hosts have folders. A host is looked for by its name, so the number of folders does not matter.
final class FolderLook: Sendable {
    private let hosts: Folder?
    private let pageFolders: Set<String>
    /// Nothing is known of any folder in `config/hosts`.
    fileprivate let isBlind: Bool

    /// Throws where there is no descriptor or memory for a look, and nothing else.
    init(_ folders: HostFolders) throws(SystemError) {
        isBlind = try folders.refusal() != nil
        do throws(SystemError) {
            hosts = isBlind ? nil : try Folder(folders.hostsPath)
        } catch {
            if error.isShortage { throw error }
            hosts = nil
        }
        pageFolders = Set(try folders.pageFolders())
    }

    /// Whether there is a folder with files of the host's own, or was a moment ago.
    func mayHaveFolder(_ host: String) -> Bool {
        let name = HostFolders.name(of: host)
        return pageFolders.contains(name) || hasFiles(in: name)
    }

    /// Whether there are files of a host's own at this moment. Any text may be asked for.
    func hasFiles(ofHost host: String) -> Bool {
        let name = HostFolders.name(of: host)
        return HostFolders.host(of: name) != nil && hasFiles(in: name)
    }

    private func hasFiles(in name: String) -> Bool {
        hosts?.mayHave("\(name)/well-known") == true
    }

    /// The hosts that have pages of their own.
    var pageHosts: [String] { pageFolders.compactMap(HostFolders.host) }
}

struct HostFolders: Sendable {
    let configPath: String
    let publicPath: String
    /// Where links of hosts may lead, beside their own folders.
    var linkTargets = LinkTargets.none
    /// Files that may be kept open, of all folders and catalogues together.
    var openFilesMax = Int.max

    private static let depthMax = 16
    /// Descriptors for what is neither a connection nor a page: listeners, pollers, certificates and files that are read.
    private static let otherDescriptors = 128

    /// What connections and the rest leave of so many descriptors. Where that is nothing, the engine takes fewer connections.
    static func openFilesMax(descriptors: Int, connectionsMax: Int) -> Int {
        max(otherDescriptors, descriptors - connectionsMax - otherDescriptors)
    }

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

    var hostsPath: String { "\(configPath)/hosts" }

    func wellKnownPath(of host: String) -> String { "\(hostsPath)/\(HostFolders.name(of: host))/well-known" }

    func pagesPath(of host: String) -> String { "\(publicPath)/\(HostFolders.name(of: host))" }

    /// The folders of `config/hosts` that have a `well-known`. Most have only a certificate, so their number must not
    /// matter: nothing more is looked at. That there is no such folder is fine; a shortage is thrown.
    func wellKnownFolders() throws(SystemError) -> [String] {
        do throws(SystemError) {
            return try Folder(hostsPath).names(having: "well-known")
        } catch {
            if error.isShortage { throw error }
            return []
        }
    }

    /// Why nothing in `config/hosts` can be looked at; nil when it can, or when there is no such folder. A shortage is thrown.
    func refusal() throws(SystemError) -> Finding? {
        do throws(SystemError) {
            _ = try Folder(hostsPath)
            // Its names may be read by somebody who may not look behind them.
            _ = try Directory.isThere("\(hostsPath)/.")
            return nil
        } catch {
            if error.isShortage { throw error }
            if error.isMissing { return nil }
            var finding = problem(
                hostsPath, "cannot read the folder: \(error.reason)",
                fix: error.cause == .permission ? "let the server's user read it" : nil)
            finding.severity = .error
            return finding
        }
    }

    /// The folders of `public`. That there is no such folder is fine; a shortage is thrown.
    func pageFolders() throws(SystemError) -> [String] {
        let entries: [ListedEntry]
        do throws(SystemError) {
            entries = try Folder(publicPath).list("")
        } catch {
            if error.isShortage { throw error }
            return []
        }
        return entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map(\.name)
    }

    /// How the folders of a host look at this moment, unless there is no descriptor or memory for a look.
    func record(of host: String, _ look: FolderLook? = nil) throws(SystemError) -> FolderRecord {
        if let look, !look.mayHaveFolder(host) { return FolderRecord() }
        return FolderRecord(
            wellKnown: look?.isBlind == true ? nil : try signature(of: wellKnownPath(of: host)),
            pages: try pagesSignature(of: host))
    }

    func pagesSignature(of host: String) throws(SystemError) -> UInt64? { try signature(of: pagesPath(of: host)) }

    /// Opens the folder of a host. It may be a link to a place of the operator, and to no other host's folder: that would serve
    /// the other's files. Certbot's folders may be a host's folder, but files in them are never served through links.
    func open(_ path: String) throws(SystemError) -> FencedFolder {
        let isPages = !path.hasPrefix("\(hostsPath)/")
        let tree = try Folder(isPages ? publicPath : hostsPath)
        let names = path.dropFirst((isPages ? publicPath : hostsPath).count + 1).split(separator: "/")
        let fence = try Folder(
            tenant: String(names[0]), in: tree, links: linkTargets, folderLinks: isPages ? .none : .certbot)
        return FencedFolder(fence, prefix: isPages ? "" : "well-known/")
    }

    /// A number that changes when anything in a folder does; nil when there is no such folder.
    func signature(of path: String) throws(SystemError) -> UInt64? {
        let folder: FencedFolder
        do throws(SystemError) {
            guard try Directory.isThere(path) else { return nil }
            folder = try open(path)
        } catch {
            if error.isShortage { throw error }
            // It is there, and is a finding for whoever wants to read it.
            return 7
        }
        var signature: UInt64 = 1
        try HostFolders.add(folder, "", depth: 0, now: Clock.wallNanoseconds(), to: &signature)
        return signature
    }

    private static func add(
        _ folder: borrowing FencedFolder, _ path: String, depth: Int, now: Int64, to signature: inout UInt64
    ) throws(SystemError) {
        let entries: [ListedEntry]
        do throws(SystemError) {
            entries = try folder.list(path)
        } catch {
            if error.isShortage { throw error }
            // A folder that cannot be read differs from an empty one.
            return signature &+= 7
        }
        for entry in entries {
            let name = path.isEmpty ? entry.name : "\(path)/\(entry.name)"
            var mark: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in name.utf8 { mark = (mark ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            for number in entry.status?.numbers ?? [] { mark = mix(mark ^ number) }
            // What was written just now may be written to again and look the same: it is to be read at the next look too.
            if let status = entry.status, !status.isSettled(atNanoseconds: now) { mark = .random(in: .min ... .max) }
            // A sum, because names come in no order.
            signature &+= mix(mark)
            let below = depth + entry.steps
            if entry.kind == .directory, below <= depthMax {
                try add(folder, name, depth: below, now: now, to: &signature)
            }
        }
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    func problem(_ path: String, _ message: String, fix: String?) -> Finding {
        Finding(rule: "CFG-005", severity: .warning, file: path, range: nil, message: message, fix: fix)
    }
}
