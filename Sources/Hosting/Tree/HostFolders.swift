// The folders of hosts: those of `config/hosts/`, with what belongs to a host and is not derived from an app file, and those
// of `public/`. Which there are and whether they have changed; what is in them is read when a host is rendered.

import Association
import HTTP
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

/// A folder with files of one host, by the name of the host's folder.
enum HostTree: Hashable, Sendable {
    /// `well-known` in `config/hosts/<name>`.
    case wellKnown(String)
    /// `public/<name>`.
    case pages(String)

    var name: String {
        switch self {
        case .wellKnown(let name), .pages(let name): name
        }
    }
}

extension FolderScan.Problem {
    /// The same in every process.
    fileprivate var number: UInt64 {
        switch self {
        case .notAFile: 1
        case .loop: 2
        case .tooDeep: 3
        case .hiddenWellKnown: 4
        case .unreadable(let error): 5 + UInt64(UInt32(bitPattern: error.number))
        }
    }
}

public struct HostFolders: Sendable {
    let configPath: String
    let publicPath: String
    /// Where links of hosts may lead, beside their own folders.
    var linkTargets = LinkTargets.none
    var limits = Limits()
    /// Files that may be kept open, of all folders and catalogues together.
    var openFilesMax = Int.max

    /// Descriptors for what is neither a connection nor a page: listeners, pollers, certificates and files that are read.
    private static let otherDescriptors = 128

    /// What connections and the rest leave of so many descriptors. Where that is nothing, the engine takes fewer connections.
    static func openFilesMax(descriptors: Int, connectionsMax: Int) -> Int {
        max(otherDescriptors, descriptors - connectionsMax - otherDescriptors)
    }

    /// The folder of a host; an asterisk is no character for a file name.
    public static func name(of host: String) -> String { host.hasPrefix("*.") ? "_wildcard\(host.dropFirst())" : host }

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
            entries = try Folder(publicPath).list("").entries
        } catch {
            if error.isShortage { throw error }
            return []
        }
        return entries.filter { $0.kind == .directory }.map(\.name)
    }

    /// How the folders of a host look at this moment, unless there is no descriptor or memory for a look.
    func record(of host: String, _ look: FolderLook? = nil) throws(SystemError) -> FolderRecord {
        if let look, !look.mayHaveFolder(host) { return FolderRecord() }
        let name = HostFolders.name(of: host)
        return FolderRecord(
            wellKnown: look?.isBlind == true ? nil : try signature(of: .wellKnown(name)),
            pages: try signature(of: .pages(name)))
    }

    func pagesSignature(of host: String) throws(SystemError) -> UInt64? {
        try signature(of: .pages(HostFolders.name(of: host)))
    }

    /// Opens the folder of a host; nil when there is none. It may be a link to a place of the operator, and to no other host's
    /// folder: that would serve the other's files. Certbot's folders may be a host's folder, but links to files in them are
    /// never served.
    func open(_ tree: HostTree) throws(SystemError) -> FencedFolder? {
        do throws(SystemError) {
            switch tree {
            case .wellKnown(let name):
                let hosts = try Folder(hostsPath)
                guard hosts.mayHave("\(name)/well-known") else { return nil }
                let fence = try Folder(tenant: name, in: hosts, links: linkTargets, folderLinks: .certbot)
                return FencedFolder(fence, prefix: "well-known/", unlisted: Challenges.folder)
            case .pages(let name):
                return FencedFolder(try Folder(tenant: name, in: try Folder(publicPath), links: linkTargets))
            }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    func path(_ tree: HostTree) -> String {
        switch tree {
        case .wellKnown(let name): "\(hostsPath)/\(name)/well-known"
        case .pages(let name): "\(publicPath)/\(name)"
        }
    }

    /// The folder that links must stay in.
    func fencePath(_ tree: HostTree) -> String {
        switch tree {
        case .wellKnown(let name): "\(hostsPath)/\(name)"
        case .pages(let name): "\(publicPath)/\(name)"
        }
    }

    /// A number that changes when anything in a folder does; nil when there is no such folder.
    func signature(of tree: HostTree) throws(SystemError) -> UInt64? {
        let now = Clock.wallNanoseconds()
        do throws(SystemError) {
            guard let folder = try open(tree) else { return nil }
            let scan = FolderScan(folder, HostShare(limits).bounds)
            if let shortage = scan.shortage { throw shortage }
            return scan.failure?.isMissing == true ? nil : HostFolders.signature(of: scan, now: now)
        } catch {
            if error.isShortage { throw error }
            // It is there, and is a finding when it is read.
            return 7
        }
    }

    private static func signature(of scan: FolderScan, now: Int64) -> UInt64 {
        // A sum, so the order makes no difference.
        var signature: UInt64 = scan.excess == nil ? 1 : 2
        for file in scan.files {
            var mark = hash(file.path)
            for number in file.status.numbers { mark = mix(mark ^ number) }
            // What was written just now may be written to again and look the same: it is to be read at the next look too.
            if !file.status.isSettled(atNanoseconds: now) { mark = .random(in: .min ... .max) }
            signature &+= mix(mark)
        }
        for (path, problem) in scan.problems { signature &+= mix(hash(path) ^ problem.number) }
        return signature
    }

    private static func hash(_ path: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    /// A finding where somebody has taken `.well-known` for the folder of a host's files.
    func hiddenWellKnown(_ name: String) -> Finding? {
        let path = "\(hostsPath)/\(name)/.well-known"
        guard Directory.exists(path) else { return nil }
        let obstacle = Obstacle(.hiddenWellKnown, in: hostsPath)
        return problem(path, "nothing in this folder is served: \(obstacle.reason)", fix: obstacle.fix)
    }

    func problem(_ path: String, _ message: String, fix: String?) -> Finding {
        Finding(rule: .cfg005, severity: .warning, file: path, range: nil, message: message, fix: fix)
    }
}
