// The folders of hosts in `config/hosts/` and `public/`: which exist, and whether they have changed. Their content is read when a
// host is rendered.

import Association
import HTTP
import Posix
import TLS

/// The marks of one host's folders.
struct FolderRecord: Hashable, Sendable {
    /// A hash of all marks in `config/hosts/<host>/well-known`; nil if that folder does not exist.
    var wellKnown: UInt64?
    /// The same for `public/<host>`.
    var pages: UInt64?

    var isEmpty: Bool { wellKnown == nil && pages == nil }
}

/// A folder with one host's files, by its name in `config/hosts` or `public`.
enum HostTree: Hashable, Sendable {
    /// `well-known` in `config/hosts/<name>`.
    case wellKnown(String)
    /// `public/<name>`.
    case pages(String)
}

extension FolderScan.Problem {
    /// Must not change between processes.
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
    /// Where the manager puts app files of tenants that publish through it: `apps` and `retired`, as in `config`. Nil without a state
    /// directory.
    var publishedPath: String?
    /// Folders that links of hosts may lead into, in addition to the host's own.
    var linkTargets = LinkTargets.none
    var limits = Limits()
    /// How many files may be kept open, for all hosts and catalogues together.
    var openFilesMax = Int.max

    /// Descriptors reserved for listeners, pollers, certificates and files that are being read.
    private static let otherDescriptors = 128

    /// How many descriptors are left for files. If that is very few, the engine accepts fewer connections.
    public static func openFilesMax(descriptors: Int, connectionsMax: Int) -> Int {
        max(otherDescriptors, descriptors - connectionsMax - otherDescriptors)
    }

    public static func name(of host: String) -> String { CertificateFolder(host: host).name }

    /// The host of a folder; nil if no host has that name.
    static func host(of folder: String) -> String? {
        // In the canonical form; otherwise one host could have two folders.
        guard let host = CertificateFolder(name: folder).host, case .success = HostPattern.parse(host) else {
            return nil
        }
        return host
    }

    /// The two folders that have one of these names. The second may be missing.
    func roots(_ name: String) -> [String] { [configPath, publishedPath].compactMap { $0.map { "\($0)/\(name)" } } }

    var hostsPath: String { "\(configPath)/hosts" }

    func wellKnownPath(of host: String) -> String { "\(hostsPath)/\(HostFolders.name(of: host))/well-known" }

    /// The folders of `config/hosts` that contain `well-known`, or may. Most contain only a certificate and may be very many, so
    /// nothing else is checked. A missing `config/hosts` is fine; throws only if descriptors or memory run out.
    func wellKnownFolders() throws(SystemError) -> [String] {
        let names = try nilUnlessShortage { () throws(SystemError) in try HostFolders.subfolders(of: hostsPath) } ?? []
        let mayHave = Parallel.map(names) { (try? Directory.isThere(path(.wellKnown($0)))) != false }
        return zip(names, mayHave).compactMap { $1 ? $0 : nil }
    }

    /// The finding if `config/hosts` exists but cannot be read. Throws only if descriptors or memory run out.
    func refusal() throws(SystemError) -> Finding? {
        do throws(SystemError) {
            _ = try Folder(hostsPath)
            // With read permission alone, names can be listed but not opened.
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

    /// The folders of `public`. A missing `public` is fine; throws only if descriptors or memory run out.
    func pageFolders() throws(SystemError) -> [String] {
        try nilUnlessShortage { () throws(SystemError) in try HostFolders.subfolders(of: publicPath) } ?? []
    }

    static func subfolders(of path: String) throws(SystemError) -> [String] {
        try Folder(path).list("").entries.filter { $0.kind == .directory }.map(\.name)
    }

    /// The present marks of a host's folders. Throws only if descriptors or memory run out.
    func record(of host: String) throws(SystemError) -> FolderRecord {
        let name = HostFolders.name(of: host)
        return FolderRecord(wellKnown: try mark(of: .wellKnown(name)), pages: try mark(of: .pages(name)))
    }

    /// Opens a host's folder; nil if it does not exist. It may be a link into a link target, but not to another host's folder,
    /// whose files would be served then. It may also lead to certbot's folders, but links to files there are never served.
    func open(_ tree: HostTree) throws(SystemError) -> TenantFolder? {
        do throws(SystemError) {
            switch tree {
            case .wellKnown(let name):
                let hosts = try Folder(hostsPath)
                guard hosts.mayHave("\(name)/well-known") else { return nil }
                let root = try Folder(tenant: name, in: hosts, links: linkTargets, folderLinks: .certbot)
                return TenantFolder(root, prefix: "well-known/", unlisted: Challenges.folder)
            case .pages(let name):
                return TenantFolder(try Folder(tenant: name, in: try Folder(publicPath), links: linkTargets))
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
    func boundaryPath(_ tree: HostTree) -> String {
        switch tree {
        case .wellKnown(let name): "\(hostsPath)/\(name)"
        case .pages(let name): "\(publicPath)/\(name)"
        }
    }

    /// A hash of all marks in a folder, which changes with its content; nil if the folder does not exist.
    func mark(of tree: HostTree) throws(SystemError) -> UInt64? {
        let now = Clock.wallNanoseconds()
        do throws(SystemError) {
            guard let folder = try open(tree) else { return nil }
            let scan = FolderScan(folder, HostQuota(limits).bounds)
            if let shortage = scan.shortage { throw shortage }
            return scan.failure?.isMissing == true ? nil : HostFolders.mark(of: scan, now: now)
        } catch {
            if error.isShortage { throw error }
            // The folder exists but cannot be read; rendering the host reports that.
            return 7
        }
    }

    private static func mark(of scan: FolderScan, now: Int64) -> UInt64 {
        // A sum, so that the order does not matter.
        var sum: UInt64 = scan.excess == nil ? 1 : 2
        for file in scan.files {
            var mark = hash(file.path)
            for number in file.status.numbers { mark = mix(mark ^ number) }
            // A file that was just written may change again without changing its marks, so it is read again at the next round.
            if !file.status.isSettled(atNanoseconds: now) { mark = .random(in: .min ... .max) }
            sum &+= mix(mark)
        }
        for (path, problem) in scan.problems { sum &+= mix(hash(path) ^ problem.number) }
        return sum
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

    /// The finding if a host's files are in `.well-known` instead of `well-known`.
    func hiddenWellKnown(_ name: String) -> Finding? {
        let path = "\(hostsPath)/\(name)/.well-known"
        guard Directory.exists(path) else { return nil }
        let cause = AccessProblem(.hiddenWellKnown, in: hostsPath)
        return problem(path, "nothing in this folder is served: \(cause.reason)", fix: cause.fix)
    }

    func problem(_ path: String, _ message: String, fix: String?) -> Finding {
        Finding(rule: .cfg005, severity: .warning, file: path, range: nil, message: message, fix: fix)
    }
}

/// The result of a call; nil if it fails, unless descriptors or memory ran out.
func nilUnlessShortage<Result: ~Copyable>(
    _ call: () throws(SystemError) -> Result
) throws(SystemError) -> Result? {
    do throws(SystemError) {
        return try call()
    } catch {
        if error.isShortage { throw error }
        return nil
    }
}
